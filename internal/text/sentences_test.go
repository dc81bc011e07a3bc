package text_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/text"
)

func sentences(s string) []string {
	var list []string
	for _, span := range text.Sentences(s) {
		list = append(list, s[span.Start:span.End])
	}
	return list
}

// TestSentences writes the expected borders into the text as |.
func TestSentences(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"plain", "I like tea.| Do you?| Yes!"},
		{"no full stop at the end", "I like tea.| You do too"},
		{"decimals and codes", "It costs 3.5 euros in v1.8 of node.js."},
		{"titles", "Dr. Okafor met Mrs. Lee.| They talked."},
		{"initials", "J. K. Rowling wrote it.| I read it."},
		{"abbreviation inside", "Bring e.g. Apples, pears etc. and so on."},
		{"abbreviation at the end", "We left at 5 p.m.| The train was late."},
		{"abbreviation before a name", "We met at 5 p.m. Monday."},
		{"month", "Born on Jan. 5 in Oslo."},
		{"ellipsis", "Well... maybe.| Or not."},
		{"several marks", "Really?!| No way..."},
		{"quotation", "\"Stop!\" he said.| She did."},
		{"closing quote belongs to it", "He said \"no.\"| Then he left."},
		{"lower-case writer", "i like tea. |i hate coffee."},
		{"Chinese", "我喜欢茶。|你呢？|也喜欢！"},
		{"Chinese quotation", "他说：“好。”|然后走了。"},
		{"Japanese", "お茶が好きです。|あなたは？|「はい。」|そう。"},
		{"Hindi", "मुझे चाय पसंद है।| और तुम?"},
		{"lines", "- buy milk\n|- buy bread"},
		{"wrapped lines", "I moved to Lisbon\nlast spring.| It is warm."},
		{"paragraphs", "Title\n\n|First line.\n|Second"},
		{"numbered list", "1. Buy milk.\n|2. Buy bread."},
		{"a year at the end", "It was 2023.| Then it was over."},
	} {
		t.Run(test.name, func(t *testing.T) {
			var want []string
			for part := range strings.SplitSeq(test.want, "|") {
				want = append(want, strings.TrimSpace(part))
			}
			if diff := cmp.Diff(want, sentences(strings.ReplaceAll(test.want, "|", ""))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzSentences_CoverEverythingVisible(f *testing.F) {
	for _, seed := range []string{"A b. C d.\n\ne", "我。他！", "...", "\xff.\x00 A", "\"a.\" b", "1. x\n2. y", "e.g. A. B"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at := 0
		for _, span := range text.Sentences(s) {
			if span.Start < at || span.End <= span.Start || span.End > len(s) {
				t.Fatalf("Sentences(%q) has %v after %d", s, span, at)
			}
			if strings.TrimSpace(s[at:span.Start]) != "" {
				t.Fatalf("Sentences(%q) leaves out %q", s, s[at:span.Start])
			}
			if got := s[span.Start:span.End]; strings.TrimFunc(got, unicode.IsSpace) != got {
				t.Fatalf("Sentences(%q) has blanks around %q", s, got)
			}
			at = span.End
		}
		if strings.TrimSpace(s[at:]) != "" {
			t.Fatalf("Sentences(%q) leaves out %q", s, s[at:])
		}
	})
}
