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
	mode   string
	filter filter
	words  []string // of the query, all of which a record must hold
}

// Forget takes records out of recall. What is named exactly goes at once; a
// wider set is first shown with a token to confirm it. An erase answers once no
// file holds the records any more, and was looked through for them. Errors:
// *InvalidError for what the caller must change, else the store's; after an error
// nothing is changed, unless it says otherwise.
func (m *Memory) Forget(ctx context.Context, user string, in ForgetInput) (ForgetOutput, error) {
	in.Reason, _ = redact.Redact(in.Reason)
	sel, err := m.selection(in)
	if err != nil {
		return ForgetOutput{}, err
	}
	out, erase, err := m.decideForget(ctx, user, sel)
	switch {
	case err != nil:
		return out, err
	case erase != nil:
		return m.awaitErase(ctx, erase, out)
	case out.Mode == ModeErase && out.Receipt.ID != "": // the call came before
		return m.awaitReceipt(ctx, user, out)
	}
	return out, nil
}

// decideForget runs a forget, or says what is wanted first. An erase is durable
// then, and still to be carried out.
func (m *Memory) decideForget(ctx context.Context, user string, sel *selection) (ForgetOutput, *erasure, error) {
	in := sel.in
	m.write.Lock()
	defer m.write.Unlock()
	finished, err := m.finishForgets(ctx)
	if err != nil {
		return ForgetOutput{}, nil, err
	}
	if out, known, err := m.forgotBefore(ctx, user, in.Call); known || err != nil {
		return out, nil, err
	}
	if in.Undo {
		out, err := m.undo(ctx, user, in)
		return out, nil, err
	}
	found, out, exact, err := m.preview(user, sel)
	if err != nil {
		return ForgetOutput{}, nil, err
	}
	ids := m.idsOf(user, found)
	nothing := len(ids) == 0 && !(in.All && sel.mode == ModeErase && m.holdsTalk(user))
	switch {
	case nothing && sel.mode == ModeErase && !in.DryRun:
		open, err := m.unfinishedErase(user, sel, finished[user])
		if open != nil {
			out.Receipt.ID, out.Note = open.receipt, "it was forgotten before, nothing more was; "
			return out, nil, err
		}
		fallthrough
	case nothing:
		out.Note = "nothing that is remembered matches; nothing was forgotten"
		if receipts := finished[user]; len(receipts) > 0 {
			out.Note = "nothing more matches: a forget that could not be finished before is done now, receipt " + strings.Join(receipts, ", ")
		}
		return out, nil, nil
	case in.DryRun:
		out.Note = fmt.Sprintf("dry run: %s would be %s; nothing was", plural(len(ids), "record"), sel.verb())
		return out, nil, nil
	case in.Confirm != "":
		if err := m.confirms.take(in.Confirm, user, sel.set(ids), m.now()); err != nil {
			return ForgetOutput{}, nil, err
		}
	case !exact:
		out.Confirm = m.confirms.issue(user, sel.set(ids), m.now())
		out.Note = fmt.Sprintf("%s would be %s; nothing was yet: show them to the user, then call again with the same selectors and this confirm token within 10 minutes", plural(len(ids), "record"), sel.verb())
		return out, nil, nil
	}
	return m.forget(ctx, user, sel, found, out)
}

// preview finds what would go.
func (m *Memory) preview(user string, sel *selection) (found []uint32, out ForgetOutput, exact bool, err error) {
	err = m.read(user, func(sp *space) error {
		if found, err = sp.selected(sel); err != nil {
			return err
		}
		exact = sp.exact(sel, found)
		out, err = sp.forgetAnswer(found)
		for i := range out.Matched {
			if sp.docs[found[i]].forgotten() { // by its id it can go for good; what it said shows nowhere
				out.Matched[i].Text = ""
			}
		}
		return err
	})
	out.Mode = sel.mode
	return found, out, exact, err
}

// verb says what becomes of what is selected.
func (s *selection) verb() string {
	if s.mode == ModeErase {
		return "erased"
	}
	return "forgotten"
}

// set is what a confirm token is good for: a token that was given for a soft forget
// erases nothing.
func (s *selection) set(ids []string) []string {
	return append([]string{s.mode}, ids...)
}

