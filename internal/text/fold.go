package text

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns s for comparing: NFKC (so that full width equals half width),
// lower case with ß as ss and İ, ı as i, without diacritics of Latin, Greek,
// Cyrillic, Hebrew and Arabic letters (й stays: it is a letter of its own) and
// without tatweel, traditional Han characters as simplified ones, typographic
// quotes and hyphens plain, invisible format characters gone, and white space
// trimmed and collapsed to single blanks. Fold(Fold(s)) equals Fold(s).
func Fold(s string) string {
	return strings.Join(strings.Fields(foldRunes(normalise(s))), " ")
}

// foldRunes folds normalised text rune by rune; text that is folded already
// comes back without a copy.
func foldRunes(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		foldRune(&b, r)
	}
	return norm.NFC.String(b.String())
}

// FoldAt folds s as Fold does, but for its white space, which stays, and tells for
// each byte of the result, and for its end, where in s it comes from.
func FoldAt(s string) (folded string, at []int) {
	var b strings.Builder
	b.Grow(len(s))
	at = make([]int, 0, len(s)+1)
	normal := norm.NFKC.IsNormalString(s) // as most texts are; then runes fold by themselves
	for i, n := 0, 0; i < len(s); i += n {
		switch r, size := utf8.DecodeRuneInString(s[i:]); {
		case normal || r < utf8.RuneSelf && (i+1 == len(s) || s[i+1] < utf8.RuneSelf):
			n = size
			foldRune(&b, plain(kept(r)))
		default:
			n = max(1, norm.NFKC.NextBoundaryInString(s[i:], true))
			b.WriteString(foldRunes(normalise(s[i : i+n])))
		}
		for len(at) < b.Len() {
			at = append(at, i)
		}
	}
	return b.String(), append(at, len(s))
}

func foldRune(b *strings.Builder, r rune) {
	if r < utf8.RuneSelf {
		b.WriteRune(unicode.ToLower(r))
		return
	}
	if isInvisible(r) {
		return
	}
	if simple, ok := simplified()[r]; ok {
		b.WriteRune(simple)
		return
	}
	r = unicode.ToLower(r)
	if _, ok := foldedLetters[r]; !ok {
		r = bare(r) // ǽ is æ first
	}
	if folded, ok := foldedLetters[r]; ok {
		b.WriteString(folded)
		return
	}
	b.WriteRune(r)
}

// foldedLetters are the letters that have no decomposition, or whose
// decomposition is not the form people type instead.
var foldedLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th",
	'ł': "l", 'ħ': "h", 'ı': "i", 'ĸ': "k", 'ŋ': "n", 'ŧ': "t", 'ς': "σ",
	'й': "й", 'ى': "ي", 'ی': "ي", 'ک': "ك", 'ة': "ه",
}

// bare returns a letter without its diacritics where these are not letters by
// themselves: Japanese が and Korean syllables decompose too and must not.
func bare(r rune) rune {
	if !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic) {
		return r
	}
	decomposed := norm.NFD.PropertiesString(string(r)).Decomposition()
	if decomposed == nil {
		return r
	}
	base, _ := utf8.DecodeRune(decomposed)
	return base
}

// isInvisible tells marks that folding removes (combining accents, Hebrew
// points, Arabic vowel signs, tatweel, nukta) and format characters such as
// joiners, soft hyphens and variation selectors.
func isInvisible(r rune) bool {
	switch {
	case r >= 0x0300 && r <= 0x036F, r >= 0x0591 && r <= 0x05BD, r >= 0x05BF && r <= 0x05C7 && r != 0x05C0 && r != 0x05C3 && r != 0x05C6:
		return true
	case r >= 0x0610 && r <= 0x061A, r >= 0x064B && r <= 0x065F, r == 0x0670, r >= 0x06D6 && r <= 0x06ED && unicode.Is(unicode.Mn, r):
		return true
	case r == 0x0640, r == 0x093C, r == 0x20E3, r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// Simplified returns s with traditional Han characters as simplified ones: 臺北 and
// 台北 are one name.
func Simplified(s string) string {
	if isASCII(s) {
		return s
	}
	simple := simplified()
	return strings.Map(func(r rune) rune {
		if to, ok := simple[r]; ok {
			return to
		}
		return r
	}, s)
}

//go:embed simplified.txt
var simplifiedFile string

// simplified maps traditional Han characters to simplified ones.
var simplified = sync.OnceValue(func() map[rune]rune {
	pairs := map[rune]rune{}
	for line := range strings.Lines(simplifiedFile) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		runes := []rune(strings.TrimSpace(line))
		for i := 0; i+1 < len(runes); i += 2 {
			pairs[runes[i]] = runes[i+1]
		}
	}
	return pairs
})
