package structure

import (
	"strings"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
)

// stretch is a part of a clause's text.
type stretch struct{ start, end int }

func (v stretch) of(c *clause) string { return c.text[v.start:v.end] }

// check looks at what a slot matched.
type check struct {
	l    *language
	c    *clause
	s    *sentence
	list bool // several values may be named
}

// check narrows what a slot matched to its value, and reports whether it is one
// of its kind.
func (l *language) check(s *sentence, c *clause, v stretch, name string, list bool) (stretch, bool) {
	of, checked := kinds[name]
	if v.start >= v.end {
		return v, false
	}
	if !checked {
		return trimmed(c, v), true // the pattern holds it to a type or a list
	}
	k := &check{l: l, c: c, s: s, list: list || of.several}
	if of.general && (l.pointsAt(v.of(c)) || l.restricted(v.of(c))) {
		return v, false
	}
	if of.phrase {
		v = k.phrase(v)
	}
	if !of.whole {
		all := v
		v = k.cut(v, name)
		rest := strings.TrimLeft(c.text[v.end:all.end], " ")
		if l.begins("second", rest) || name == "org" && company.MatchString(rest) {
			return v, false // it states two things, or breaks off within a name
		}
	}
	if !of.raw {
		v = k.bare(v)
	}
	if of.general && l.contains("closing 的", s.in.Text) {
		v.end = v.start + len(strings.TrimSuffix(v.of(c), "的"))
	}
	if of.narrow != nil && v.start < v.end {
		v = of.narrow(k, v)
	}
	return v, v.start < v.end && of.test(k, v)
}

// company matches the second half of a name ("Johnson and Johnson").
var company = lazy.MustCompile(`^and \p{Lu}\p{Ll}`)

// phrase ends a value at its first pause, but not before the year of a date
// ("March 3, 2024").
func (k *check) phrase(v stretch) stretch {
	s := v.of(k.c)
	for i, r := range s {
		if i > 0 && k.l.pauses(s, i, r) && r != ':' && r != '：' && !isDigit(strings.TrimLeft(s[i+utf8.RuneLen(r):], " ")) {
			v.end = v.start + i
			break
		}
	}
	return v
}

// cut ends a value where something was taken out of the text, at a pause, and
// before a word that begins another clause ("with", "because").
func (k *check) cut(v stretch, name string) stretch {
	v.end = k.c.gap(v.start, v.end)
	s := v.of(k.c)
	for i, r := range s {
		if alone := !k.l.spaced || i > 0 && s[i-1] == ' '; alone && k.ends(s, i, r, name) {
			v.end = v.start + i
			break
		}
	}
	return v
}

// ends reports whether a value ends before the sign or word at i.
func (k *check) ends(s string, i int, r rune, name string) bool {
	switch {
	case strings.ContainsRune(",，", r):
		return !k.list || !k.l.spaced
	case strings.ContainsRune(";:()；：（）。", r), strings.HasPrefix(s[i:], "- "):
		return true
	}
	return i > 0 && (k.l.begins("cut", s[i:]) || k.l.begins("cut "+name, s[i:]))
}

// bare takes edges, quotes, articles and closing words off a value.
func (k *check) bare(v stretch) stretch {
	for {
		was := v
		v = trimmed(k.c, v)
		if k.l.code != japaneseCode { // there they close a clause, and rules stand before them
			v.end -= k.l.suffix("tail", v.of(k.c))
		}
		v = trimmed(k.c, v)
		if n := k.l.prefix("article", v.of(k.c)); n < v.end-v.start {
			v.start += n
		}
		if v == was {
			return v
		}
	}
}

// around may stand around a value without being part of it.
const around = " .!?~…,;:。！？，；：、～*\"'“”‘’「」『』《》"

// trimmed takes signs and emoji off a value.
func trimmed(c *clause, v stretch) stretch {
	s := v.of(c)
	v.start = v.end - len(strings.TrimLeft(s, around))
	v.end = v.start + len(strings.TrimRight(v.of(c), around))
	for v.start < v.end {
		r, size := utf8.DecodeLastRuneInString(v.of(c))
		if !isSymbol(r) {
			break
		}
		v.end -= size
	}
	for v.start < v.end {
		r, size := utf8.DecodeRuneInString(v.of(c))
		if !isSymbol(r) && r != ' ' {
			break
		}
		v.start += size
	}
	return v
}

// unwrap takes words like "a small town called" off a name.
func (k *check) unwrap(v stretch) stretch {
	for {
		n := k.l.prefix("wrapper", v.of(k.c))
		if n == 0 || n >= v.end-v.start {
			return k.bare(v)
		}
		v.start += n
		v = k.bare(v)
	}
}

// size counts the words of a value; where words have no blanks, its signs and
// the foreign words.
func (k *check) size(v stretch) int {
	if k.l.spaced {
		return len(strings.Fields(v.of(k.c)))
	}
	n, latin := 0, false
	for _, r := range v.of(k.c) {
		letter := r < utf8.RuneSelf
		if !letter || !latin {
			n++
		}
		latin = letter && r != ' '
	}
	return n
}

// Limits of a value, in words, or in signs where words have no blanks.
const (
	maxWords   = 8
	maxSigns   = 20
	maxAim     = 14 // words of an aim or a lesson
	maxPursuit = 5  // words of what somebody does in his free time
)

func (k *check) fits(v stretch, words int) bool {
	if k.l.spaced {
		return k.size(v) <= words
	}
	return k.size(v) <= maxSigns
}
