package layers_test

import (
	"regexp"
	"slices"
	"testing"

	"mcp-memory/layers"
)

// takenID matches the id that the reason of a drop names.
var takenID = regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}\b`)

// A joke owned to in a later call takes back what an earlier one kept of it, in its
// session or source, and no more; that can be undone.
func TestExtract_TakesBackAJoke(t *testing.T) {
	session := func(s string) layers.ExtractInput {
		return layers.ExtractInput{SourceID: "chat", SessionID: s, Flush: true}
	}
	for name, c := range map[string]struct {
		first, second layers.ExtractInput
		said, jest    string
		gone, stays   string
	}{
		"just before":    {session("a"), session("a"), "I'm a vegetarian.", "Just kidding, I eat meat.", "I'm a vegetarian.", ""},
		"by its name":    {session("a"), session("a"), "I'm allergic to tigers. I live in Leeds.", "Just kidding about the tigers.", "I'm allergic to tigers.", "I live in Leeds."},
		"by what is not": {session("a"), session("a"), "I live in Leeds. I speak Swahili.", "I was joking earlier, I don't speak Swahili.", "I speak Swahili.", "I live in Leeds."},
		"no session":     {layers.ExtractInput{}, layers.ExtractInput{}, "I live in Leeds. I speak Swahili.", "I was joking earlier, I don't speak Swahili.", "I speak Swahili.", "I live in Leeds."},
		"Chinese":        {session("a"), session("a"), "我对老虎过敏。我住在成都。", "刚才说对老虎过敏是开玩笑的。", "我对老虎过敏。", "我住在成都。"},
		"Japanese":       {session("a"), session("a"), "トラアレルギーです。大阪に住んでいます。", "さっきのトラの話は冗談です。", "トラアレルギーです。", "大阪に住んでいます。"},
		"other session":  {session("a"), session("b"), "I live in Leeds. I speak Swahili.", "I was joking earlier, I don't speak Swahili.", "", "I speak Swahili."},
		"of another":     {session("a"), session("a"), "I live in Leeds. I speak Swahili.", "Just kidding about the tiger.", "", "I speak Swahili."},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			c.first.Messages = turns(c.said)
			h.extracts(c.first)
			if c.gone != "" && !slices.Contains(h.texts(), c.gone) {
				t.Fatalf("%q is not remembered: %q", c.gone, h.texts())
			}
			later := turns(c.jest)
			later[0].ID, later[0].Time = "later", "2026-03-09T09:00:00Z"
			c.second.Messages = later
			dry := c.second
			dry.DryRun = true
			h.extracts(dry)
			if c.gone != "" && !slices.Contains(h.texts(), c.gone) {
				t.Fatalf("a dry run took %q back", c.gone)
			}
			out := h.extracts(c.second)
			got := h.texts()
			if slices.Contains(got, c.gone) || c.stays != "" && !slices.Contains(got, c.stays) {
				t.Errorf("got %q, want %q and not %q; dropped %+v", got, c.stays, c.gone, out.Dropped)
			}
			if c.gone != "" {
				h.undoes(out, c.gone)
			}
		})
	}
}

// undoes brings back what an answer's reasons name.
func (h *home) undoes(out layers.ExtractOutput, text string) {
	h.t.Helper()
	for _, d := range out.Dropped {
		id := takenID.FindString(d.Reason)
		if id == "" {
			continue
		}
		if _, err := h.Forget(h.t.Context(), user, layers.ForgetInput{IDs: []string{id}, Undo: true}); err != nil {
			h.t.Fatalf("undo: %v", err)
		}
		if got := h.texts(); !slices.Contains(got, text) {
			h.t.Errorf("after undo %q, want %q", got, text)
		}
		return
	}
	h.t.Errorf("no reason names a record: %+v", out.Dropped)
}

// What a joke took the place of holds it again.
func TestExtract_AJokeGivesItsPlaceBack(t *testing.T) {
	h := open(t)
	for i, said := range []string{"I live in Leeds.", "I live in Timbuktu.", "Just kidding about Timbuktu."} {
		m := turns(said)
		m[0].ID, m[0].Time = said, []string{"2026-03-05T10:00:00Z", "2026-03-06T10:00:00Z", "2026-03-06T10:01:00Z"}[i]
		h.extracts(layers.ExtractInput{SessionID: "s", Flush: true, Messages: m})
	}
	if got := h.texts(); !slices.Contains(got, "I live in Leeds.") || slices.Contains(got, "I live in Timbuktu.") {
		t.Errorf("got %q, want Leeds again", got)
	}
}
