package structure

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxProper is the longest name of a place or a company: in words, and in signs
// where words have no blanks.
const (
	maxProper      = 6
	maxProperSigns = 12
)

func (k *check) isPlace(v stretch) bool {
	s := v.of(k.c)
	return k.isProper(v, "place") && !strings.ContainsFunc(s, unicode.IsDigit) && k.l.suffix("no place end", s) == 0
}

// isOrg reports whether a value is written like the name of a company, and is
// none of a place or a tool.
func (k *check) isOrg(v stretch) bool {
	s := v.of(k.c)
	if !k.l.spaced && (k.l.plays(s) || k.l.is("pastime", s) || strings.HasSuffix(s, "の")) {
		return false // ピアノをやめました
	}
	return k.isProper(v, "org") && !k.isWhere(s) && preferred(k.l.kinds(s)) == preference
}

// isSchool reports whether a value is written like the name of a school; in
// Chinese those end in their kind.
func (k *check) isSchool(v stretch) bool {
	return k.isProper(v, "school") && (k.l.spaced || k.l.suffix("school", v.of(k.c)) > 0)
}

// isSchoolName is isSchool where the sentence could mean a town as well ("I went
// to"): the name must tell.
func (k *check) isSchoolName(v stretch) bool {
	return k.isSchool(v) && k.l.contains("schoolword", v.of(k.c))
}

// isProper reports whether a value is written like a name of a place or a
// company and is no word that only looks so.
func (k *check) isProper(v stretch, kind string) bool {
	s := v.of(k.c)
	switch {
	case k.l.is("no "+kind, s):
		return false
	case k.l.is(kind, s):
		return true
	case k.l.spaced:
		return len(s) > 1 && !k.l.begins("deictic", s) && k.isCapitalised(s)
	}
	return utf8.RuneCountInString(s) > 1 && k.size(v) <= maxProperSigns && !strings.ContainsAny(s, "，。、") &&
		!k.l.begins("no place start", s) && !k.l.contains("no "+kind+" part", s) && !k.l.verbal(s)
}

// isCapitalised reports whether words are a name, with particles between them
// ("Bank of America").
func (k *check) isCapitalised(s string) bool {
	words := strings.Fields(s)
	if !isCapital(words[0]) && !isDigit(words[0]) || len(words) > maxProper {
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool {
		return !k.l.is("particle", w) && (k.l.is("no name", w) || !isCapital(w) && !isDigit(w))
	})
}

func isCapital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) || unicode.IsTitle(r)
}

func isDigit(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsDigit(r)
}

// isWhere reports whether a name is known as one of a place, so that who works
// there works for somebody else.
func (k *check) isWhere(s string) bool {
	if n := k.l.prefix("city", s); n > 0 && n < len(s) && k.l.is("city", s[n:]) {
		return true
	}
	return k.l.is("city", s) || k.l.is("province", s) || k.l.is("place", s) || k.l.suffix("place suffix", s) > 0
}
