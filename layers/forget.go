package layers

import (
	"context"
	"fmt"
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
	switch {
	case len(ids) == 0 && !(in.All && sel.mode == ModeErase && m.holdsMore(ctx, user)):
		out, err := m.forgetNothing(user, sel, finished[user], out)
		return out, nil, err
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

// forgetNothing answers a forget that matches nothing: maybe since an erase that is
// not carried out yet took it. finished are the user's forgets that were finished on
// the way.
func (m *Memory) forgetNothing(user string, sel *selection, finished []string, out ForgetOutput) (ForgetOutput, error) {
	if sel.mode == ModeErase && !sel.in.DryRun {
		open, err := m.unfinishedErase(user, sel, finished)
		if err != nil {
			return ForgetOutput{}, err
		}
		if open != nil {
			out.Receipt.ID, out.Note = open.receipt, "it was forgotten before, nothing more was; "
			return out, nil
		}
	}
	out.Note = "nothing that is remembered matches; nothing was forgotten"
	if len(finished) > 0 {
		out.Note = "nothing more matches: a forget that could not be finished before is done now, receipt " + strings.Join(finished, ", ")
	}
	return out, nil
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

// expired reports whether a forget can no longer be undone.
func expired(d *doc, now time.Time) bool {
	return now.Sub(fromMicros(d.forgottenAt)) > undoWindow
}
