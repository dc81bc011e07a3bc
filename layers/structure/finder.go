package structure

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// finder looks for the words of a list in a text, without regard to case. In a
// spaced language, and for Latin words, they stand alone there.
type finder struct {
	byHead map[rune][]string // by the first rune in lower case, longer ones first
	byTail map[rune][]string // by the last
}

func newFinder(words []string) *finder {
	f := &finder{byHead: map[rune][]string{}, byTail: map[rune][]string{}}
	for _, w := range slices.SortedFunc(slices.Values(words), longerFirst) {
		head, _ := utf8.DecodeRuneInString(w)
		tail, _ := utf8.DecodeLastRuneInString(w)
		f.byHead[unicode.ToLower(head)] = append(f.byHead[unicode.ToLower(head)], w)
		f.byTail[unicode.ToLower(tail)] = append(f.byTail[unicode.ToLower(tail)], w)
	}
	return f
}

func longerFirst(a, b string) int {
	return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
}

// prefix returns the length of the longest word that s begins with, 0 if there
// is none.
func (f *finder) prefix(s string) int {
	head, _ := utf8.DecodeRuneInString(s)
	for _, w := range f.byHead[unicode.ToLower(head)] {
		if len(s) >= len(w) && strings.EqualFold(s[:len(w)], w) && endsAt(s, len(w)) {
			return len(w)
		}
	}
	return 0
}

// suffix is prefix for the end of s.
func (f *finder) suffix(s string) int {
	tail, _ := utf8.DecodeLastRuneInString(s)
	for _, w := range f.byTail[unicode.ToLower(tail)] {
		at := len(s) - len(w)
		if at >= 0 && strings.EqualFold(s[at:], w) && startsAt(s, at) {
			return len(w)
		}
	}
	return 0
}

// find returns where the first word in s stands, and ok false if none does.
func (f *finder) find(s string) (start, end int, ok bool) {
	for i := range s {
		if !startsAt(s, i) {
			continue
		}
		if n := f.prefix(s[i:]); n > 0 {
			return i, i + n, true
		}
	}
	return 0, 0, false
}

// in reports whether a word stands in s.
func (f *finder) in(s string) bool {
	_, _, ok := f.find(s)
	return ok
}

// startsAt reports whether a word can start at a place: not within a Latin word,
// unless with an ending ("'d").
func startsAt(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	return !isLatin(before) || !isLatin(after)
}

// endsAt reports whether a word can end at a place. "Don" does not in "don't".
func endsAt(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	return !isLatin(before) || !isLatin(after) && after != '\''
}

func isLatin(r rune) bool {
	return unicode.IsDigit(r) || unicode.IsLetter(r) && !unicode.Is(unicode.Han, r) && !isKana(r)
}
