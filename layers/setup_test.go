package layers_test

import (
	"slices"
	"strings"
	"testing"

	"mcp-memory/layers"
	"mcp-memory/layers/slot"
	"mcp-memory/storage"
)

// The questions name attributes as the table of slots does, so that an answer and a
// sentence about the same meet in one slot.
func TestSetupQuestions_NameCanonicalAttributes(t *testing.T) {
	keys := map[string]bool{}
	for _, q := range layers.SetupQuestions() {
		if q.Key == "" || q.Ask == "" || keys[q.Key] {
			t.Errorf("%+v: a key and a question of its own are wanted", q)
		}
		keys[q.Key] = true
		if q.Attribute == "" {
			continue
		}
		if a := slot.Canonical(q.Attribute); a.Name != q.Attribute || a.Multi != q.Many {
			t.Errorf("%s is the attribute %+v, want %q, many %v", q.Key, a, q.Attribute, q.Many)
		}
	}
}

// An answer is a standing statement: said again it reinforces, another one of a
// question with one answer supersedes, and what the user says later does too.
func TestSetupQuestions_AnswersAreStatements(t *testing.T) {
	h := open(t)
	for _, q := range layers.SetupQuestions() {
		first := h.say(q.Memorandum("I prefer linen."))
		if first.Status != layers.StatusStored || first.Tier != string(storage.Semantic) || first.Layer != string(q.Layer) {
			t.Errorf("%s: %+v", q.Key, first)
		}
		if q.Attribute != "" && (first.Entity != "user" || first.Attribute != q.Attribute) {
			t.Errorf("%s is about %s · %s", q.Key, first.Entity, first.Attribute)
		}
		if again := h.say(q.Memorandum("I prefer linen.")); again.Status != layers.StatusReinforced || again.ID != first.ID {
			t.Errorf("%s again: %s", q.Key, again.Status)
		}
		if q.Attribute == "" {
			continue
		}
		other := h.say(q.Memorandum("wool"))
		if got := len(other.Supersedes); got != map[bool]int{true: 0, false: 1}[q.Many] {
			t.Errorf("%s: another answer supersedes %d", q.Key, got)
		}
	}
	home := h.recalled(layers.RecallInput{Entity: "user", Attribute: "home city"}).Matches
	if moved := h.say(layers.Memorandum{Text: "I moved to Utrecht."}); len(home) != 1 || !slices.Contains(moved.Supersedes, home[0].ID) {
		t.Errorf("a sentence supersedes %v, want %v", moved.Supersedes, home)
	}
}

func TestSetupQuestion_Split(t *testing.T) {
	byKey := map[string]layers.SetupQuestion{}
	for _, q := range layers.SetupQuestions() {
		byKey[q.Key] = q
	}
	for _, tc := range []struct{ key, answer, want string }{
		{"languages", " German, 中文、English ;French", "German|中文|English|French"},
		{"goals", "run, swim and cycle", "run, swim and cycle"},
		{"name", "Ada, Countess of Lovelace", "Ada, Countess of Lovelace"},
		{"languages", " , ", ""},
	} {
		q := byKey[tc.key]
		if got := strings.Join(q.Split(tc.answer), "|"); got != tc.want {
			t.Errorf("%s %q: %q, want %q", tc.key, tc.answer, got, tc.want)
		}
	}
}
