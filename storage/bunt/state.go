package bunt

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcp-memory/storage"
)

// state is the fold of all operations. It does no I/O and reads no clock.
type state struct {
	records  []record         // in the order they were recorded
	index    map[string]int32 // id → place in records
	answers  map[userKey]answer
	briefs   []userKey // of answers that are brief, in the order they came
	receipts map[userKey]receipt
	talk     talk
	last     time.Time
	purged   int    // records without content
	garbage  int64  // bytes that a compaction would likely save, but for what expires
	key      []byte // of keyed hashes
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
	again      []string // JSON of many each; see again.go
	withdrawn  time.Time
	forgotten  time.Time // zero: not forgotten, or restored
	restored   time.Time // zero: never
	receipt    string
	tombstone  string // JSON
	erased     bool   // forgotten for good
	purged     bool
}

// receipt is a forget, and what became of it.
type receipt struct {
	at      time.Time
	values  []string // of the forget's operations
	erase   bool
	open    bool   // it was announced, and not all of it came
	ended   string // JSON of storage.Erased; empty: it is not an erase, or open
	endedAt time.Time
}

// userKey is a name that is unique within a user.
type userKey struct{ user, key string }

// answer is an answer as it was stored last.
type answer struct {
	at    time.Time // of the operation
	json  string
	brief bool
}

// newState makes an empty state with room for n records. key is that of keyed
// hashes.
func newState(n int, key []byte) *state {
	return &state{
		key:      key,
		records:  make([]record, 0, n),
		index:    make(map[string]int32, n),
		answers:  map[userKey]answer{},
		receipts: map[userKey]receipt{},
		talk:     newTalk(),
	}
}

// foldAll folds entries in their order. Error: [storage.ErrCorrupt], for a
// value that has a good checksum and is no operation all the same.
func foldAll(entries []entry, key []byte) (*state, error) {
	s := newState(len(entries), key)
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
		s.garbage += mergeable(len(r.json))
	}
	for _, a := range op.again {
		s.change(a.id, func(f *fate) { f.again = append(f.again, a.json) })
	}
	for _, id := range op.withdraw {
		s.change(id, func(f *fate) { f.withdraw(op.at) })
	}
	for _, t := range op.forget {
		s.change(t.id, func(f *fate) { f.forget(op, t.json) })
	}
	for _, id := range op.restore {
		s.change(id, func(f *fate) { f.restore(op.at) })
	}
	s.foldReceipts(op)
	for _, a := range op.answers {
		s.answer(op.user, op.at, a)
	}
	s.garbage += s.talk.fold(op, s.key)
	if op.at.After(s.last) {
		s.last = op.at
	}
}

// answer keeps an answer. Brief ones that are over leave then: a process that
// others write through keeps thousands an hour.
func (s *state) answer(user string, at time.Time, a answerPart) {
	key := userKey{user, answerKey(s.key, a.key, a.brief)}
	s.garbage += int64(len(s.answers[key].json))
	s.answers[key] = answer{at: at, json: a.json, brief: a.brief}
	if a.brief {
		s.briefs = append(s.briefs, key)
	}
	for len(s.briefs) > 0 {
		old, known := s.answers[s.briefs[0]]
		if known && old.brief && at.Sub(old.at) < storage.BriefLife {
			return
		}
		if known && old.brief {
			s.garbage += int64(len(old.json))
			delete(s.answers, s.briefs[0])
		}
		s.briefs = s.briefs[1:]
	}
}

// foldReceipts keeps a forget, and how an erase ended.
func (s *state) foldReceipts(op operation) {
	if op.receipt != "" {
		key := userKey{op.user, op.receipt}
		r, known := s.receipts[key]
		if !known {
			r = receipt{at: op.at, erase: op.erase}
		}
		r.values = append(slices.Clip(r.values), op.value)
		r.open = (r.open || op.ahead) && !op.final
		s.receipts[key] = r
	}
	for _, e := range op.erased {
		key := userKey{op.user, e.id}
		if r, known := s.receipts[key]; known && r.ended == "" {
			r.ended, r.endedAt = e.json, op.at
			s.receipts[key] = r
		}
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

// forget keeps the first forgetting: a second one must not put off the purge. An
// erase keeps its time, and is the one that counts.
func (f *fate) forget(op operation, tombstone string) {
	first := f.forgotten.IsZero()
	if first {
		f.forgotten = op.at
	}
	if first || op.erase && !f.erased {
		f.receipt, f.tombstone = op.receipt, tombstone
	}
	f.erased = f.erased || op.erase
}

func (f *fate) restore(at time.Time) {
	if !f.purged && !f.erased && !f.forgotten.IsZero() {
		f.forgotten, f.receipt, f.tombstone, f.restored = time.Time{}, "", "", at
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
// the time given, or at it. What is to be erased goes with its own rewrite alone,
// which tells what it said everywhere.
func (r record) due(before time.Time) bool {
	return r.fate != nil && !r.fate.purged && !r.fate.erased && !r.fate.forgotten.IsZero() && !r.fate.forgotten.After(before)
}

// isPurged reports whether the record's content is gone.
func (r record) isPurged() bool { return r.fate != nil && r.fate.purged }

// isErased reports whether the record was forgotten for good, whether or not its
// content has left the file.
func (r record) isErased() bool { return r.fate != nil && r.fate.erased }

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
	e.RestoredAt, e.Erased = r.fate.restored, r.fate.erased
	var err, badTomb error
	if e.Reinforced, err = r.fate.reinforcements(e.ID); err == nil && r.fate.tombstone != "" {
		e.Tombstone = &storage.Tombstone{}
		badTomb = json.Unmarshal([]byte(r.fate.tombstone), e.Tombstone)
	}
	if err := errors.Join(err, badTomb); err != nil {
		return storage.Entry{}, fmt.Errorf("%w: record %s: %v", storage.ErrCorrupt, e.ID, err)
	}
	return e, nil
}
