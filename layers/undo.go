package layers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcp-memory/layers/slot"
	"mcp-memory/storage"
)

// UndoCall says in notes how a client takes back what has an id: a statement that
// superseded others, or a forget by its receipt.
func UndoCall(id string) string { return "call forget with ids [\"" + id + "\"] and undo true" }

// undo takes back a forget, or a statement that superseded others. Asked again
// it changes nothing. The caller holds write.
func (m *Memory) undo(ctx context.Context, user string, in ForgetInput) (ForgetOutput, error) {
	u := &undoing{op: storage.Op{User: user, At: m.nextRecorded()}}
	var out ForgetOutput
	err := m.read(user, func(sp *space) error {
		for i, id := range in.IDs {
			if err := m.undoOne(ctx, sp, u, user, fmt.Sprintf("ids[%d]", i), strings.TrimSpace(id)); err != nil {
				return err
			}
		}
		var err error
		out, err = sp.forgetAnswer(u.docs)
		return err
	})
	if err != nil {
		return ForgetOutput{}, err
	}
	notes := u.told()
	out.Related, out.Note = []string{}, strings.Join(notes, "; ")
	if out.Restored = len(u.op.Withdraw) + len(u.op.Restore); out.Restored == 0 || in.DryRun {
		out.Note = strings.Join(append(notes, "nothing was changed"), "; ")
		out.Restored = 0
		return out, nil
	}
	if err := m.apply(ctx, u.op); err != nil {
		return ForgetOutput{}, fmt.Errorf("undo: %w", err)
	}
	m.log.Info("undone", "withdrawn", len(u.op.Withdraw), "restored", len(u.op.Restore))
	return out, nil
}

// undoing collects what an undo will do.
type undoing struct {
	op    storage.Op
	docs  []uint32
	done  map[string]bool
	notes []undoNote
}

// undoNote says of ids what became of them.
type undoNote struct {
	ids       []string
	one, many string // after the id, and after the number of them
}

// toldByID is how many ids of one fate an answer's note names.
const toldByID = 3

// say notes the fate of a record or receipt, in the words for one and for many.
func (u *undoing) say(id, one, many string) {
	for i := range u.notes {
		if u.notes[i].one == one {
			u.notes[i].ids = append(u.notes[i].ids, id)
			return
		}
	}
	u.notes = append(u.notes, undoNote{[]string{id}, one, many})
}

// told are the notes as sentences.
func (u *undoing) told() []string {
	var out []string
	for _, n := range u.notes {
		if len(n.ids) > toldByID {
			out = append(out, strconv.Itoa(len(n.ids))+" "+n.many)
			continue
		}
		for _, id := range n.ids {
			out = append(out, id+" "+n.one)
		}
	}
	return out
}

// undoOne decides for an id of a record or of a receipt.
func (m *Memory) undoOne(ctx context.Context, sp *space, u *undoing, user, field, id string) error {
	if n, ok := sp.byID[id]; ok {
		return m.undoRecord(sp, u, field, n)
	}
	ids, err := sp.store.Receipt(ctx, user, id)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return invalid(field, "%s is the id of no record and of no receipt; nothing was changed", quoted(id))
	case err != nil:
		return fmt.Errorf("look up the receipt: %w", err)
	}
	still, gone := 0, 0
	for _, id := range ids {
		n, ok := sp.byID[id]
		if !ok {
			u.say(id, "was lost when a damaged file was salvaged", "were lost when a damaged file was salvaged")
			continue
		}
		if sp.docs[n].erased {
			gone++
			u.say(id, "was erased: it is gone for good", "were erased: they are gone for good")
			continue
		}
		if sp.docs[n].forgotten() {
			still++
			if err := m.undoRecord(sp, u, field, n); err != nil {
				return err
			}
		}
	}
	if gone == len(ids) {
		return invalid(field, "what receipt %s took was erased: it is gone for good and cannot be brought back", quoted(id))
	}
	if still == 0 && gone == 0 {
		u.say("what receipt "+id, "took was brought back before", "receipts: what they took was brought back before")
	}
	return nil
}

// undoRecord decides for a record by its state.
func (m *Memory) undoRecord(sp *space, u *undoing, field string, n uint32) error {
	d := &sp.docs[n]
	if u.done[d.id] {
		return nil
	}
	switch {
	case d.erased:
		return invalid(field, "%s was erased: it is gone for good and cannot be brought back", d.id)
	case d.forgotten() && (expired(d, u.op.At) || d.text == textSum{}):
		return invalid(field, "%s was forgotten more than 30 days ago; it can no longer be brought back", d.id)
	case d.forgotten():
		u.op.Restore = append(u.op.Restore, d.id)
		u.say(d.id, "is as it was before it was forgotten", "are as they were before they were forgotten")
	case d.withdrawnAt != 0:
		u.say(d.id, "is withdrawn already; to bring it back, remember it again", "are withdrawn already; to bring them back, remember them again")
		return nil
	case !sp.superseded(n):
		return invalid(field, "%s superseded nothing and is not forgotten: there is nothing to undo; to take it away, forget it without undo", d.id)
	default:
		u.op.Withdraw = append(u.op.Withdraw, d.id)
		u.say(d.id, "is withdrawn; what it superseded holds its place again", "are withdrawn; what they superseded holds its place again")
	}
	if u.done == nil {
		u.done = map[string]bool{}
	}
	u.done[d.id] = true
	u.docs = append(u.docs, n)
	return nil
}

// superseded reports whether a record took the place of another, in its slot or
// in one where it ends statements.
func (sp *space) superseded(n uint32) bool {
	d := &sp.docs[n]
	if d.slot == nil && len(d.closes) == 0 {
		return false
	}
	if d.slot != nil && len(sp.timeline(d.slot).Displaced(d.id)) > 0 {
		return true
	}
	if sp.contradictsNone(d) {
		return true
	}
	if len(d.closes) == 0 && !d.none {
		return false
	}
	c := sp.closer(n)
	for _, s := range sp.slots {
		if _, hit := c.reaches(s.key, s.kinds, sp.holding(s)); hit && s != d.slot && len(sp.timeline(s).Displaced(d.id)) > 0 {
			return true
		}
	}
	return false
}

// contradictsNone reports whether a record names an object of an attribute of
// which "none" was said before.
func (sp *space) contradictsNone(d *doc) bool {
	if d.slot == nil || d.slot.key.object == "" || d.none {
		return false
	}
	key := d.slot.key
	key.object = noObject + d.value
	s := sp.slots[key]
	return s != nil && slices.ContainsFunc(s.docs, func(n uint32) bool {
		none := &sp.docs[n]
		return none.live() && none.place() <= d.place()
	})
}

// timeline folds a slot by all that is known.
func (sp *space) timeline(s *slotState) *slot.Timeline {
	if v := s.view.Load(); v != nil {
		return v.timeline
	}
	return slot.New(sp.statements(s, 0))
}
