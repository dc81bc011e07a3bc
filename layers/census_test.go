package layers_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcp-memory/layers"
	"mcp-memory/storage"
)

// TestMemory_CountsAndOrdersWhatAPassOverAllWould after random operations: statements
// that end, that begin later, that say there is none, that end others or stand beside
// them, with a clock that goes on and back.
func TestMemory_CountsAndOrdersWhatAPassOverAllWould(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := openQuick(t)
		defer h.stop()
		var ids []string
		pick := func(what string, of ...string) string { return rapid.SampledFrom(of).Draw(rt, what) }
		day := func(what string) string {
			if n := rapid.IntRange(-40, 40).Draw(rt, what); n < 20 {
				return h.clock.Now().AddDate(0, 0, n).Format(time.RFC3339)
			}
			return ""
		}
		for i := range 120 {
			switch n := rapid.IntRange(0, 19).Draw(rt, "operation"); {
			case n < 9:
				in := layers.Memorandum{
					Text: fmt.Sprintf("Statement %d.", i), Layer: storage.Layer(pick("layer", "fact", "identity", "preference")), Tags: []string{pick("tag", "a", "b")},
					ValidFrom: day("from"), Entity: pick("entity", "user", "Ann"), Attribute: pick("attribute", "friends", "gym", "preferred drink"), Value: pick("value", "Bo", "Cy", "tea", "none"),
				}
				if pick("slot", "yes", "yes", "no") == "no" {
					in.Entity, in.Attribute, in.Value = "", "", ""
				}
				out, err := h.Remember(t.Context(), user, layers.RememberInput{Memories: []layers.Memorandum{in}, OnConflict: pick("conflict", "supersede", "supersede", "keep_both")})
				if err == nil {
					ids = append(ids, out.Memories[0].ID)
				}
			case n < 11:
				_, _ = h.Remember(t.Context(), user, layers.RememberInput{Memories: []layers.Memorandum{{Text: pick("sentence", "I prefer tea now.", "I don't like coffee any more.", "I moved to Oslo.")}}})
			case n < 15 && len(ids) > 0:
				in := layers.ForgetInput{IDs: []string{pick("id", ids...)}, Undo: pick("undo", "yes", "no") == "yes", Mode: pick("mode", "soft", "soft", "erase")}
				if in.Undo {
					in.Mode = ""
				}
				_, _ = h.Forget(t.Context(), user, in) // some are refused
			case n < 18:
				h.pass(time.Duration(rapid.IntRange(-5, 30).Draw(rt, "days")) * 24 * time.Hour)
			case n < 19:
				h.restart()
			}
			if differs := h.CheckDerived(user); len(differs) > 0 {
				rt.Fatalf("after operation %d these differ from a pass over all records: %v", i, differs)
			}
		}
		h.pages(rt)
	})
}

// pages reads all that an opening recall gives, page by page: the first is gathered
// another way than those after it.
func (h *home) pages(rt *rapid.T) {
	limit, seen := 7, map[string]bool{}
	in := layers.RecallInput{Limit: &limit}
	for {
		out, err := h.Recall(h.t.Context(), user, in)
		if err != nil {
			rt.Fatal(err)
		}
		for _, m := range out.Matches {
			if seen[m.ID] {
				rt.Fatalf("%s comes twice", m.ID)
			}
			seen[m.ID] = true
		}
		if current := h.stats().Current; out.Candidates != current || out.BelowThreshold != 0 || (out.NextCursor == "" && len(seen) != current) {
			rt.Fatalf("%d candidates, %d below; %d shown of %d", out.Candidates, out.BelowThreshold, len(seen), current)
		}
		if in.Cursor = out.NextCursor; in.Cursor == "" {
			return
		}
	}
}
