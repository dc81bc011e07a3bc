package layers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers/redact"
	"mcp-memory/storage"
)

// Modes of forget.
const (
	ModeSoft  = "soft"
	ModeErase = "erase"
)

// Sizes of forget's answer.
const (
	matchedMost = 50
	matchedText = 200 // bytes
	relatedMost = 50
)

// selection is a checked call of forget.
type selection struct {
	in     ForgetInput
	filter filter
	words  []string // of the query, all of which a record must hold
}

// Forget takes records out of recall. What is named exactly goes at once; a
// wider set is first shown with a token to confirm it. Errors: *InvalidError for
// what the caller must change, else the store's; after an error nothing is
// changed.
func (m *Memory) Forget(ctx context.Context, user string, in ForgetInput) (ForgetOutput, error) {
	in.Reason, _ = redact.Redact(in.Reason)
	sel, err := m.selection(in)
	if err != nil {
		return ForgetOutput{}, err
	}
	m.write.Lock()
	defer m.write.Unlock()
	if out, known, err := m.forgotBefore(ctx, user, in.Call); known || err != nil {
		return out, err
	}
	if in.Undo {
		return m.undo(ctx, user, in)
	}
	var found []uint32
	var out ForgetOutput
	var exact bool
	err = m.read(user, func(sp *space) error {
		if found, err = sp.selected(sel); err != nil {
			return err
		}
		exact = sp.exact(sel, found)
		out, err = sp.forgetAnswer(found)
		return err
	})
	if err != nil {
		return ForgetOutput{}, err
	}
	ids := m.idsOf(user, found)
	switch {
	case len(ids) == 0:
		out.Note = "nothing that is remembered matches; nothing was forgotten"
		return out, nil
	case in.DryRun:
		out.Note = fmt.Sprintf("dry run: %s would be forgotten; nothing was", plural(len(ids), "record"))
		return out, nil
	case in.Confirm != "":
		if err := m.confirms.take(in.Confirm, user, ids, m.now()); err != nil {
			return ForgetOutput{}, err
		}
	case !exact:
		out.Confirm = m.confirms.issue(user, ids, m.now())
		out.Note = fmt.Sprintf("%s would be forgotten; nothing was yet: show them to the user, then call again with the same selectors and this confirm token within 10 minutes", plural(len(ids), "record"))
		return out, nil
	}
	return m.forget(ctx, user, in, found, out)
}

// selection checks the arguments.
func (m *Memory) selection(in ForgetInput) (*selection, error) {
	r := &filterReader{validator{loc: m.opts.Location, now: m.now()}, m.userNames}
	r.oneOf("mode", in.Mode, []string{ModeSoft, ModeErase}, ModeSoft)
	r.field("reason", in.Reason)
	r.str("query", in.Query, maxText)
	s := &selection{in: in, filter: filter{
		layers: r.layers(in.Layers), entity: r.entity(in.Entity), attribute: r.attribute(in.Attribute),
		tags: r.tags(in.Tags), source: r.field("source_id", in.SourceID),
		before: r.micros("before", in.Before), project: r.project(in.Project), alone: true,
	}}
	s.words = text.QueryTerms(in.Query)
	if r.err != nil {
		return nil, r.err
	}
	return s, s.check()
}

// check refuses selectors that do not go together.
func (s *selection) check() error {
	in := &s.in
	none := len(in.IDs) == 0 && len(s.words) == 0 && s.filter.empty()
	switch {
	case in.Mode == ModeErase:
		return invalid("mode", "erase is not available in this version; soft takes records out of every recall at once, and their bytes leave the file after 30 days")
	case len(in.IDs) > maxIDs:
		return invalid("ids", "there are %d; the limit is %d", len(in.IDs), maxIDs)
	case in.Undo && (len(in.IDs) == 0 || len(s.words) > 0 || !s.filter.empty() || in.All || in.Confirm != "" || in.Reason != ""):
		return invalid("undo", "goes with ids alone: those of records, or of the receipt that a forget answered")
	case strings.TrimSpace(in.Query) != "" && len(s.words) == 0:
		return invalid("query", "%s holds no word", quoted(in.Query))
	case s.filter.attribute != "" && s.filter.entity == "":
		return invalid("entity", "is missing beside attribute; say whose it is (\"user\" for the user)")
	case in.All && !none:
		return invalid("all", "stands alone; leave out the other selectors, or leave out all")
	case !in.All && none:
		return invalid("", "forget needs a selector: ids, query, entity (with attribute), tags, source_id, layers, before, project, or all: true")
	}
	return nil
}

