package structure

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
)

// areNames reports whether a value is the name of a person, or of several.
func (k *check) areNames(v stretch) bool {
	s := v.of(k.c)
	if !k.list {
		return k.l.isName(s)
	}
	for _, sign := range []string{" and ", " & ", ",", "，", "、", "和", "跟"} {
		s = strings.ReplaceAll(s, sign, "\n")
	}
	for name := range strings.SplitSeq(s, "\n") {
		if name = strings.TrimSpace(name); name != "" && !k.l.isName(name) {
			return false
		}
	}
	return true
}

// maxNameSigns is the longest Chinese name, foreign ones included.
const maxNameSigns = 8

// isName reports whether s is written like the name of a person: capital
// letters, or few Han characters, and none of the words that only look so.
func (l *language) isName(s string) bool {
	if l.is("no name", s) || strings.IndexFunc(s, unicode.IsDigit) >= 0 {
		return false
	}
	if l.code == japaneseCode {
		return l.isKanaName(s)
	}
	if !l.spaced && strings.IndexFunc(s, isHan) >= 0 {
		return l.isHanName(s)
	}
	words := strings.Fields(s)
	capital := 0
	for _, w := range words {
		if l.is("no name", w) {
			return false
		}
		switch {
		case isCapital(w):
			capital++
		case !l.is("particle", w):
			return false
		}
	}
	return capital > 0 && len(words) <= 4
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// isHanName reports whether Han characters can be a name: few, and none of a
// sentence. A surname with one or two characters is one; whatever else is
// longer than two must hold no verb (小王先走 is none).
func (l *language) isHanName(s string) bool {
	n := utf8.RuneCountInString(s)
	if n < 2 || n > maxNameSigns || l.begins("no name start", s) || l.verbal(s) || strings.ContainsAny(s, "，。、 ") || l.contains("no name part", s) {
		return false
	}
	if l.isHonoured(s) {
		return true
	}
	if n == 3 && l.suffix("no name end", s) > 0 || l.suffix("occupation", s) > 0 && n > 2 || l.is("city", s) || l.is("province", s) {
		return false
	}
	return n == 2 || !l.contains("act", s) || l.begins("surname", s) && n == 3
}

// isHonoured reports whether s names somebody by his profession, as 陈医生 and 鈴木先生 do:
// that is who he is, not what.
func (l *language) isHonoured(s string) bool {
	if l.code == japaneseCode {
		return honouredInKana.MatchString(s) && !l.is("occupation", s)
	}
	surname := l.prefix("surname", s)
	return surname > 0 && l.is("honorific", s[surname:])
}

var honouredInKana = lazy.MustCompile(`^\p{Han}{1,3}先生$`)

// isGiven reports whether a word that is said to be a name can be one although
// it is written small.
func (k *check) isGiven(s string) bool {
	return k.l.spaced && len(s) > 2 && !strings.Contains(s, " ") && s == strings.ToLower(s) &&
		!k.l.is("no name", s) && !k.l.is("verbal", s) && !k.l.begins("deictic", s) && !k.l.is("adverb", s)
}
