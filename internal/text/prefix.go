package text

import (
	"strings"
	"unicode/utf8"
)

// Prefix returns the longest start of s of at most n bytes that ends on a rune
// border.
func Prefix(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)]
}

// Shorten returns s, or of one over n bytes its start with an ellipsis behind it.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.TrimSpace(Prefix(s, n)) + "…"
}
