package structure_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/layers/structure"
)

// flat is a text without what a value may leave out between its words.
func flat(s string) string { return strings.Join(strings.Fields(s), "") }

func FuzzParse_StaysWithinTheText(f *testing.F) {
	files, err := filepath.Glob("testdata/sentences/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		n := 0
		for text := range sentences(f, file) {
			if n++; n%7 == 0 {
				f.Add(text, "")
			}
		}
	}
	f.Add("I live in Ghent\u00a0.\u200d", "Ana")
	f.Add("我　住在「厦门」。", "I")
	f.Add("I live in Bonn, no wait, Köln, no, actually Aachen.", "")
	f.Add("我的生日是三月三号，不对，是四号。", "")
	f.Add("私は東京、いや、大阪に住んでいます。", "")
	f.Fuzz(func(t *testing.T, text, speaker string) {
		in := structure.Input{Text: text, ObservedAt: observed, Speaker: speaker}
		got, ok := structure.Parse(in)
		again, okAgain := structure.Parse(in)
		if diff := cmp.Diff(got, again); ok != okAgain || diff != "" {
			t.Fatalf("read twice: %v, %v\n%s", ok, okAgain, diff)
		}
		if !ok {
			if diff := cmp.Diff(structure.Statement{}, got); diff != "" {
				t.Fatalf("abstained with\n%s", diff)
			}
			return
		}
		whole := text
		if amended, ok := structure.Amended(text); ok {
			whole = amended
		}
		fixed := map[string]bool{"": true, "none": true, "separated": true, "恐高": true}
		for name, value := range map[string]string{"value": got.Value, "object": got.Object, "reason": got.Reason} {
			if !fixed[value] && !strings.Contains(flat(text), flat(value)) && !strings.Contains(flat(whole), flat(value)) {
				t.Errorf("%s %q is not in %q", name, value, text)
			}
		}
		if got.Entity == "" || got.Rule == "" || got.Layer == "" || got.Attribute == "" && got.StartsAt.IsZero() && got.Value == "" {
			t.Errorf("%q gives nothing: %+v", text, got)
		}
	})
}
