package text

import (
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/rivo/uniseg"
)

// maxTerm is the length in bytes at which a term is cut: longer than any word
// of a person, and a bound for base64 and the like.
const maxTerm = 64

// Terms returns the index terms of s in order, with repeats and without stop
// words; none is longer than 64 bytes.
//
//   - A word in Latin letters gives its English stem, irregular forms brought to
//     their base first; in a text of another language that has a Snowball
//     stemmer also the stem by that, where it differs. In other alphabets a word
//     gives itself and its stem. So one term of each word never depends on the
//     language that was guessed, and a query of one word finds the records that
//     hold it, unless it is a stop word of the record's language.
//   - A single letter is a term where it stands alone (plan B), not where a sign
//     holds it (Ann's); a single digit always is.
//   - Runs of Han and kana, of Hangul, and of Thai, Lao, Burmese and Khmer give
//     their units less stop characters, then their pairs of units.
//   - A code gives its words and its whole: ADR-086 is adr, 086, adr-086.
//   - An emoji is a term, whatever its skin tone.
//
// For English and Chinese prose the terms are those of the reference that
// retrieval was measured with.
func Terms(s string) []string { return terms(s, false) }

// QueryTerms returns Terms(s), or, when that leaves nothing, the terms of s
// with stop words and single letters among them.
func QueryTerms(s string) []string {
	if found := terms(s, false); len(found) > 0 {
		return found
	}
	return terms(s, true)
}

func terms(s string, keepAll bool) []string {
	pieces := scan(normalise(s))
	latin, other := wordLanguages(pieces)
	t := collector{
		vocabulary: stops(),
		keepAll:    keepAll,
		latin:      stemmer(latin),
		other:      stemmer(other),
		terms:      make([]string, 0, len(pieces)),
	}
	t.stop = t.vocabulary.set(latin) | t.vocabulary.set(other)
	for _, p := range pieces {
		t.piece(p)
	}
	return t.terms
}

// collector gathers the terms of one text.
type collector struct {
	vocabulary   *vocabulary
	keepAll      bool        // stop words and single letters too
	stop         languageSet // whose stop words are left out
	latin, other func(*snowballstem.Env) bool
	terms        []string
}

func (t *collector) piece(p piece) {
	switch p.class {
	case classWord:
		t.chunk(p.text)
	case classEmoji:
		t.add(foldEmoji(p.text))
	default:
		t.run(units(p))
	}
}

func (t *collector) chunk(chunk string) {
	parts(chunk, func(word string) {
		if t.keepAll || len(word) != 1 || len(chunk) == 1 || isDigit(word[0]) {
			t.word(word)
		}
	})
	t.add(whole(chunk))
}

func (t *collector) add(term string) {
	if term != "" {
		t.terms = append(t.terms, cut(term))
	}
}

// cut shortens a term to maxTerm bytes on a rune's border.
func cut(term string) string {
	if len(term) <= maxTerm {
		return term
	}
	end := maxTerm
	for !utf8.RuneStart(term[end]) {
		end--
	}
	return term[:end]
}

func (t *collector) word(word string) {
	folded := cut(foldRunes(word))
	if folded == "" || !t.keepAll && t.vocabulary.words[stopKey(word, folded)].stop&t.stop != 0 {
		return
	}
	first, own := folded, t.other
	if isLatin(folded) {
		first, own = stemEnglish(folded), t.latin
	}
	t.add(first)
	if own == nil {
		return
	}
	if stem := cut(stemIn(own, word)); stem != first {
		t.add(stem)
	}
}

// isLatin tells a word in Latin letters or digits by its first rune.
func isLatin(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return r < utf8.RuneSelf || unicode.Is(unicode.Latin, r)
}

func (t *collector) run(units []string) {
	for _, unit := range units {
		if t.keepAll || !t.vocabulary.units[unit] {
			t.add(unit)
		}
	}
	for i := 1; i < len(units); i++ {
		t.add(units[i-1] + units[i])
	}
}

// units returns the folded units of a run: runes, or grapheme clusters where
// vowels and tones stand above and below their consonant.
func units(p piece) []string {
	folded := foldRunes(p.text)
	list := make([]string, 0, len(folded)/3)
	if p.class == classCluster {
		for rest, state := folded, -1; rest != ""; {
			var cluster string
			cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			list = append(list, cluster)
		}
		return list
	}
	for at := 0; at < len(folded); {
		_, size := utf8.DecodeRuneInString(folded[at:])
		list = append(list, folded[at:at+size])
		at += size
	}
	return list
}

// foldEmoji drops skin tones, joiners and variation selectors after the first
// rune.
func foldEmoji(sequence string) string {
	kept := make([]rune, 0, 8)
	for at, r := range sequence {
		if isTone := r >= 0x1F3FB && r <= 0x1F3FF; at == 0 || !isTone && !isInvisible(r) {
			kept = append(kept, r)
		}
	}
	return string(kept)
}
