package bunt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcp-memory/storage"
)

// domainSource is the domain of sources' keyed hashes.
const domainSource = "source"

// whole is an erase of all that a user said, or of all of a source. In a copy it also
// takes what the store does not know any more, since a restore went back past it.
type whole struct {
	user string
	at   time.Time // of the erase: what came later stays
	all  bool
	of   func(source string) bool // of this source; nil: of none
	// later says that the copy goes on after the erase: what cannot be read there may
	// be of later too.
	later bool
}

// wholeOfErase is what an erase takes all of; false where it takes single records. key
// is that of keyed hashes.
func wholeOfErase(op *storage.Op, key []byte) (whole, bool) {
	e := op.Forget.Erase
	if e == nil || !e.All && e.SourceHash == "" {
		return whole{}, false
	}
	w := whole{user: op.User, at: op.At, all: e.All}
	if e.SourceHash != "" {
		w.of = func(source string) bool { return hash(key, domainSource, source) == e.SourceHash }
	}
	return w, true
}

// wholeOf is the one that a payload is of; false where it is of single records.
func wholeOf(p storage.Payload) (whole, bool) {
	return whole{user: p.User, at: p.At, all: p.All, of: p.Of}, p.All || p.Of != nil
}

func (w *whole) concerns(op *storage.Op) bool { return op.User == w.user && !op.At.After(w.at) }

func (w *whole) source(name string) bool {
	return w.all || name != "" && w.of != nil && w.of(name)
}

func (w *whole) record(r *recordLine) bool { return !r.Purged && w.source(r.Source.ID) }

// holds reports whether an operation that the erase concerns has some of it.
func (w *whole) holds(op *storage.Op, records []recordLine) bool {
	left := func(r recordLine) bool { return w.record(&r) }
	return slices.ContainsFunc(records, left) || w.all && len(op.Hear)+len(op.Jobs)+len(op.Answers) > 0
}

// HeldBeside reports whether a copy of the store, which a salvage or a restore kept or
// a backup made, holds something that a user said, whether or not the store does.
func (s *Store) HeldBeside(ctx context.Context, user string) bool {
	f := newFinder(storage.Payload{User: user, At: s.Last(), All: true})
	sides, _ := s.copies()
	for _, c := range sides {
		if err := f.copy(ctx, c, s); errors.Is(err, errHeld) {
			return true
		}
	}
	return false
}

// stretch reports whether bytes that cannot be read may hold some of all that the user
// said: unless they name others alone.
func (w *whole) stretch(raw []byte) bool {
	const named = `"user":`
	name, err := json.Marshal(w.user)
	return w.all && !w.later && (err != nil || bytes.Contains(raw, append([]byte(named), name...)) || !bytes.Contains(raw, []byte(named)))
}

// stripWholes takes out of a copy what such erases take, and what later operations
// say of that. It reports whether anything changed.
func (c *sideFile) stripWholes(wholes []whole) (changed bool, err error) {
	gone := map[string]bool{}
	for _, p := range c.pieces {
		if err := eachOf(wholes, p, func(w *whole, records []recordLine) {
			for i := range records {
				if w.record(&records[i]) {
					gone[records[i].ID] = true
				}
			}
		}); err != nil {
			return false, err
		}
	}
	kept := c.pieces[:0:0]
	for _, p := range c.pieces {
		value, err := stripPiece(wholes, p, gone)
		if err != nil {
			return false, err
		}
		if changed = changed || value != p.value; p.length > 0 || value != "" {
			p.value = value
			kept = append(kept, p)
		}
	}
	c.pieces = kept
	return changed, nil
}

// eachOf calls fn with the records of an operation for each erase that it concerns.
func eachOf(wholes []whole, p piece, fn func(w *whole, records []recordLine)) error {
	if p.length > 0 {
		return nil
	}
	head, records, err := decodeLines(p.value)
	if err != nil {
		return err
	}
	for i := range wholes {
		if wholes[i].concerns(&head.Op) {
			fn(&wholes[i], records)
		}
	}
	return nil
}

// stripPiece returns the value of an operation without what goes, and without what it
// says of records that are gone; "" where nothing is left.
func stripPiece(wholes []whole, p piece, gone map[string]bool) (string, error) {
	if p.length > 0 {
		return p.value, nil
	}
	head, records, err := decodeLines(p.value)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(wholes, func(w whole) bool { return w.user == head.User }) {
		return p.value, nil
	}
	before := parts(&head, records)
	for i := range wholes {
		if w := &wholes[i]; w.concerns(&head.Op) {
			w.strip(&head.Op)
		}
	}
	records = slices.DeleteFunc(records, func(r recordLine) bool { return !r.Purged && gone[r.ID] })
	unname(&head, gone)
	if parts(&head, records) == before {
		return p.value, nil
	}
	value, err := encodeLines(opKey(p.seq), head, records)
	if err != nil {
		return "", fmt.Errorf("encode: %w", err)
	}
	op, err := parse(value)
	if err != nil || op.isEmpty() {
		return "", err
	}
	return value, nil
}

// parts counts what an operation may lose.
func parts(head *headLine, records []recordLine) (n int) {
	n = len(records) + len(head.Hear) + len(head.Jobs) + len(head.Answers) + len(head.Reinforce) + len(head.Again) + len(head.Withdraw) + len(head.Restore)
	if head.Answer != nil {
		n++
	}
	if head.Forget != nil {
		n += len(head.Forget.Records) + len(head.Forget.Reason)
	}
	return n
}

// strip takes what else an operation holds of the user or of the source.
func (w *whole) strip(op *storage.Op) {
	op.Hear = slices.DeleteFunc(op.Hear, func(t storage.Turn) bool { return w.source(t.Source) })
	if !w.all {
		return
	}
	op.Answer, op.Answers, op.Jobs = nil, nil, nil
	if op.Forget != nil {
		op.Forget.Reason = ""
	}
}

// unname takes out of an operation what it says of records that are gone.
func unname(head *headLine, gone map[string]bool) {
	is := func(id string) bool { return gone[id] }
	head.Reinforce = slices.DeleteFunc(head.Reinforce, func(r storage.Reinforcement) bool { return gone[r.ID] })
	head.Again = slices.DeleteFunc(head.Again, func(a againLine) bool { return gone[a.ID] })
	head.Withdraw, head.Restore = slices.DeleteFunc(head.Withdraw, is), slices.DeleteFunc(head.Restore, is)
	if head.Forget != nil {
		head.Forget.Records = slices.DeleteFunc(head.Forget.Records, func(t storage.Tombstone) bool { return gone[t.ID] })
	}
	holds := func(a storage.Answer) bool {
		return slices.ContainsFunc(lostRecord.FindAllSubmatch(a.Body, -1), func(found [][]byte) bool { return gone[string(found[1])] })
	}
	head.Answers = slices.DeleteFunc(head.Answers, holds)
	if head.Answer != nil && holds(*head.Answer) {
		head.Answer = nil
	}
}
