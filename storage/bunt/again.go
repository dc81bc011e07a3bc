package bunt

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mcp-memory/storage"
)

// againLine is many reinforcements of one record that differ in their times
// alone. A compaction makes it of those that were operations of their own: what
// a record was said again costs a dozen bytes a time, and no time is lost.
type againLine struct {
	ID         string         `json:"id"`
	Confidence float64        `json:"confidence"`
	Trust      storage.Trust  `json:"trust"`
	Tags       []string       `json:"tags,omitempty"`
	Source     storage.Source `json:"source,omitzero"`
	// Times are, in microseconds: recorded (the first since 1970, each other since
	// the one before), observed since recorded, and valid from since recorded
	// where that was given.
	Times [][]int64 `json:"times"`
}

// againMost bounds the times of one line, and so its bytes to some 2 MiB.
const againMost = 50_000

// reinforcement returns the one at i, recorded since the one before it.
func (l *againLine) reinforcement(i int, before int64) (storage.Reinforcement, int64, error) {
	t := l.Times[i]
	if len(t) != 2 && len(t) != 3 {
		return storage.Reinforcement{}, 0, fmt.Errorf("%d times instead of 2 or 3", len(t))
	}
	recorded := before + t[0]
	r := storage.Reinforcement{
		ID: l.ID, Confidence: l.Confidence, Trust: l.Trust, Tags: l.Tags, Source: l.Source,
		RecordedAt: time.UnixMicro(recorded).UTC(), ObservedAt: time.UnixMicro(recorded + t[1]).UTC(),
	}
	if len(t) == 3 {
		r.ValidFrom = time.UnixMicro(recorded + t[2]).UTC()
	}
	return r, recorded, nil
}

// expand returns the reinforcements of a line.
func (l *againLine) expand() ([]storage.Reinforcement, error) {
	out, before := make([]storage.Reinforcement, 0, len(l.Times)), int64(0)
	for i := range l.Times {
		r, recorded, err := l.reinforcement(i, before)
		if err != nil {
			return nil, err
		}
		out, before = append(out, r), recorded
	}
	return out, nil
}

// reinforcements decodes all that a record was said again, in the order recorded.
func (f *fate) reinforcements(id string) ([]storage.Reinforcement, error) {
	out, err := reinforcements(f.reinforced)
	if err != nil || len(f.again) == 0 {
		return out, err
	}
	for _, raw := range f.again {
		var line againLine
		if err := json.Unmarshal([]byte(raw), &line); err != nil {
			return nil, fmt.Errorf("reinforcements of %s: %w", id, err)
		}
		more, err := line.expand()
		if err != nil {
			return nil, fmt.Errorf("reinforcements of %s: %w", id, err)
		}
		out = append(out, more...)
	}
	slices.SortStableFunc(out, func(a, b storage.Reinforcement) int { return a.RecordedAt.Compare(b.RecordedAt) })
	return out, nil
}

// mergeable is about how many bytes a compaction saves of a reinforcement of n
// bytes.
func mergeable(n int) int64 { return int64(n) + commandOverhead - 24 }

// commandOverhead is about what an operation costs beside its parts, in bytes.
const commandOverhead = 120

// mergeFrom is how many reinforcements of a user are worth merging.
const mergeFrom = 100

// merger gathers the reinforcements of operations, so that they need none of their
// own.
type merger struct {
	count   map[string]int // by user
	last    map[string]int // by user: place of the newest operation with any
	gathers map[string]map[string]*gathered
}

// gathered are the reinforcements of one kind of one record.
type gathered struct {
	line  againLine
	times []storage.Reinforcement // only their times count
}

func newMerger() *merger {
	return &merger{count: map[string]int{}, last: map[string]int{}, gathers: map[string]map[string]*gathered{}}
}

// see counts the reinforcements of the operation at a place.
func (m *merger) see(op *operation, place int) {
	if n := len(op.reinforce) + len(op.again); n > 0 {
		m.count[op.user] += len(op.reinforce)
		m.last[op.user] = place
	}
}

// merges reports whether the user's reinforcements are to be merged.
func (m *merger) merges(user string) bool { return m.count[user] >= mergeFrom }

// take moves the reinforcements of an operation out of it. Those whose times the
// merged form cannot hold stay.
func (m *merger) take(head *headLine) error {
	var kept []storage.Reinforcement
	for _, r := range head.Reinforce {
		if !exact(r.RecordedAt) || !exact(r.ObservedAt) || !r.ValidFrom.IsZero() && !exact(r.ValidFrom) {
			kept = append(kept, r)
			continue
		}
		if err := m.gather(head.User, r); err != nil {
			return err
		}
	}
	for i := range head.Again {
		more, err := head.Again[i].expand()
		if err != nil {
			return err
		}
		for _, r := range more {
			if err := m.gather(head.User, r); err != nil {
				return err
			}
		}
	}
	head.Reinforce, head.Again = kept, nil
	return nil
}

// exact reports whether a time is a whole number of microseconds.
func exact(t time.Time) bool { return !t.IsZero() && t.Equal(time.UnixMicro(t.UnixMicro())) }

func (m *merger) gather(user string, r storage.Reinforcement) error {
	line := againLine{ID: r.ID, Confidence: r.Confidence, Trust: r.Trust, Tags: r.Tags, Source: r.Source}
	key, err := json.Marshal(line)
	if err != nil {
		return err
	}
	of := m.gathers[user]
	if of == nil {
		of = map[string]*gathered{}
		m.gathers[user] = of
	}
	g := of[string(key)]
	if g == nil {
		g = &gathered{line: line}
		of[string(key)] = g
	}
	g.times = append(g.times, r)
	return nil
}

// lines returns what was gathered of a user, in a fixed order.
func (m *merger) lines(user string) []againLine {
	var out []againLine
	for _, g := range m.gathers[user] {
		slices.SortStableFunc(g.times, func(a, b storage.Reinforcement) int { return a.RecordedAt.Compare(b.RecordedAt) })
		for part := range slices.Chunk(g.times, againMost) {
			line := g.line
			line.Times = compactTimes(part)
			out = append(out, line)
		}
	}
	slices.SortFunc(out, func(a, b againLine) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Times[0][0], b.Times[0][0]))
	})
	return out
}

func compactTimes(of []storage.Reinforcement) [][]int64 {
	out, before := make([][]int64, len(of)), int64(0)
	for i, r := range of {
		recorded := r.RecordedAt.UnixMicro()
		out[i] = []int64{recorded - before, r.ObservedAt.UnixMicro() - recorded}
		if !r.ValidFrom.IsZero() {
			out[i] = append(out[i], r.ValidFrom.UnixMicro()-recorded)
		}
		before = recorded
	}
	return out
}
