package layers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcp-memory/layers/redact"
	"mcp-memory/layers/structure"
	"mcp-memory/storage"
)

// shownText is how much of a text remember's answer repeats, in bytes.
const shownText = 256

// Remember stores memories. All of a call become durable together or none does;
// the answers come in the order of the input. Errors: *InvalidError for what the
// caller must change, else the store's.
func (m *Memory) Remember(ctx context.Context, user string, in RememberInput) (RememberOutput, error) {
	if err := in.check(); err != nil {
		return RememberOutput{}, err
	}
	m.write.Lock()
	defer m.write.Unlock()
	hash, err := in.hash()
	if err != nil {
		return RememberOutput{}, err
	}
	if out, known, err := m.answered(ctx, user, in, hash); known || err != nil {
		return out, err
	}
	drafts, err := m.drafts(user, in)
	if err != nil {
		return RememberOutput{}, err
	}
	out, op := m.plan(user, drafts, in.OnConflict)
	if op.Answer, err = in.answer(m.callHash(hash), out, op.At); err != nil {
		return RememberOutput{}, err
	}
	if len(op.Put)+len(op.Reinforce)+len(op.Hear) == 0 && in.IdempotencyKey == "" {
		return out, nil
	}
	if err := m.apply(ctx, op); err != nil {
		return RememberOutput{}, fmt.Errorf("store memories: %w", err)
	}
	m.log.Info("remembered", "memories", len(drafts), "stored", len(op.Put), "reinforced", len(op.Reinforce))
	return out, nil
}

// check validates what concerns the call as a whole.
func (in *RememberInput) check() error {
	switch {
	case len(in.Memories) == 0:
		return invalid("text", "is missing; give text, or memories[] with a text each")
	case len(in.Memories) > maxBatch:
		return invalid("memories", "there are %d; the limit of one call is %d", len(in.Memories), maxBatch)
	}
	v := &validator{}
	v.oneOf("on_conflict", in.OnConflict, []string{OnConflictSupersede, OnConflictKeepBoth, OnConflictReject}, OnConflictSupersede)
	v.str("idempotency_key", in.IdempotencyKey, maxField)
	if _, kinds := redact.Redact(in.IdempotencyKey); len(kinds) > 0 { // it is stored, and cannot be changed
		v.fail("idempotency_key", "looks like a secret (%s); use another", strings.Join(kinds, ", "))
	}
	return v.err
}