// selection checks the arguments.
func (m *Memory) selection(in ForgetInput) (*selection, error) {
	r := &filterReader{validator{loc: m.opts.Location, now: m.now()}, m.userNames}
	mode := r.oneOf("mode", in.Mode, []string{ModeSoft, ModeErase}, ModeSoft)
	r.field("reason", in.Reason)
	r.str("query", in.Query, maxText)
	s := &selection{in: in, mode: mode, filter: filter{
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

// asked tells the selectors of calls apart; "" where it cannot.
func (s *selection) asked() string {
	in := s.in
	in.Confirm, in.Reason, in.DryRun, in.Call = "", "", false, Call{}
	b, err := marshal(in)
	if err != nil {
		return ""
	}
	return string(b)
}

// wholeSource is the source of which all is selected; "" for none.
func (s *selection) wholeSource() string {
	rest := s.filter
	rest.source = ""
	if len(s.in.IDs) > 0 || len(s.words) > 0 || !rest.empty() {
		return ""
	}
	return s.filter.source
}

// check refuses selectors that do not go together.
func (s *selection) check() error {
	in := &s.in
	none := len(in.IDs) == 0 && len(s.words) == 0 && s.filter.empty()
	switch {
	case len(in.IDs) > maxIDs:
		return invalid("ids", "there are %d; the limit is %d", len(in.IDs), maxIDs)
	case in.Undo && s.mode == ModeErase:
		return invalid("undo", "does not go with mode erase: what is erased is gone for good")
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
// order they were recorded; for an erase also those that were forgotten and have
// their content. An unknown id is an error.
func (sp *space) selected(s *selection) ([]uint32, error) {
	only, err := sp.named(s.in.IDs)
	if err != nil {
		return nil, err
	}
	var out, before []uint32
	for n := range sp.docs {
		d := &sp.docs[n]
		if !s.filter.pass(d) || (len(s.in.IDs) > 0 && !only[uint32(n)]) {
			continue
		}
		switch {
		case !d.forgotten():
			out = append(out, uint32(n))
		case s.mode == ModeErase && d.text != textSum{}:
			before = append(before, uint32(n))
		}
	}
	out = sp.holdingAll(out, s.words)
	before, err = sp.readingAll(before, s.words)
	out = append(out, before...)
	slices.Sort(out)
	return out, err
}

// readingAll is holdingAll for records that no index holds.
func (sp *space) readingAll(docs []uint32, terms []string) (out []uint32, err error) {
	for _, n := range docs {
		e, err := sp.entry(n)
		if err != nil {
			return nil, fmt.Errorf("read a record: %w", err)
		}
		have := indexTerms(&e.Record)
		if !slices.ContainsFunc(terms, func(t string) bool { return !slices.Contains(have, t) }) {
			out = append(out, n)
		}
	}
	return out, nil
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
		Receipt: Receipt{Checked: map[string]bool{}, Unreached: []string{}},
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
func (m *Memory) forget(ctx context.Context, user string, sel *selection, found []uint32, out ForgetOutput) (ForgetOutput, *erasure, error) {
	at := m.nextRecorded()
	receipt, err := m.newID(at)
	if err != nil {
		return ForgetOutput{}, nil, err
	}
	op := storage.Op{User: user, At: at, Forget: &storage.Forget{Receipt: receipt}}
	if op.Answer, err = sel.in.Call.kept(receipt, at); err != nil {
		return ForgetOutput{}, nil, err
	}
	var erase *erasure
	err = m.read(user, func(sp *space) error {
		if sel.mode == ModeErase {
			erase, err = m.eraseIntent(ctx, sp, &op, found, sel)
			return err
		}
		op.Forget.Reason = sel.in.Reason
		return sp.softForget(op.Forget, found)
	})
	if err != nil {
		return ForgetOutput{}, nil, err
	}
	if err := m.applyForget(ctx, op, sel); err != nil {
		return ForgetOutput{}, nil, err
	}
	m.log.Info("forgot", "records", len(found), "receipt", receipt, "mode", sel.mode)
	out.Forgotten, out.Receipt.ID = len(found), receipt
	if erase != nil {
		if sel.in.Reason != "" {
			out.Note = "the reason is not kept: an erase keeps no words; "
		}
		m.erasures.add(m, erase)
		return out, erase, nil
	}
	out, err = m.forgot(ctx, user, receipt, at, found, out)
	return out, nil, err
}

// forgot completes the answer of a soft forget that is done.
func (m *Memory) forgot(ctx context.Context, user, receipt string, at time.Time, found []uint32, out ForgetOutput) (ForgetOutput, error) {
	out.Forgotten, out.UndoUntil = len(found), formatTime(at.Add(undoWindow))
	out.Note = "undo within 30 days: call forget with ids [\"" + receipt + "\"] and undo true"
	var err error
	out.Receipt, err = m.verify(ctx, user, receipt, found)
	return out, err
}

// softForget fills a forget that can be undone.
func (sp *space) softForget(f *storage.Forget, found []uint32) error {
	for _, n := range found {
		t, err := sp.tombstone(n)
		if err != nil {
			return err
		}
		f.Records = append(f.Records, t)
	}
	return nil
}

// awaitErase waits until an erase is carried out, and says how it went.
func (m *Memory) awaitErase(ctx context.Context, e *erasure, out ForgetOutput) (ForgetOutput, error) {
	select {
	case err := <-e.done:
		if err != nil {
			return ForgetOutput{}, &UnfinishedError{Receipt: e.receipt, Err: err}
		}
	case <-ctx.Done(): // it goes on
		return ForgetOutput{}, fmt.Errorf("erase: the records are forgotten, their bytes leave the files (receipt %s): %w", e.receipt, ctx.Err())
	}
	r := &e.result
	out.Receipt = Receipt{ID: e.receipt, Verified: r.Verified, Checked: r.Checked, Unreached: nonNil(r.Unreached)}
	for _, id := range e.related {
		if !slices.Contains(out.Related, id) {
			out.Related = append(out.Related, id)
		}
	}
	slices.Sort(out.Related)
	out.Related = out.Related[:min(len(out.Related), relatedMost)]
	out.Note += eraseNote(r)
	return out, nil
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// GoneNote stands in the note of an erase before the backups that are no longer where
// they were made.
const GoneNote = "a backup that is no longer where it was made is gone, or holds it still if it was moved: "

// eraseNote says in words what a receipt shows.
func eraseNote(r *storage.Erased) string {
	note := "erased, but the search of the files found some of it; see checked"
	switch {
	case r.Verified:
		note = "erased for good; every file was rewritten and looked through: nothing of it is left"
	case len(r.Unreached) > 0:
		note = "erased, but not everywhere; not reached: " + cut(strings.Join(r.Unreached, "; "), 1000)
	}
	if len(r.Gone) > 0 {
		note += "; " + GoneNote + cut(strings.Join(r.Gone, "; "), 500)
	}
	return note
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
	out := Receipt{ID: receipt, Checked: map[string]bool{"store": true, "keyword": true}, Unreached: []string{}}
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
