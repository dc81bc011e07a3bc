package text

import "strings"

// suffixRule replaces a suffix; the first rule whose suffix fits decides.
type suffixRule struct {
	suffix, to string
}

// englishDerivations are step 2, of which longer suffixes come first.
var englishDerivations = []suffixRule{
	{"ational", "ate"}, {"fulness", "ful"}, {"iveness", "ive"}, {"ization", "ize"}, {"ousness", "ous"},
	{"biliti", "ble"}, {"lessli", "less"}, {"tional", "tion"},
	{"alism", "al"}, {"aliti", "al"}, {"ation", "ate"}, {"entli", "ent"}, {"fulli", "ful"},
	{"iviti", "ive"}, {"ogist", "og"}, {"ousli", "ous"},
	{"abli", "able"}, {"alli", "al"}, {"anci", "ance"}, {"ator", "ate"}, {"enci", "ence"}, {"izer", "ize"},
	{"bli", "ble"}, {"ogi", "og"}, {"li", ""},
}

// englishAdjectives are step 3.
var englishAdjectives = []suffixRule{
	{"ational", "ate"}, {"tional", "tion"}, {"alize", "al"}, {"ative", ""}, {"icate", "ic"}, {"iciti", "ic"},
	{"ical", "ic"}, {"ness", ""}, {"ful", ""},
}

// englishResidues are step 4.
var englishResidues = []suffixRule{
	{"ement", ""}, {"able", ""}, {"ance", ""}, {"ence", ""}, {"ible", ""}, {"ment", ""},
	{"ant", ""}, {"ate", ""}, {"ent", ""}, {"ion", ""}, {"ism", ""}, {"iti", ""}, {"ive", ""}, {"ize", ""}, {"ous", ""},
	{"al", ""}, {"er", ""}, {"ic", ""},
}

// longest returns the first rule whose suffix fits and where it starts. last
// holds the letters in which the suffixes end.
func (s *englishWord) longest(rules []suffixRule, last string) (suffixRule, int) {
	n := len(s.letters)
	if n == 0 || strings.IndexByte(last, s.letters[n-1]) < 0 {
		return suffixRule{}, -1
	}
	for _, rule := range rules {
		if s.ends(rule.suffix) {
			return rule, n - len(rule.suffix)
		}
	}
	return suffixRule{}, -1
}

// derivation is step 2.
func (s *englishWord) derivation() {
	rule, start := s.longest(englishDerivations, "ilmnrst")
	if start < s.r1 || start < 0 {
		return
	}
	before := byte(0)
	if start > 0 {
		before = s.letters[start-1]
	}
	switch {
	case rule.suffix == "li" && strings.IndexByte("cdeghkmnrt", before) < 0:
	case rule.suffix == "ogi" && before != 'l':
	default:
		s.replace(len(rule.suffix), rule.to)
	}
}

// adjective is step 3.
func (s *englishWord) adjective() {
	rule, start := s.longest(englishAdjectives, "eills")
	if start < s.r1 || start < 0 || rule.suffix == "ative" && start < s.r2 {
		return
	}
	s.replace(len(rule.suffix), rule.to)
}

// residue is step 4.
func (s *englishWord) residue() {
	rule, start := s.longest(englishResidues, "celmnirst")
	if start < s.r2 || start < 0 {
		return
	}
	if rule.suffix == "ion" && (start == 0 || s.letters[start-1] != 's' && s.letters[start-1] != 't') {
		return
	}
	s.replace(len(rule.suffix), "")
}

// finalE is step 5, which also takes the second l of an ending ll.
func (s *englishWord) finalE() {
	end := len(s.letters) - 1
	if end < 0 {
		return
	}
	switch s.letters[end] {
	case 'e':
		if end >= s.r2 || end >= s.r1 && !s.short(end) {
			s.replace(1, "")
		}
	case 'l':
		if end >= s.r2 && end > 0 && s.letters[end-1] == 'l' {
			s.replace(1, "")
		}
	}
}
