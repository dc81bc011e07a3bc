package bunt

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mcp-memory/storage"
)

// state is the fold of all operations. It does no I/O and reads no clock.
type state struct {
	records  []record         // in the order they were recorded
	index    map[string]int32 // id → place in records
	answers  map[userKey]answer
	briefs   []userKey          // of answers that are brief, in the order they came
	spent    int64              // size of the brief answers that are over, bytes
	receipts map[userKey]string // → value of the forget's operation
	talk     talk
	last     time.Time
	purged   int // records without content
}

// record is a record's line and what became of it. A change replaces fate, so
// that a copy of the record is a snapshot of it.
type record struct {
	user, line string
	fate       *fate // nil: nothing became of it
}

// fate is what operations after the put did. It is never changed once it is in
// a state.
type fate struct {
	reinforced []string // JSON of each
	withdrawn  time.Time
	forgotten  time.Time // zero: not forgotten, or restored
	receipt    string
	tombstone  string // JSON
	purged     bool
}

// userKey is a name that is unique within a user.
type userKey struct{ user, key string }

// answer is an operation that holds an answer.
type answer struct {
	at    time.Time
	value string
	size  int64 // of the operation without its records, bytes
	brief bool
}

// newState makes an empty state with room for n records.
func newState(n int) *state {
	return &state{
		records:  make([]record, 0, n),
		index:    make(map[string]int32, n),
		answers:  map[userKey]answer{},
		receipts: map[userKey]string{},
		talk:     newTalk(),
	}
}

// foldAll folds entries in their order. Error: [storage.ErrCorrupt], for a
// value that has a good checksum and is no operation all the same.
func foldAll(entries []entry) (*state, error) {
	s := newState(len(entries))
	for _, e := range entries {
		op, err := parse(e.value)
		if err != nil {
			return nil, fmt.Errorf("%w: operation %d: %v", storage.ErrCorrupt, e.seq, err)
		}
		s.fold(op)
	}
	return s, nil
}

// fold applies one operation. What names an unknown record is left out: a
// salvage may have lost it.
func (s *state) fold(op operation) {
	for _, p := range op.puts {
		s.put(p)
	}
	for _, r := range op.reinforce {
		s.change(r.id, func(f *fate) { f.reinforced = append(f.reinforced, r.json) })
	}
	for _, id := range op.withdraw {
		s.change(id, func(f *fate) { f.withdraw(op.at) })
	}
	for _, t := range op.forget {
		s.change(t.id, func(f *fate) { f.forget(op, t.json) })
	}
	for _, id := range op.restore {
		s.change(id, (*fate).restore)
	}
	if op.receipt != "" {
		s.receipts[userKey{op.user, op.receipt}] = op.value
	}
	if op.answered {
		s.answer(op)
	}
	s.talk.fold(op)
	if op.at.After(s.last) {
		s.last = op.at
	}
}

// answer keeps an operation's answer. Brief ones that are over leave then: a
// process that others write through keeps thousands an hour.
func (s *state) answer(op operation) {
	key := userKey{op.user, op.answerKey}
	s.answers[key] = answer{at: op.at, value: op.value, size: op.headSize, brief: op.brief}
	if op.brief {
		s.briefs = append(s.briefs, key)
	}
	for len(s.briefs) > 0 {
		old, known := s.answers[s.briefs[0]]
		if known && old.brief && op.at.Sub(old.at) < storage.BriefLife {
			return
		}
		if known && old.brief {
			s.spent += old.size
			delete(s.answers, s.briefs[0])
		}
		s.briefs = s.briefs[1:]
	}
}

func (s *state) put(p put) {
	if _, known := s.index[p.id]; known {
		return
	}
	s.index[p.id] = int32(len(s.records))
	r := record{user: p.user, line: p.line}
	if p.purged {
		r.fate = &fate{purged: true}
		s.purged++
	}
	s.records = append(s.records, r)
}

// change replaces the fate of the record with the id by a changed copy.
func (s *state) change(id string, edit func(*fate)) {
	i, known := s.index[id]
	if !known {
		return
	}
	var changed fate
	if old := s.records[i].fate; old != nil {
		changed = *old
	}
	edit(&changed)
	s.records[i].fate = &changed
}

func (f *fate) withdraw(at time.Time) {
	if f.withdrawn.IsZero() {
		f.withdrawn = at
	}
}

// forget keeps the first forgetting: a second one must not put off the purge.
func (f *fate) forget(op operation, tombstone string) {
	if f.forgotten.IsZero() {
		f.forgotten, f.receipt, f.tombstone = op.at, op.receipt, tombstone
	}
}

func (f *fate) restore() {
	if !f.purged {
		f.forgotten, f.receipt, f.tombstone = time.Time{}, "", ""
	}
}

// find returns a snapshot of the record with the id.
func (s *state) find(id string) (record, bool) {
	i, known := s.index[id]
	if !known {
		return record{}, false
	}
	return s.records[i], true
}

// due reports whether the record's content is to go: it was forgotten before
// the time given, or at it.
func (r record) due(before time.Time) bool {
	return r.fate != nil && !r.fate.purged && !r.fate.forgotten.IsZero() && !r.fate.forgotten.After(before)
}

// isPurged reports whether the record's content is gone.
func (r record) isPurged() bool { return r.fate != nil && r.fate.purged }

// entry decodes the record.
func (r record) entry() (storage.Entry, error) {
	e := storage.Entry{}
	if err := json.Unmarshal([]byte(r.line), &e.Record); err != nil {
		return storage.Entry{}, fmt.Errorf("%w: record: %v", storage.ErrCorrupt, err)
	}
	if r.fate == nil {
		return e, nil
	}
	e.WithdrawnAt, e.ForgottenAt = r.fate.withdrawn, r.fate.forgotten
	e.Receipt, e.Purged = r.fate.receipt, r.fate.purged
	var err, badTomb error
	if e.Reinforced, err = reinforcements(r.fate.reinforced); err == nil && r.fate.tombstone != "" {
		e.Tombstone = &storage.Tombstone{}
		badTomb = json.Unmarshal([]byte(r.fate.tombstone), e.Tombstone)
	}
	if err := errors.Join(err, badTomb); err != nil {
		return storage.Entry{}, fmt.Errorf("%w: record %s: %v", storage.ErrCorrupt, e.ID, err)
	}
	return e, nil
}
