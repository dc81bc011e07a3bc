package structure

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// split takes the reason off a clause: what follows "because" to its end, or,
// where the clause begins with it, up to the comma.
func (l *language) split(c *clause) (rest *clause, reason string) {
	c = l.trim(c)
	begin, start, ok := l.list("reason").find(c.text)
	if !ok {
		return c, ""
	}
	end := len(c.text)
	if strings.TrimSpace(c.text[:begin]) == "" {
		pause := strings.IndexAny(c.text[start:], l.comma())
		if pause < 0 {
			return c, ""
		}
		end = start + pause
		rest = c.part(end, len(c.text))
	} else {
		rest = c.part(0, begin)
	}
	start, end = l.inner(c, start, end)
	if start >= end {
		return l.trim(rest), ""
	}
	return l.trim(rest), c.source(start, end)
}

// edges are signs that may stand around a clause without being part of it.
const edges = " .!?~…,;:-。！？，；：、～*"

// inner narrows a stretch to what is not edge.
func (l *language) inner(c *clause, start, end int) (int, int) {
	start = end - len(strings.TrimLeft(c.text[start:end], edges))
	end = start + len(strings.TrimRight(c.text[start:end], edges))
	return start, end
}

// trim takes edges and symbols (emoji) off a clause.
func (l *language) trim(c *clause) *clause {
	start, end := l.inner(c, 0, len(c.text))
	for end > start {
		r, size := utf8.DecodeLastRuneInString(c.text[start:end])
		if !isSymbol(r) {
			break
		}
		_, end = l.inner(c, start, end-size)
	}
	for end > start {
		r, size := utf8.DecodeRuneInString(c.text[start:end])
		if !isSymbol(r) {
			break
		}
		start, _ = l.inner(c, start+size, end)
	}
	return c.part(start, max(start, end))
}

// isSymbol reports whether r is an emoji or one of its joiners.
func isSymbol(r rune) bool {
	return r >= 0x1F000 || r >= 0x2600 && r <= 0x27BF || r == 0x200D || r == 0xFE0F || r == 0x2764
}

func (l *language) comma() string {
	if l.spaced {
		return ",;-"
	}
	return "，；。"
}

// starts returns the places of the text where a statement may begin: where the
// clause does, after its opening words, and after each pause. A clause that
// begins with "when" or the like has only its beginning.
func (l *language) starts(c *clause) []int {
	var out []int
	add := func(at int) {
		at = l.skipOpening(c, at)
		if at < len(c.text) && !slices.Contains(out, c.span[at].Start) {
			out = append(out, c.span[at].Start)
		}
	}
	add(0)
	if l.begins("subordinate", c.text) {
		return out
	}
	for i, r := range c.text {
		switch {
		case !l.pauses(c.text, i, r):
		case unicode.IsLetter(r):
			add(i) // a word: "but", which is an opening
		default:
			add(i + utf8.RuneLen(r))
		}
	}
	return out
}

// pauseAfter returns the place in the text of the first pause at a place or
// after it, 0 if there is none.
func (l *language) pauseAfter(c *clause, place int) int {
	for i, r := range c.text {
		if c.span[i].Start >= place && l.pauses(c.text, i, r) {
			return c.span[i].Start
		}
	}
	return 0
}

// pauses reports whether a clause ends before the sign or word at i.
func (l *language) pauses(s string, i int, r rune) bool {
	if !l.spaced {
		return strings.ContainsRune("，；：。", r)
	}
	alone := i > 0 && s[i-1] == ' '
	return alone && (strings.ContainsRune(",;:-", r) || l.begins("joint", s[i:]))
}

// skipOpening returns the place after edges and opening words ("Well,").
func (l *language) skipOpening(c *clause, at int) int {
	for {
		rest := strings.TrimLeft(c.text[at:], edges)
		at = len(c.text) - len(rest)
		n := l.prefix("opening", rest)
		if n == 0 || l.is("pausing", rest[:n]) && !pause(rest[n:]) {
			return at
		}
		at += n
	}
}

// pause reports whether s begins with a sign that parts clauses.
func pause(s string) bool {
	s = strings.TrimLeft(s, " ")
	return s == "" || strings.ContainsAny(s[:1], edges) || strings.HasPrefix(s, "，") || strings.HasPrefix(s, "：")
}

// tailless drops closing words ("these days", 了) off a clause.
func (l *language) tailless(c *clause) *clause {
	for {
		n := l.closing(c.text)
		if n == 0 || n == len(c.text) {
			return c
		}
		c = l.trim(c.part(0, len(c.text)-n))
	}
}
