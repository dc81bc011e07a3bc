package main

import (
	"math/rand/v2"
	"strings"
)

// The vocabulary: real words where English is most frequent, made-up ones
// behind them. Word ranks follow Zipf's law as in running text, so that the
// index sees both very long and very short posting lists.
const (
	vocabularyWords = 20_000
	hanWords        = 4_000
	zipfExponent    = 1.1 // English prose lies near 1; the generator needs more than 1
	zipfOffset      = 2.7 // Mandelbrot's shift: flattens the first few ranks
)

// frequentWords are the first ranks, in about their order in English prose.
var frequentWords = strings.Fields(`the to and of a in is that for it with on as was be at by this have are from
not but they had which you one all we when there can more about time out up who them some would year work day new
because people week team project meeting prefers decided plan before after morning coffee report customer likes
wants started moved design review release server city family friend book train house language budget deadline`)

// hanCharacters are frequent characters, of which the Chinese words are made.
var hanCharacters = []rune("的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处")

var syllables = strings.Fields("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo za bren cor dal fen gris hol jun kel lam mor nel par quin ros sel tam und vor wil zen")

// vocabulary draws words. It is not safe for concurrent use.
type vocabulary struct {
	words, han     []string
	wordsAt, hanAt *rand.Zipf
}

func newVocabulary(rng *rand.Rand) *vocabulary {
	v := &vocabulary{words: append([]string{}, frequentWords...)}
	for len(v.words) < vocabularyWords {
		v.words = append(v.words, inventWord(rng))
	}
	for len(v.han) < hanWords {
		v.han = append(v.han, string([]rune{pick(rng, hanCharacters), pick(rng, hanCharacters)}))
	}
	v.wordsAt = rand.NewZipf(rng, zipfExponent, zipfOffset, uint64(len(v.words)-1))
	v.hanAt = rand.NewZipf(rng, zipfExponent, zipfOffset, uint64(len(v.han)-1))
	return v
}

func (v *vocabulary) word() string    { return v.words[v.wordsAt.Uint64()] }
func (v *vocabulary) hanWord() string { return v.han[v.hanAt.Uint64()] }

// phrase is n words of a language, as they stand in a query.
func (v *vocabulary) phrase(n int, chinese bool) string {
	words := make([]string, n)
	for i := range words {
		if words[i] = v.word(); chinese {
			words[i] = v.hanWord()
		}
	}
	if chinese {
		return strings.Join(words, "")
	}
	return strings.Join(words, " ")
}

// inventWord is two or three syllables.
func inventWord(rng *rand.Rand) string {
	word := pick(rng, syllables) + pick(rng, syllables)
	if rng.IntN(2) == 0 {
		word += pick(rng, syllables)
	}
	return word
}

// inventName is a given name and a surname.
func inventName(rng *rand.Rand) string {
	return capitalize(inventWord(rng)) + " " + capitalize(inventWord(rng))
}

func capitalize(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }
