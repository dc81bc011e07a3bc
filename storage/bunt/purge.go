package bunt

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"mcp-memory/storage"
)

// ownEntity is the one entity that a purged record may name: the user himself.
const ownEntity = "user"

// purger takes out of operations what is to go, as of one moment.
type purger struct {
	horizon  time.Time
	brief    time.Time        // the horizon of brief answers
	key      []byte           // of keyed hashes
	open     map[userKey]bool // receipts of which not all came that was announced
	gone     map[string]*fate // records of which no content is to be left
	sessions map[userKey]*session
	jobs     map[userKey]job
	answers  map[userKey]answer
	merge    *merger
}

// purger returns one for the state as it is. With erase, what is to be erased goes
// too. It costs some milliseconds for 100,000 records; the caller keeps writers
// away meanwhile.
func (st *state) purger(horizon, brief time.Time, erase bool) *purger {
	p := &purger{
		horizon: horizon, brief: brief, key: st.key, gone: map[string]*fate{}, open: map[userKey]bool{},
		sessions: maps.Clone(st.talk.sessions), jobs: maps.Clone(st.talk.jobs), answers: maps.Clone(st.answers),
	}
	for key, r := range st.receipts {
		if r.open {
			p.open[key] = true
		}
	}
	for id, i := range st.index {
		if r := st.records[i]; r.fate != nil && (r.isPurged() || r.due(horizon) || erase && r.isErased()) {
			p.gone[id] = r.fate
		}
	}
	return p
}

// purge returns entries as they are to be from now on. Entries that lose nothing
// are the same values.
func (p *purger) purge(ctx context.Context, entries []entry) ([]entry, error) {
	ops := make([]operation, len(entries))
	p.merge = newMerger()
	for i, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		op, err := parse(e.value)
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", e.seq, err)
		}
		ops[i] = op
		p.merge.see(&op, i)
	}
	return p.edit(ctx, entries, ops)
}

// edit goes from the oldest operation to the newest, so that the reinforcements of
// all are gathered when it comes to the last that has any.
func (p *purger) edit(ctx context.Context, entries []entry, ops []operation) ([]entry, error) {
	kept := make([]entry, 0, len(entries))
	for i, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		edited, empty, err := p.editOne(e, &ops[i], i)
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", e.seq, err)
		}
		newest := i == len(entries)-1
		if newest || !empty {
			kept = append(kept, edited)
		}
	}
	return kept, nil
}

// editOne returns e without what is to go, and whether nothing is left of it.
func (p *purger) editOne(e entry, op *operation, place int) (entry, bool, error) {
	merges := p.merge != nil && len(op.reinforce)+len(op.again) > 0 && p.merge.merges(op.user)
	// A copy is not written anew for the sake of keys or of what was announced.
	tidy := p.merge != nil && (slices.ContainsFunc(op.answers, answerPart.isClear) || p.announced(op))
	if !merges && !tidy && !p.concerns(op) {
		return e, op.isEmpty(), nil
	}
	head, records, err := decodeLines(e.value)
	if err != nil {
		return entry{}, false, err
	}
	p.strip(&head, records)
	if merges {
		if err := p.merge.take(&head); err != nil {
			return entry{}, false, err
		}
		if place == p.merge.last[op.user] {
			head.Again = p.merge.lines(op.user)
		}
	}
	value, err := encodeLines(opKey(e.seq), head, records)
	if err != nil {
		return entry{}, false, fmt.Errorf("encode: %w", err)
	}
	left, err := parse(value)
	return entry{e.seq, value}, left.isEmpty(), err
}

// one returns a single operation without what is to go, and whether nothing is left
// of it. Nothing is merged.
func (p *purger) one(e entry) (entry, bool, error) {
	op, err := parse(e.value)
	if err != nil {
		return entry{}, false, err
	}
	return p.editOne(e, &op, 0)
}

// announced reports whether op announces what has all come.
func (p *purger) announced(op *operation) bool {
	return op.ahead && !p.open[userKey{op.user, op.receipt}]
}

// isGone reports whether nothing is to be left of the record's content.
func (p *purger) isGone(id string) bool { return p.gone[id] != nil }

// concerns reports whether op may hold what is to go.
func (p *purger) concerns(op *operation) bool {
	of := func(part part) bool { return p.isGone(part.id) }
	return slices.ContainsFunc(op.puts, func(r put) bool { return !r.purged && p.isGone(r.id) }) ||
		slices.ContainsFunc(op.reinforce, of) || slices.ContainsFunc(op.again, of) || slices.ContainsFunc(op.forget, of) ||
		slices.ContainsFunc(op.answers, func(a answerPart) bool { return p.answerGone(op.user, a.key, a.brief, op.at) }) ||
		p.talkConcerns(op)
}

// answerGone reports whether an answer was replaced or has expired.
func (p *purger) answerGone(user, key string, brief bool, at time.Time) bool {
	kept, known := p.answers[userKey{user, answerKey(p.key, key, brief)}]
	return !known || at.Before(kept.at) || !kept.at.After(p.horizon) || kept.brief && !kept.at.After(p.brief)
}

// strip edits an operation in place.
func (p *purger) strip(op *headLine, records []recordLine) {
	for i := range records {
		if f := p.gone[records[i].ID]; f != nil {
			records[i] = recordLine{Purged: true, Record: remains(records[i].Record, f.tombstone)}
		}
	}
	for i, r := range op.Reinforce {
		if p.isGone(r.ID) {
			op.Reinforce[i].Source, op.Reinforce[i].Tags = storage.Source{}, nil
		}
	}
	for i, a := range op.Again {
		if p.isGone(a.ID) {
			op.Again[i].Source, op.Again[i].Tags = storage.Source{}, nil
		}
	}
	if op.Forget != nil && slices.ContainsFunc(op.Forget.Records, func(t storage.Tombstone) bool { return p.isGone(t.ID) }) {
		op.Forget.Reason = ""
	}
	if op.Forget != nil && op.Forget.Ahead != nil && !p.open[userKey{op.User, op.Forget.Receipt}] {
		op.Forget.Ahead = nil
	}
	if op.Answer != nil && p.answerGone(op.User, op.Answer.Key, op.Answer.Brief, op.At) {
		op.Answer = nil
	}
	op.Answers = slices.DeleteFunc(op.Answers, func(a storage.Answer) bool { return p.answerGone(op.User, a.Key, a.Brief, op.At) })
	op.Op = hideKeys(p.key, op.Op)
	p.stripTalk(&op.Op)
}

// remains is what a purged record keeps: what the order of its slot needs.
func remains(r storage.Record, tombstone string) storage.Record {
	kept := storage.Record{
		ID: r.ID, User: r.User, Project: r.Project,
		Layer: r.Layer, Tier: r.Tier,
		ObservedAt: r.ObservedAt, ValidFrom: r.ValidFrom, ValidTo: r.ValidTo, RecordedAt: r.RecordedAt,
		Confidence: r.Confidence, Trust: r.Trust, Beside: r.Beside,
	}
	if r.Entity == ownEntity {
		kept.Entity = ownEntity
	}
	var t storage.Tombstone
	if json.Unmarshal([]byte(tombstone), &t) == nil && t.ProjectHash != "" {
		kept.Project = ""
	}
	return kept
}
