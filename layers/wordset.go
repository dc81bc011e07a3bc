package layers

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordSet finds any of many words in a text, each at the cost of its own bytes.
type wordSet map[string][]string // by their first bytes

// wordKey is how many first bytes words are found by; shorter ones are met in other
// words by chance.
const wordKey = 4

func (w wordSet) add(s string) {
	key := s[:min(len(s), wordKey)]
	if !slices.Contains(w[key], s) {
		w[key] = append(w[key], s)
	}
}

// in reports whether a text holds any of the words, one of fewer than wordKey bytes
// as the whole of it.
func (w wordSet) in(s string) bool {
	if len(s) < wordKey {
		return slices.Contains(w[s], s)
	}
	for i := 0; i+wordKey <= len(s); i++ {
		for _, word := range w[s[i:i+wordKey]] {
			if strings.HasPrefix(s[i:], word) && len(word) >= wordKey {
				return true
			}
		}
	}
	return false
}

// alone reports whether a word of fewer than wordKey bytes stands in a text by
// itself: "al" in "al called", not in "also"; 茶 in 我喜欢喝茶, since such scripts put
// nothing between words. A letter or digit alone tells nothing.
func (w wordSet) alone(s string) bool {
	before := ' '
	for i, r := range s {
		if joined(before, r) {
			before = r
			continue
		}
		before = r
		for n := 2; n < wordKey && i+n <= len(s); n++ {
			if end := i + n; len(w[s[i:end]]) > 0 && apart(s, end) {
				return true
			}
		}
	}
	return false
}

// apart reports whether a word may end at a place in a text.
func apart(s string, end int) bool {
	last, _ := utf8.DecodeLastRuneInString(s[:end])
	next, _ := utf8.DecodeRuneInString(s[end:])
	return end == len(s) || !joined(last, next)
}

// joined reports whether two characters that follow each other are of one word.
func joined(a, b rune) bool { return inWord(a) && inWord(b) }

// unspaced are scripts that put no blanks between words, or put particles to them.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unicode.In(r, unspaced...)
}