// hash tells calls with the same key apart by their content.
func (in RememberInput) hash() (string, error) {
	in.IdempotencyKey, in.Call = "", Call{}
	b, err := marshal(in)
	if err != nil {
		return "", invalid("detail", "is not valid JSON; give an object")
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// keyedCall begins the hashes of calls that are keyed. Those of older stores are
// not: they tell a guess from what was said.
const keyedCall = "k1:"

// callHash is what a call's hash is kept as.
func (m *Memory) callHash(hash string) string { return keyedCall + m.opts.Store.Hash("call", hash) }

// answered returns what the call, or one with its key, was answered before. The
// caller holds write, so that of two at once one waits for the other's answer.
func (m *Memory) answered(ctx context.Context, user string, in RememberInput, hash string) (out RememberOutput, known bool, err error) {
	if known, err = m.repeated(ctx, user, in.Call, &out); known || err != nil || in.IdempotencyKey == "" {
		return out, known, err
	}
	a, err := m.opts.Store.Answer(ctx, user, in.IdempotencyKey)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return out, false, nil
	case err != nil:
		return out, false, fmt.Errorf("look up the idempotency key: %w", err)
	case a.Hash != hash && a.Hash != m.callHash(hash):
		return out, false, invalid("idempotency_key", "was used for another content; a key stands for one call, use a new one")
	}
	var body keyedAnswer
	if err := json.Unmarshal(a.Body, &body); err != nil {
		return out, false, fmt.Errorf("read the answer to the idempotency key: %w", err)
	}
	out = body.RememberOutput
	if body.Call != "" && body.Call == in.Call.ID {
		return out, true, nil
	}
	for i := range out.Memories {
		if out.Memories[i].Status == StatusRejected { // it was not stored then either
			continue
		}
		out.Memories[i].Status = StatusDuplicate
		out.Memories[i].Note = "this idempotency key was answered before; nothing was stored again"
	}
	return out, true, nil
}

// keyedAnswer is what is kept for an idempotency key.
type keyedAnswer struct {
	RememberOutput
	Call string `json:"call,omitempty"` // that was answered so
}

// answer is what is kept of the call's answer: for its key, else for itself.
func (in *RememberInput) answer(hash string, out RememberOutput, at time.Time) (*storage.Answer, error) {
	if in.IdempotencyKey == "" {
		return in.Call.kept(out, at)
	}
	body, err := marshal(keyedAnswer{out, in.Call.ID})
	if err != nil {
		return nil, fmt.Errorf("keep the answer: %w", err)
	}
	return &storage.Answer{Key: in.IdempotencyKey, Hash: hash, Body: body, At: at}, nil
}

// draft is a record before it is decided, and what is said of it beside.
type draft struct {
	record   storage.Record
	redacted []string             // kinds of secrets that were taken out
	former   []structure.Former   // statements that it ends by name
	changed  *structure.Statement // what takes the place of something that only what is known tells
	note     string
	again    bool // its source may go back to what it said before: a document does
}

// drafts validates all memories, cleans and understands them, and gives them ids
// and times. One bad memory refuses them all.
func (m *Memory) drafts(user string, in RememberInput) ([]draft, error) {
	now, at := m.now(), m.nextRecorded()
	out := make([]draft, 0, len(in.Memories))
	for i := range in.Memories {
		prefix := ""
		if in.Batch {
			prefix = fmt.Sprintf("memories[%d].", i)
		}
		d, err := m.draftOne(in.Memories[i], prefix, user, now, at)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
		at = at.Add(time.Microsecond)
	}
	return out, nil
}

// draftOne drafts a memory that is recorded at a time. Limits hold for what was
// given; redaction comes right after and before anything else looks at it.
func (m *Memory) draftOne(in Memorandum, prefix, user string, now, at time.Time) (d draft, err error) {
	if d.record, err = m.draft(&in, prefix, now); err != nil {
		return d, err
	}
	if d.redacted = clean(&in); len(d.redacted) > 0 {
		if d.record, err = m.draft(&in, prefix, now); err != nil {
			return d, err
		}
	}
	r := &d.record
	if r.ID, err = m.newID(at); err != nil {
		return d, err
	}
	r.User, r.RecordedAt = user, at
	if r.ObservedAt.IsZero() {
		r.ObservedAt = at
	}
	m.understand(&d, &in, now)
	return d, nil
}

// plan decides every draft and returns the answers and the operation.
func (m *Memory) plan(user string, drafts []draft, onConflict string) (RememberOutput, storage.Op) {
	out := RememberOutput{Memories: make([]Remembered, 0, len(drafts))}
	var op storage.Op
	at := drafts[len(drafts)-1].record.RecordedAt
	_ = m.read(user, func(sp *space) error {
		p := newPlan(sp, user, later(m.now(), at))
		for i := range drafts {
			o := outcome{id: drafts[i].record.ID, status: StatusStored, note: workingNote}
			if drafts[i].record.Tier == storage.Working {
				m.noteDown(&p.op, &drafts[i].record)
			} else {
				o = p.add(&drafts[i], onConflict)
			}
			out.Memories = append(out.Memories, remembered(&drafts[i], o))
		}
		op = p.op
		return nil
	})
	op.At = at
	return out, op
}

// remembered is the answer for one draft.
func remembered(d *draft, o outcome) Remembered {
	if o.supersedes == nil {
		o.supersedes = []string{}
	}
	if d.redacted == nil {
		d.redacted = []string{}
	}
	r := &d.record
	return Remembered{
		ID: o.id, Status: o.status, Text: cut(r.Text, shownText),
		Layer: string(r.Layer), Tier: string(r.Tier), Entity: r.Entity, Attribute: r.Attribute, Value: r.Value,
		Supersedes: o.supersedes, Redacted: d.redacted, Note: joinNotes(d.note, o.note),
	}
}

func joinNotes(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), "; ")
}
