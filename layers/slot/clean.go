package slot

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"mcp-memory/internal/text"
)

// invisible drops characters that are not seen and make equal words differ:
// soft hyphen, zero-width space, word joiner, byte order mark.
var invisible = strings.NewReplacer("\u00ad", "", "\u200b", "", "\u2060", "", "\ufeff", "")

// raised keeps an exponent or index apart from the number before it, which NFKC
// would join: 10² is not 102.
var raised = func() *strings.Replacer {
	var pairs []string
	for i, up := range []rune("⁰¹²³⁴⁵⁶⁷⁸⁹") {
		pairs = append(pairs, string(up), "^"+string(rune('0'+i)))
	}
	for i, down := range []rune("₀₁₂₃₄₅₆₇₈₉") {
		pairs = append(pairs, string(down), "_"+string(rune('0'+i)))
	}
	return strings.NewReplacer(pairs...)
}()

// caseless makes case, width, compatibility forms and 简/繁 equal, after the
// NFKC_Casefold of the Unicode Standard, section 3.13. It runs twice because
// folding may leave what normalises or folds further. Bytes that are no UTF-8
// become the replacement character, lest what is dropped between them joins
// them.
func caseless(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	s = raised.Replace(invisible.Replace(strings.ToValidUTF8(s, "\ufffd")))
	for range 2 {
		s = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))
	}
	return text.Simplified(strings.ReplaceAll(s, "’", "'"))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// collapse trims white space and makes every stretch of it one space.
func collapse(s string) string {
	return strings.Join(strings.Fields(s), " ")
}

// clean is caseless with separators ('_', dashes) as spaces.
func clean(s string) string {
	runes := []rune(caseless(s))
	for i, r := range runes {
		if separator(r) == ' ' && !sign(runes, i) {
			runes[i] = ' '
		}
	}
	return collapse(string(runes))
}

// sign reports whether the dash at i is a number's: -5 is not 5.
func sign(runes []rune, i int) bool {
	return runes[i] != '_' && i+1 < len(runes) && unicode.IsDigit(runes[i+1]) && (i == 0 || unicode.IsSpace(runes[i-1]))
}

func separator(r rune) rune {
	if r == '_' || unicode.Is(unicode.Pd, r) {
		return ' '
	}
	return r
}

// unaccented drops the marks on Latin and Greek letters. Elsewhere a mark
// makes another letter (か and が) and stays.
func unaccented(s string) string {
	var b strings.Builder
	plain := false
	for _, r := range norm.NFD.String(s) {
		if unicode.Is(unicode.Mn, r) {
			if plain {
				continue
			}
		} else {
			plain = unicode.In(r, unicode.Latin, unicode.Greek)
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}
