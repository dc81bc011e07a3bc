package layers_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcp-memory/layers"
)

// drawSaid draws a statement as clients make them: values of a kind, none of what
// holds many, kept beside, with any bounds, or a bare sentence that ends others.
func drawSaid(t *rapid.T, now time.Time) (layers.Memorandum, string) {
	if rapid.IntRange(0, 5).Draw(t, "bare") == 0 {
		return layers.Memorandum{Text: rapid.SampledFrom([]string{
			"I prefer tea now.", "I like tea too.", "I no longer like jazz. Now I like folk.", "I don't like coffee any more.",
		}).Draw(t, "text")}, ""
	}
	attribute := rapid.SampledFrom([]string{"mood", "favourite drink", "likes", "dislikes"}).Draw(t, "attribute")
	m := slotted(attribute, rapid.SampledFrom([]string{"coffee", "tea", "jazz", "none"}).Draw(t, "value"), "")
	day := func(label string, most int) string {
		return now.AddDate(0, 0, rapid.IntRange(-3, most).Draw(t, label)).Format(time.RFC3339)
	}
	if rapid.IntRange(0, 3).Draw(t, "observed") == 0 {
		m.ObservedAt = day("observed at", 0)
	}
	switch rapid.IntRange(0, 7).Draw(t, "bounds") {
	case 0:
		m.ValidFrom = day("from", 2)
	case 1:
		m.ValidTo = day("to", 2)
	}
	return m, rapid.SampledFrom([]string{"", "", "", layers.OnConflictKeepBoth, layers.OnConflictReject}).Draw(t, "on conflict")
}

// TestMemory_TellsTheSameAfterARestart of slots that grew statement by statement as
// of those that are folded when they are first asked for.
func TestMemory_TellsTheSameAfterARestart(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := openQuick(t)
		defer h.stop()
		told := func() (out string) {
			for _, attribute := range []string{"mood", "favourite drink", "likes", "dislikes"} {
				for _, all := range []bool{false, true} {
					got, err := h.Recall(t.Context(), user, layers.RecallInput{Attribute: attribute, IncludeSuperseded: all, Limit: new(100)})
					if err != nil {
						rt.Fatal(err)
					}
					line, err := json.Marshal(got.Matches)
					if err != nil {
						rt.Fatal(err)
					}
					out += fmt.Sprintf("%s %v: %s\n", attribute, all, line)
				}
			}
			return out
		}
		var ids []string
		for range rapid.IntRange(1, 12).Draw(rt, "operations") {
			switch n := rapid.IntRange(0, 9).Draw(rt, "operation"); {
			case n == 0 && len(ids) > 0:
				_, _ = h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{rapid.SampledFrom(ids).Draw(rt, "id")}, Undo: rapid.Bool().Draw(rt, "undo")})
			case n < 3:
				told()
			default:
				in := layers.RememberInput{}
				for range rapid.IntRange(1, 3).Draw(rt, "at once") {
					var m layers.Memorandum
					m, in.OnConflict = drawSaid(rt, h.clock.Now())
					in.Memories = append(in.Memories, m)
				}
				out, err := h.Remember(t.Context(), user, in)
				if err != nil {
					continue // times that make no sense together
				}
				for _, m := range out.Memories {
					if m.ID != "" {
						ids = append(ids, m.ID)
					}
				}
			}
			h.pass(7 * time.Hour)
		}
		before := told()
		h.restart()
		if after := told(); after != before {
			rt.Fatalf("after a restart:\n%s\nbefore:\n%s", after, before)
		}
	})
}
