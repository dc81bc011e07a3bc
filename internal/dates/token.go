package dates

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A gap is what stands before a token.
type gap uint8

const (
	glued  gap = iota // nothing
	spaced            // space, or one line end
	broken            // a blank line or the text's begin: no expression reaches over it
)

// A kind says how a token borders on its neighbours.
type kind uint8

const (
	mark   kind = iota // one rune that is no letter and no digit, or a byte that is no UTF-8
	word               // letters of a script that sets spaces
	number             // decimal digits
	glyph              // one rune of a script that sets none: Han, kana, Hangul
)

// A token is a piece of the text: text[start:end].
type token struct {
	start, end int
	low        string // lower case, half width, simplified
	gap        gap
	kind       kind
	capital    bool // begins with an upper-case letter
}

// scan cuts a text into tokens. It never fails: invalid bytes are marks.
func scan(text string, known *book) []token {
	tokens := make([]token, 0, len(text)/4+4)
	before := broken
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if unicode.IsSpace(r) {
			before, at = skipSpace(text, at, before)
			continue
		}
		t := token{start: at, gap: before, kind: kindOf(r), capital: unicode.IsUpper(r)}
		t.end = at + size
		if t.kind == word || t.kind == number {
			t.end += runLength(text[t.end:], t.kind)
		}
		t.low = known.fold(text[t.start:t.end], t.kind)
		tokens = append(tokens, t)
		before, at = glued, t.end
	}
	return tokens
}

// skipSpace gives the gap that a run of space makes, and where it ends.
func skipSpace(text string, at int, before gap) (gap, int) {
	lines := 0
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !unicode.IsSpace(r) {
			break
		}
		if r == '\n' {
			lines++
		}
		at += size
	}
	if lines > 1 || before == broken {
		return broken, at
	}
	return spaced, at
}

// runLength counts the bytes at the begin of text that go on with a word or a
// number.
func runLength(text string, k kind) int {
	for i, r := range text {
		if kindOf(r) != k && !(k == word && unicode.Is(unicode.Mn, r)) {
			return i
		}
	}
	return len(text)
}

func kindOf(r rune) kind {
	switch {
	case r >= '0' && r <= '9' || r >= '０' && r <= '９':
		return number
	case r < utf8.RuneSelf:
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return word
		}
		return mark
	case isGlyph(r):
		return glyph
	case unicode.IsLetter(r):
		return word
	}
	return mark
}

// isGlyph reports whether r is of a script that writes words without spaces, or
// glues particles to them.
func isGlyph(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// fold gives the form in which a token is compared.
func (b *book) fold(s string, k kind) string {
	if isPlain(s) {
		return s
	}
	if k == glyph {
		if simple, ok := b.folds[s]; ok {
			return simple
		}
		return s
	}
	return strings.Map(foldRune, s)
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] >= 'A' && s[i] <= 'Z' {
			return false
		}
	}
	return true
}

// foldRune maps full-width forms to ASCII (U+FF01 to U+FF5E are U+0021 to
// U+007E, shifted), the curly apostrophe to the straight one, and upper case to
// lower.
func foldRune(r rune) rune {
	switch {
	case r >= 0xFF01 && r <= 0xFF5E:
		r -= 0xFF01 - '!'
	case r == '’' || r == 'ʼ':
		r = '\''
	}
	return unicode.ToLower(r)
}
