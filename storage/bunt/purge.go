package bunt

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mcp-memory/storage"
)

// ownEntity is the one entity that a purged record may name: the user himself.
const ownEntity = "user"

// purge returns the journal's entries as they are to be from now on. Entries
// that lose nothing are the same values.
func (s *Store) purge(ctx context.Context) ([]entry, error) {
	p := purger{state: s.state, horizon: s.horizon(), brief: s.answerHorizon(true)}
	kept := make([]entry, 0, len(s.journal.entries))
	for i, e := range s.journal.entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		edited, empty, err := p.edit(e)
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", e.seq, err)
		}
		newest := i == len(s.journal.entries)-1
		if newest || !empty {
			kept = append(kept, edited)
		}
	}
	return kept, nil
}

// purger takes due content out of operations.
type purger struct {
	state   *state
	horizon time.Time
	brief   time.Time // the horizon of brief answers
}

// gone reports whether nothing is to be left of the record's content.
func (p purger) gone(id string) bool {
	r, _ := p.state.find(id)
	return r.isPurged() || r.due(p.horizon)
}

// edit returns e without due content, and whether nothing is left of it.
func (p purger) edit(e entry) (entry, bool, error) {
	op, err := parse(e.value)
	if err != nil {
		return entry{}, false, err
	}
	if !p.concerns(op) {
		return e, op.isEmpty(), nil
	}
	head, records, err := decode(e.value)
	if err != nil {
		return entry{}, false, err
	}
	p.strip(&head, records)
	value, err := encode(opKey(e.seq), head, records)
	if err != nil {
		return entry{}, false, fmt.Errorf("encode: %w", err)
	}
	op, err = parse(value)
	return entry{e.seq, value}, op.isEmpty(), err
}

// concerns reports whether op may hold due content.
func (p purger) concerns(op operation) bool {
	if op.answered && p.answerOver(op.at, op.brief) {
		return true
	}
	if slices.ContainsFunc(op.puts, func(r put) bool { return !r.purged && p.gone(r.id) }) {
		return true
	}
	if p.talkConcerns(op) {
		return true
	}
	of := func(part part) bool { return p.gone(part.id) }
	return slices.ContainsFunc(op.reinforce, of) || slices.ContainsFunc(op.forget, of)
}

func (p purger) expired(at time.Time) bool { return !at.After(p.horizon) }

func (p purger) answerOver(at time.Time, brief bool) bool {
	return p.expired(at) || brief && !at.After(p.brief)
}

// strip edits an operation in place.
func (p purger) strip(op *storage.Op, records []recordLine) {
	for i := range records {
		if p.gone(records[i].ID) {
			records[i] = recordLine{Purged: true, Record: remains(records[i].Record)}
		}
	}
	for i, r := range op.Reinforce {
		if p.gone(r.ID) {
			op.Reinforce[i].Source, op.Reinforce[i].Tags = storage.Source{}, nil
		}
	}
	if op.Forget != nil && slices.ContainsFunc(op.Forget.Records, func(t storage.Tombstone) bool { return p.gone(t.ID) }) {
		op.Forget.Reason = ""
	}
	if op.Answer != nil && p.answerOver(op.At, op.Answer.Brief) {
		op.Answer = nil
	}
	p.stripTalk(op)
}

// remains is what a purged record keeps: what the order of its slot needs.
func remains(r storage.Record) storage.Record {
	kept := storage.Record{
		ID: r.ID, User: r.User, Project: r.Project,
		Layer: r.Layer, Tier: r.Tier,
		ObservedAt: r.ObservedAt, ValidFrom: r.ValidFrom, ValidTo: r.ValidTo, RecordedAt: r.RecordedAt,
		Confidence: r.Confidence, Trust: r.Trust, Beside: r.Beside,
	}
	if r.Entity == ownEntity {
		kept.Entity = ownEntity
	}
	return kept
}
