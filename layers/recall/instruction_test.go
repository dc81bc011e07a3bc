package recall

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-memory/internal/text"
)

// TestOrders_HoldACue draws texts that match each pattern: none may be left
// unseen because it holds no cue.
func TestOrders_HoldACue(t *testing.T) {
	for _, o := range orders {
		texts := rapid.StringMatching(o.pattern.String())
		rapid.Check(t, func(t *rapid.T) {
			s := texts.Draw(t, "text")
			if !o.mayBe(strings.ToLower(strings.ToUpper(s))) {
				t.Fatalf("%q matches %s and holds none of %q", s, o.pattern, o.cues)
			}
		})
		for _, cue := range o.cues {
			if cue != strings.ToLower(strings.ToUpper(cue)) || cue != text.Simplified(cue) {
				t.Errorf("the cue %q is not in small letters and simplified characters", cue)
			}
		}
	}
}

func BenchmarkInstructionLike(b *testing.B) {
	for b.Loop() {
		if InstructionLike("Yesterday we looked at the new flat near the river, and Caroline said that she would rather have the one with the balcony.") {
			b.Fatal("that is no order")
		}
	}
}
