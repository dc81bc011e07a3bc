package layers_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"mcp-memory/layers"
)

// The rows of the table "Undo and forget" in the design.
func TestUndoAndForget_ByState(t *testing.T) {
	const jan, feb, mar = "2024-01-05T09:00:00Z", "2024-02-05T09:00:00Z", "2024-03-05T09:00:00Z"

	t.Run("undo of what superseded withdraws it and its predecessor holds again", func(t *testing.T) {
		h := open(t)
		a, b := h.say(slotted("gym", "Ironhall", jan)), h.say(slotted("gym", "Steelbarn", feb))
		want(t, "supersedes", b.Supersedes, a.ID)
		h.forget(true, b.ID)
		want(t, "current", h.slot("gym"), a.ID)
		h.restart()
		want(t, "current after restart", h.slot("gym"), a.ID)
		if out := h.forget(true, b.ID); out.Restored != 0 {
			t.Errorf("undo again restored %d, want 0", out.Restored)
		}
		want(t, "current after undo again", h.slot("gym"), a.ID)
		want(t, "withdrawn by ids", h.ask(layers.RecallInput{IDs: []string{b.ID}}), b.ID)
	})
	t.Run("undo of what superseded something that is not current any more", func(t *testing.T) {
		h := open(t)
		a, b, c := h.say(slotted("gym", "A", jan)), h.say(slotted("gym", "B", feb)), h.say(slotted("gym", "C", mar))
		h.forget(true, b.ID)
		want(t, "current", h.slot("gym"), c.ID)
		want(t, "between", h.ask(layers.RecallInput{Entity: "user", Attribute: "gym", AsOf: "2024-02-20"}), a.ID)
	})
	t.Run("undo of what superseded nothing is an error", func(t *testing.T) {
		h := open(t)
		a := h.say(slotted("gym", "Ironhall", jan))
		_, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{a.ID}, Undo: true})
		if bad := (*layers.InvalidError)(nil); !errors.As(err, &bad) {
			t.Fatalf("undo: got %v, want an InvalidError", err)
		}
		want(t, "current", h.slot("gym"), a.ID)
	})
	t.Run("a forgotten head keeps its place and comes back within 30 days", func(t *testing.T) {
		h := open(t)
		a, b := h.say(slotted("gym", "A", jan)), h.say(slotted("gym", "B", feb))
		h.forget(false, b.ID)
		want(t, "current", h.slot("gym"))
		if out := h.forget(false, b.ID); out.Forgotten != 0 {
			t.Errorf("forget again took %d, want 0", out.Forgotten)
		}
		h.pass(29 * 24 * time.Hour)
		h.forget(true, b.ID)
		want(t, "current after undo", h.slot("gym"), b.ID)
		want(t, "history is as before", h.ask(layers.RecallInput{Entity: "user", Attribute: "gym", IncludeSuperseded: true}), a.ID, b.ID)
	})
	t.Run("after 30 days it is gone", func(t *testing.T) {
		h := open(t)
		a := h.say(slotted("gym", "A", jan))
		h.forget(false, a.ID)
		h.pass(31 * 24 * time.Hour)
		h.restart()
		if _, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{a.ID}, Undo: true}); err == nil {
			t.Fatal("undo after 31 days succeeded, want an error")
		}
		late := h.say(slotted("gym", "Z", "2023-01-01T00:00:00Z"))
		want(t, "the purged tombstone still keeps its place", h.slot("gym"))
		if late.Status != layers.StatusHistory {
			t.Errorf("late arrival: status %s, want history", late.Status)
		}
	})
	t.Run("a withdrawn record that is forgotten comes back withdrawn", func(t *testing.T) {
		h := open(t)
		a, b := h.say(slotted("gym", "A", jan)), h.say(slotted("gym", "B", feb))
		h.forget(true, b.ID)
		h.forget(false, b.ID)
		want(t, "forgotten", h.ask(layers.RecallInput{IDs: []string{b.ID}}))
		h.forget(true, b.ID)
		want(t, "current", h.slot("gym"), a.ID)
		want(t, "withdrawn", h.ask(layers.RecallInput{IDs: []string{b.ID}}), b.ID)
	})
	t.Run("said again after an undo is a new record", func(t *testing.T) {
		h := open(t)
		h.say(slotted("gym", "A", jan))
		b := h.say(slotted("gym", "B", feb))
		h.forget(true, b.ID)
		again := h.say(slotted("gym", "B", feb))
		if again.ID == b.ID || again.Status != layers.StatusStored {
			t.Fatalf("got %s %s, want a new record stored", again.Status, again.ID)
		}
		want(t, "current", h.slot("gym"), again.ID)
	})
	t.Run("a receipt undoes all that it took", func(t *testing.T) {
		h := open(t)
		a, b := h.say(layers.Memorandum{Text: "The kiln is hot."}), h.say(layers.Memorandum{Text: "The lathe is idle."})
		out := h.forget(false, a.ID, b.ID)
		if !out.Receipt.Verified || out.Forgotten != 2 {
			t.Fatalf("forget: %+v", out)
		}
		h.forget(true, out.Receipt.ID)
		want(t, "all", h.ask(layers.RecallInput{}), a.ID, b.ID)
		if again := h.forget(true, out.Receipt.ID); again.Restored != 0 {
			t.Errorf("undo again restored %d", again.Restored)
		}
	})
}

func TestUndo_NoneOfManyObjects(t *testing.T) {
	h := open(t)
	a, b := h.say(slotted("pets", "a dog", "2024-01-05")), h.say(slotted("pets", "a cat", "2024-01-06"))
	none := h.say(slotted("pets", "none", "2024-02-05"))
	want(t, "supersedes", none.Supersedes, a.ID, b.ID)
	want(t, "current", h.slot("pets"), none.ID)
	h.forget(true, none.ID)
	want(t, "after undo", h.slot("pets"), a.ID, b.ID)
}

// A receipt of many is one sentence of an answer, and as many ids as one likes may be
// given at once.
func TestUndo_OfManySaysHowMany(t *testing.T) {
	h := open(t)
	var ids []string
	for i := range 120 {
		ids = append(ids, h.say(layers.Memorandum{Text: fmt.Sprintf("Crate %d stands in the yard.", i)}).ID)
	}
	gone := h.forget(false, ids...)
	if gone.Forgotten != len(ids) {
		t.Fatalf("forgot %d, want %d", gone.Forgotten, len(ids))
	}
	back := h.forget(true, gone.Receipt.ID)
	if want := "120 are as they were before they were forgotten"; back.Restored != len(ids) || back.Note != want {
		t.Errorf("restored %d, note %q; want %q", back.Restored, back.Note, want)
	}
	again := h.forget(true, gone.Receipt.ID)
	if want := "what receipt " + gone.Receipt.ID + " took was brought back before; nothing was changed"; again.Note != want {
		t.Errorf("again: %q, want %q", again.Note, want)
	}
}
