package text

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalise returns s as valid UTF-8 in NFKC with typographic quotes and
// hyphens made plain. Letter case and diacritics stay, since stemmers and the
// scanner want them. ASCII comes back as it is.
func normalise(s string) string {
	if isASCII(s) {
		return s
	}
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	return strings.Map(plain, norm.NFKC.String(strings.Map(kept, s)))
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// kept replaces signs that NFKC would take apart wrongly: Spotify™ would be
// Spotifytm, and ´ an accent on a blank.
func kept(r rune) rune {
	switch r {
	case '™', '℠':
		return ' '
	case '´':
		return '\''
	}
	return r
}

// plain maps a typographic sign to its plain form.
func plain(r rune) rune {
	if r < 0xA0 {
		return r
	}
	switch r {
	case '‘', '’', '‛', 'ʼ', '′':
		return '\''
	case '“', '”', '„', '‟', '«', '»', '״':
		return '"'
	case '‐', '‑', '‒', '–', '−':
		return '-'
	case '\u200B':
		return ' '
	}
	return r
}