// selected returns the records that all selectors match, current or not, in the
// order they were recorded. An unknown id is an error.
func (sp *space) selected(s *selection) ([]uint32, error) {
	only, err := sp.named(s.in.IDs)
	if err != nil {
		return nil, err
	}
	var out []uint32
	for n := range sp.docs {
		d := &sp.docs[n]
		if d.forgotten() || !s.filter.pass(d) || (len(s.in.IDs) > 0 && !only[uint32(n)]) {
			continue
		}
		out = append(out, uint32(n))
	}
	return sp.holdingAll(out, s.words), nil
}

// named maps ids to records. Unknown ids are refused, forgotten ones are known.
func (sp *space) named(ids []string) (map[uint32]bool, error) {
	out := map[uint32]bool{}
	for i, id := range ids {
		n, ok := sp.byID[strings.TrimSpace(id)]
		if !ok {
			return nil, invalid(fmt.Sprintf("ids[%d]", i), "%s is no record's id; nothing was changed", quoted(id))
		}
		out[n] = true
	}
	return out, nil
}

// holdingAll keeps the records that hold every term.
func (sp *space) holdingAll(docs []uint32, terms []string) []uint32 {
	if len(terms) == 0 {
		return docs
	}
	held := map[uint32]int{}
	distinct := map[string]bool{}
	for _, t := range terms {
		if distinct[t] {
			continue
		}
		distinct[t] = true
		for n := range sp.words.Postings(t) {
			held[n]++
		}
	}
	return slices.DeleteFunc(docs, func(n uint32) bool { return held[n] < len(distinct) })
}

// exact reports whether a selection names what goes so that nobody need be
// asked: ids, or one slot.
func (sp *space) exact(s *selection, found []uint32) bool {
	if len(s.in.IDs) > 0 {
		return true
	}
	if s.filter.entity == "" || s.filter.attribute == "" {
		return false
	}
	for _, n := range found[min(1, len(found)):] {
		if sp.docs[n].slot != sp.docs[found[0]].slot {
			return false
		}
	}
	return true
}

// forgetAnswer describes what would go.
func (sp *space) forgetAnswer(found []uint32) (ForgetOutput, error) {
	out := ForgetOutput{
		Matched: []Forgotten{}, MatchedCount: len(found), Mode: ModeSoft, Related: []string{},
		Receipt: Receipt{Checked: map[string]bool{}},
	}
	for _, n := range found[:min(len(found), matchedMost)] {
		e, err := sp.entry(n)
		if err != nil {
			return out, fmt.Errorf("read a record: %w", err)
		}
		out.Matched = append(out.Matched, Forgotten{ID: e.ID, Text: cut(e.Text, matchedText)})
	}
	out.Related = sp.related(found)
	return out, nil
}

// related returns other records that say the same as those found.
func (sp *space) related(found []uint32) []string {
	going := map[uint32]bool{}
	for _, n := range found {
		going[n] = true
	}
	seen := map[uint32]bool{}
	for _, n := range found {
		d := &sp.docs[n]
		same := slices.Collect(sp.sayingSame(d.text))
		if d.slot != nil {
			for _, o := range d.slot.docs {
				if sp.docs[o].value == d.value && d.value != "" {
					same = append(same, o)
				}
			}
		}
		for _, o := range same {
			if !going[o] && !sp.docs[o].forgotten() {
				seen[o] = true
			}
		}
	}
	out := []string{}
	for n := range seen {
		out = append(out, sp.docs[n].id)
	}
	slices.Sort(out)
	return out[:min(len(out), relatedMost)]
}

