package slot

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// trailing is what may follow a value without being part of it.
const trailing = ".,;:!?。，；：！？、…"

// quotes may stand around a value without being part of it.
const quotes = "\"'“”‘«»「」『』《》`"

// Value returns the form of a value in which two are compared: NFKC and case
// folded, white space collapsed, without closing punctuation, surrounding
// quotes and leading articles.
//
// It never looks at what a value means: another number, name or spelling is
// another value ("A12" and "A13", "80" and "80.0", "résumé" and "resume"). A
// value that is nothing but punctuation stays as it is.
func Value(v string) string {
	v = collapse(caseless(v))
	for {
		next := bare(v)
		if next == v || next == "" {
			return v
		}
		v = next
	}
}

// bare takes one layer of wrapping off a folded value.
func bare(v string) string {
	v = strings.TrimSpace(strings.TrimRight(v, trailing))
	v = strings.TrimSpace(strings.Trim(v, quotes))
	for _, article := range []string{"a ", "an ", "the "} {
		if rest, ok := strings.CutPrefix(v, article); ok && startsWord(rest) {
			return rest
		}
	}
	return v
}

// startsWord reports whether s begins with a word of two letters or more: the
// "a" of "a 12" and "a b" is a name, not an article.
func startsWord(s string) bool {
	first, n := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[n:])
	return unicode.IsLetter(first) && unicode.IsLetter(second)
}

// None reports whether a given value says that there is none, which ends the
// slot. "no" is not among them: it is a value (vegetarian: no), as are 0,
// false and unknown.
func None(v string) bool {
	switch Value(v) {
	case "none", "nothing", "nobody", "no one", "null", "nil",
		"n/a", "n.a", "not applicable", "no longer applies",
		"no longer", "no longer any", "no more", "not any more", "not anymore",
		"none any more", "none anymore", "nothing any more", "nothing anymore",
		"无", "無", "没", "没有", "沒有", "没有了", "沒有了", "没了", "沒了",
		"暂无", "不再", "不再有", "已无", "不适用":
		return true
	}
	return false
}
