package text

import (
	"embed"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed stop/*.txt
var stopFiles embed.FS

// frequentEnglish holds words that are no stop words and yet tell English.
//
//go:embed frequent_en.txt
var frequentEnglish string

// frequentOther holds such words of other languages.
//
//go:embed frequent_other.txt
var frequentOther string

// stopLanguages have a stop list of words, and by it are told apart. Of equals
// the first one wins.
var stopLanguages = []string{
	"en", "ar", "bg", "cs", "da", "de", "el", "es", "fa", "fi", "fr", "he", "hi", "hu", "id",
	"it", "nl", "no", "pl", "pt", "ro", "ru", "sv", "tr", "uk", "vi",
}

// unitLanguages have a list of single characters instead.
var unitLanguages = []string{"zh", "ja", "ko"}

// languageSet is a set of stopLanguages, by place.
type languageSet uint32

// wordUse says what a folded word is in which language.
type wordUse struct {
	stop     languageSet // left out of the terms
	frequent languageSet // tells the language
}

// vocabulary holds what is known of single words.
type vocabulary struct {
	languages []string
	words     map[string]wordUse // by stopKey
	units     map[string]bool    // Han, kana and Hangul units that are no terms
}

// stops holds all lists. The English and the Chinese one are those that
// retrieval was measured with; the others are the function words of each
// language, after Snowball's lists and shortened.
var stops = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{languages: stopLanguages, words: map[string]wordUse{}, units: map[string]bool{}}
	for _, code := range unitLanguages {
		for _, unit := range stopList(code) {
			v.units[unit] = true
		}
	}
	for _, code := range stopLanguages {
		set := v.set(code)
		for _, word := range stopList(code) {
			v.mark(word, wordUse{stop: set, frequent: set})
		}
	}
	for word := range strings.FieldsSeq(frequentEnglish) {
		v.mark(word, wordUse{frequent: v.set("en")})
	}
	for line := range strings.Lines(frequentOther) {
		if code, words, ok := strings.Cut(line, ": "); ok && line[0] != '#' {
			for word := range strings.FieldsSeq(words) {
				v.mark(word, wordUse{frequent: v.set(code)})
			}
		}
	}
	return v
})

func (v *vocabulary) mark(word string, use wordUse) {
	key := stopKey(word, foldRunes(word))
	known := v.words[key]
	v.words[key] = wordUse{stop: known.stop | use.stop, frequent: known.frequent | use.frequent}
}

// stopKey is what a word is looked up by: folded, but for the last letter of Arabic
// على, which is "on". Folded it is علي, which is Ali, and a name must be found.
func stopKey(word, folded string) string {
	if r, size := utf8.DecodeLastRuneInString(word); r == 'ى' && strings.HasSuffix(folded, "ي") {
		return folded[:len(folded)-size] + "ى"
	}
	return folded
}

// stopList returns the words of an embedded list; a test holds that each
// language has one.
func stopList(code string) []string {
	content, err := stopFiles.ReadFile("stop/" + code + ".txt")
	if err != nil {
		return nil
	}
	return strings.Fields(string(content))
}

// set returns the set of one language, empty for one without a stop list.
func (v *vocabulary) set(language string) languageSet {
	for i, code := range v.languages {
		if code == language {
			return 1 << i
		}
	}
	return 0
}