func (m *Memory) idsOf(user string, docs []uint32) (ids []string) {
	_ = m.read(user, func(sp *space) error {
		for _, n := range docs {
			ids = append(ids, sp.docs[n].id)
		}
		return nil
	})
	return ids
}

// forget runs a forget that was decided. The caller holds write.
func (m *Memory) forget(ctx context.Context, user string, in ForgetInput, found []uint32, out ForgetOutput) (ForgetOutput, error) {
	at := m.nextRecorded()
	receipt, err := m.newID(at)
	if err != nil {
		return ForgetOutput{}, err
	}
	op := storage.Op{User: user, At: at, Forget: &storage.Forget{Receipt: receipt, Reason: in.Reason}}
	if op.Answer, err = in.Call.kept(receipt, at); err != nil {
		return ForgetOutput{}, err
	}
	err = m.read(user, func(sp *space) error {
		for _, n := range found {
			t, err := sp.tombstone(n)
			if err != nil {
				return err
			}
			op.Forget.Records = append(op.Forget.Records, t)
		}
		return nil
	})
	if err != nil {
		return ForgetOutput{}, err
	}
	if err := m.apply(ctx, op); err != nil {
		return ForgetOutput{}, fmt.Errorf("forget: %w", err)
	}
	m.log.Info("forgot", "records", len(found), "receipt", receipt)
	return m.forgot(ctx, user, receipt, at, found, out)
}

// forgot completes the answer of a forget that is done.
func (m *Memory) forgot(ctx context.Context, user, receipt string, at time.Time, found []uint32, out ForgetOutput) (ForgetOutput, error) {
	out.Forgotten, out.UndoUntil = len(found), formatTime(at.Add(undoWindow))
	out.Note = "undo within 30 days: call forget with ids [\"" + receipt + "\"] and undo true"
	var err error
	out.Receipt, err = m.verify(ctx, user, receipt, found)
	return out, err
}

// tombstone is what is kept of a record once its content is gone.
func (sp *space) tombstone(n uint32) (storage.Tombstone, error) {
	e, err := sp.entry(n)
	if err != nil {
		return storage.Tombstone{}, fmt.Errorf("read a record: %w", err)
	}
	d, hash := &sp.docs[n], sp.store.Hash
	t := storage.Tombstone{ID: d.id, Attribute: d.attribute, None: d.none, Closes: d.closes, TextHash: hash("text", text.Fold(e.Text))}
	switch {
	case d.entity == userEntity:
		t.Entity = userEntity
	case d.entity != "":
		t.EntityHash = hash("entity", d.entity)
	}
	if d.slot != nil && d.slot.key.object != "" {
		t.ObjectHash = hash("object", d.slot.key.object)
	}
	if d.value != "" {
		t.ValueHash = hash("value", d.value)
	}
	if e.Source.ID != "" {
		t.SourceHash = hash("source", e.Source.ID)
	}
	for _, id := range e.Source.MessageIDs {
		t.MessageHash = append(t.MessageHash, hash("message", id))
	}
	return t, nil
}

// verify looks for the forgotten records where recall looks.
func (m *Memory) verify(ctx context.Context, user, receipt string, found []uint32) (Receipt, error) {
	out := Receipt{ID: receipt, Checked: map[string]bool{"store": true, "keyword": true}}
	err := m.read(user, func(sp *space) error {
		for _, n := range found {
			e, err := sp.store.Get(ctx, sp.docs[n].id)
			if err != nil {
				return fmt.Errorf("verify the forget: %w", err)
			}
			if e.ForgottenAt.IsZero() {
				out.Checked["store"] = false
			}
			if sp.words.Length(n) != 0 || !sp.docs[n].forgotten() {
				out.Checked["keyword"] = false
			}
		}
		return nil
	})
	out.Verified = out.Checked["store"] && out.Checked["keyword"]
	return out, err
}

// expired reports whether a forget can no longer be undone.
func expired(d *doc, now time.Time) bool {
	return now.Sub(fromMicros(d.forgottenAt)) > undoWindow
}
