package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-memory/internal/text"
)

func TestPrefix_EndsOnARuneBorder(t *testing.T) {
	const s = "aé从🙂b"
	for n := -1; n <= len(s)+1; n++ {
		got := text.Prefix(s, n)
		if !strings.HasPrefix(s, got) || !utf8.ValidString(got) || len(got) > max(n, 0) || len(got)+utf8.UTFMax <= min(n, len(s)) {
			t.Errorf("Prefix(%d) = %q", n, got)
		}
	}
	if got := text.Prefix("\xff\xbf\xbf", 2); got != "" {
		t.Errorf("of no UTF-8: %q", got)
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 5, "short"},
		{"two words", 4, "two…"},
		{"从下个月起", 7, "从下…"},
		{"x", 0, "…"},
	} {
		if got := text.Shorten(c.in, c.n); got != c.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
