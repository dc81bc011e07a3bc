package text

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// stemmer returns the Snowball stemmer of a language, nil where there is none.
func stemmer(language string) func(*snowballstem.Env) bool {
	switch language {
	case "ar":
		return arabic.Stem
	case "da":
		return danish.Stem
	case "de":
		return german.Stem
	case "es":
		return spanish.Stem
	case "fi":
		return finnish.Stem
	case "fr":
		return french.Stem
	case "hu":
		return hungarian.Stem
	case "it":
		return italian.Stem
	case "nl":
		return dutch.Stem
	case "no":
		return norwegian.Stem
	case "pt":
		return portuguese.Stem
	case "ro":
		return romanian.Stem
	case "ru":
		return russian.Stem
	case "sv":
		return swedish.Stem
	case "tr":
		return turkish.Stem
	}
	return nil
}

// stemIn returns the folded stem of a word by a language's stemmer, which wants
// lower case with diacritics.
func stemIn(stem func(*snowballstem.Env) bool, word string) string {
	env := snowballstem.NewEnv(strings.ToLower(word))
	stem(env)
	return foldRunes(env.Current())
}

// stemEnglish returns the term of a folded word in Latin letters: irregular
// forms go to their base (went is go), then Snowball's English stemmer.
func stemEnglish(word string) string {
	if base, ok := irregular()[word]; ok {
		word = base
	}
	return englishStem(word)
}

//go:embed irregular.txt
var irregularFile string

// irregular maps English irregular forms to their base.
var irregular = sync.OnceValue(func() map[string]string {
	bases := map[string]string{}
	for _, pair := range strings.Fields(irregularFile) {
		form, base, _ := strings.Cut(pair, ":")
		bases[form] = base
	}
	return bases
})
