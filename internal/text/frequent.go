package text

import (
	"math/bits"
	"slices"
	"strings"
)

const (
	// maxWeighed bounds the words that are looked at: more do not change the
	// answer, and long records stay cheap.
	maxWeighed = 200
	// wordPoints are what a word of one language alone gives it; a word of n
	// languages gives each an n-th.
	wordPoints = 60
	// lead is by how much the first must be ahead of the second.
	lead = 1.3
	// englishShare and otherShare are the shares of frequent words from which a
	// text counts as written in a language. Prose has 0.3 to 0.5. English needs
	// less, being what most names and terms of other languages look like.
	englishShare, otherShare = 0.12, 0.2
)

// letterLanguages are letters that few languages write. A word with one is as
// good as a frequent word.
var letterLanguages = map[rune]string{
	'ß': "de", 'ñ': "es", 'ã': "pt", 'õ': "pt", 'ç': "fr pt tr", 'œ': "fr", 'ê': "fr pt", 'è': "fr it",
	'ä': "de fi sv", 'ö': "de fi sv tr hu", 'ü': "de tr hu", 'å': "da no sv", 'ø': "da no", 'æ': "da no",
	'ł': "pl", 'ż': "pl", 'ś': "pl", 'ź': "pl", 'ę': "pl", 'ą': "pl", 'ń': "pl",
	'ř': "cs", 'ě': "cs", 'ů': "cs", 'ğ': "tr", 'ş': "tr", 'ı': "tr", 'ő': "hu", 'ű': "hu",
	'ș': "ro", 'ț': "ro", 'ă': "ro vi", 'ơ': "vi", 'ư': "vi", 'đ': "vi",
	'ё': "ru", 'ы': "ru", 'э': "ru", 'і': "uk", 'ї': "uk", 'є': "uk", 'ґ': "uk", 'ъ': "bg",
	'پ': "fa", 'چ': "fa", 'ژ': "fa", 'گ': "fa", 'ک': "fa", 'ی': "fa",
}

// tally weighs the languages of a text's words.
type tally struct {
	points []int // by language, as in vocabulary.languages
	hits   []int // words that spoke for it
	own    []int // those of them that are no frequent words of English
	words  int

	english languageSet
}

// weigh counts the words that keep says belong to the script asked about.
func weigh(pieces []piece, keep func(piece) bool) tally {
	v := stops()
	t := tally{english: v.set("en"), points: make([]int, len(v.languages)), hits: make([]int, len(v.languages)), own: make([]int, len(v.languages))}
	for _, p := range pieces {
		if t.words >= maxWeighed {
			break
		}
		if p.class == classWord && keep(p) {
			parts(p.text, func(word string) { t.word(v, word) })
		}
	}
	return t
}

func (t *tally) word(v *vocabulary, word string) {
	folded := foldRunes(word)
	if folded == "" || isDigit(folded[0]) || len(folded) == 1 && !isVowel(folded[0]) {
		return // the s of Ann's is no French
	}
	t.words++
	speaking := v.words[stopKey(word, folded)].frequent
	if !isASCII(word) {
		speaking |= v.lettersOf(word)
	}
	if speaking == 0 {
		return
	}
	share := wordPoints / bits.OnesCount32(uint32(speaking))
	for rest := uint32(speaking); rest != 0; rest &= rest - 1 {
		at := bits.TrailingZeros32(rest)
		t.points[at] += share
		t.hits[at]++
		if speaking&t.english == 0 {
			t.own[at]++
		}
	}
}

// lettersOf returns the languages that the rare letters of a word speak for.
func (v *vocabulary) lettersOf(word string) languageSet {
	set := languageSet(0)
	for _, r := range strings.ToLower(word) {
		switch named, ok := letterLanguages[r]; {
		case ok:
			for code := range strings.FieldsSeq(named) {
				set |= v.set(code)
			}
		case r >= 0x1EA0 && r <= 0x1EF9:
			set |= v.set("vi")
		}
	}
	return set
}

// best returns the language with most points and by what factor it leads. Of
// equals the first in the list wins.
func (t tally) best() (at int, ahead float64) {
	second := 0
	for i, points := range t.points {
		if points > t.points[at] {
			at = i
		}
	}
	for i, points := range t.points {
		if i != at {
			second = max(second, points)
		}
	}
	return at, float64(t.points[at]) / float64(max(second, 1))
}

// latinLanguage guesses the language of the Latin words, "" when unsure. One word
// that English does not share tells no other language where more are English: dog
// is a stop word of Danish and cat one of Romanian, and "I have a dog" would lose it.
func latinLanguage(pieces []piece) string {
	t := weigh(pieces, func(p piece) bool { return p.text[0] < 0x80 || scriptOf(p) == "Latn" })
	at, ahead := t.best()
	if english := slices.Index(stops().languages, "en"); at != english && t.own[at] < min(2, t.hits[english]) {
		at, ahead = english, lead
	}
	code := stops().languages[at]
	least, share := 2, otherShare
	if code == "en" {
		least, share = 1, englishShare
	}
	if t.words < 2 || t.hits[at] < least || ahead < lead || float64(t.hits[at]) < share*float64(t.words) {
		return ""
	}
	return code
}

// sharedScript guesses which language of a script that several share it is.
func sharedScript(script string, pieces []piece) string {
	t := weigh(pieces, func(p piece) bool { return scriptOf(p) == script })
	at, ahead := t.best()
	if t.points[at] == 0 || ahead < lead {
		return scriptDefault(script)
	}
	return stops().languages[at]
}

func scriptDefault(script string) string {
	if script == "Arab" {
		return "ar"
	}
	return "ru"
}
