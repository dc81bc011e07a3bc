package bunt

import (
	"fmt"
	"slices"
	"time"

	"mcp-memory/storage"
)

// reapply brings what was forgotten since a backup was made into it.
type reapply struct {
	backup, present *state
	horizon         time.Time // before which retention is over
	again           int       // records of the backup
	tombstones      int       // others
}

// apply returns the backup's entries as they are to be restored.
func (s *reapply) apply(entries []entry) ([]entry, error) {
	if s.present == nil {
		return entries, nil
	}
	groups, gone := s.compare()
	entries, err := s.purge(entries, gone)
	if err != nil {
		return nil, err
	}
	seq := uint64(0)
	if len(entries) > 0 {
		seq = entries[len(entries)-1].seq
	}
	for _, g := range groups {
		for _, op := range g.operations() {
			seq++
			value, err := encode(opKey(seq), op.Op, op.records)
			if err != nil {
				return nil, fmt.Errorf("forget again: %w", err)
			}
			entries = append(entries, entry{seq, value})
		}
	}
	return entries, nil
}

// compare finds what is forgotten in the present store and not in the backup, by
// the forget that took it, and what of the backup lost its content since.
func (s *reapply) compare() (groups []*forgetting, gone []string) {
	index := map[userKey]*forgetting{}
	for _, r := range s.present.records {
		if r.fate == nil || r.fate.forgotten.IsZero() {
			continue
		}
		e, err := r.entry()
		if err != nil {
			continue // nothing is known of it that could be kept
		}
		saved, known := s.backup.find(e.ID)
		if known && r.isPurged() && !saved.isPurged() {
			gone = append(gone, e.ID)
		}
		if known && saved.fate != nil && !saved.fate.forgotten.IsZero() {
			if r.isPurged() && !saved.isPurged() {
				s.again++
			}
			continue
		}
		key := userKey{e.User, e.Receipt}
		if index[key] == nil {
			index[key] = &forgetting{user: e.User, receipt: e.Receipt, at: e.ForgottenAt}
			index[key].takeAlong(s.present.receipts[key])
			groups = append(groups, index[key])
		}
		index[key].take(e, known)
		if known {
			s.again++
		} else {
			s.tombstones++
		}
	}
	return groups, gone
}

// purge takes the content of records out of entries.
func (s *reapply) purge(entries []entry, gone []string) ([]entry, error) {
	if len(gone) == 0 {
		return entries, nil
	}
	for _, id := range gone {
		s.backup.change(id, func(f *fate) { f.purged = true })
	}
	p := s.backup.purger(s.horizon, s.horizon, true)
	kept := make([]entry, 0, len(entries))
	for i, e := range entries {
		edited, empty, err := p.one(e)
		if err == nil && edited.value != e.value {
			edited, err = withoutEcho(edited)
		}
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", e.seq, err)
		}
		if newest := i == len(entries)-1; newest || !empty {
			kept = append(kept, edited)
		}
	}
	return kept, nil
}

// withoutEcho takes out of an operation what repeats the words of its records: the
// answer to the call, and the finished job that found them.
func withoutEcho(e entry) (entry, error) {
	op, records, err := decodeLines(e.value)
	if err != nil {
		return e, err
	}
	op.Answer, op.Answers = nil, nil
	op.Jobs = slices.DeleteFunc(op.Jobs, func(j storage.Job) bool { return !j.Open })
	e.value, err = encodeLines(opKey(e.seq), op, records)
	return e, err
}
