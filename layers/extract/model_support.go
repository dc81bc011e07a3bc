package extract

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
	"mcp-memory/storage"
)

// Why a memory without a quote that stands in a turn is dropped.
const (
	unquoted   = "its quote stands in no turn, and no turn says what it says"
	unsaid     = "it has no quote, and no turn says anything of it"
	ourExample = "is an example of what the model was told"
)

// unsupported says why a memory that no quote supports is dropped: nothing of its text
// was said or, where the model made up a quote for it, less than half. A text in another
// language than one of the turns cannot be held against their words and stays.
func (c *modelCheck) unsupported(m *candidate, quote string) (reason string) {
	if examples[text.Fold(m.Text)] {
		return ourExample
	}
	language := cmp.Or(text.Language(m.Text), wantedLanguage(c.in))
	said := map[string]bool{}
	shown := m.window.turns()
	for i, turn := range shown {
		if !c.counts(shown, i) {
			continue
		}
		content := c.in.Talk.Turns[turn].Content
		if cmp.Or(text.Language(content), c.in.Talk.Language) != language {
			return ""
		}
		for _, term := range contentTerms(content) {
			said[term] = true
		}
	}
	share := sharedOf(contentTerms(m.Text), said)
	switch {
	case quote == "" && share == 0:
		return unsaid
	case quote != "" && max(share, sharedOf(contentTerms(quote), said)) < 0.5:
		return unquoted
	}
	return ""
}

// shortAnswer is how many words an answer has that may agree to what it answers, rather
// than say something itself.
const shortAnswer = 4

// agreeing matches the begin of an answer that agrees, whatever it goes on with.
var agreeing = lazy.MustCompile(`(?i)^[\s\p{P}]*(?:(?:oh|well|ah),? )?(?:(?:yes|yeah|yep|yup|right|exactly|correct|indeed|absolutely|of course|that(?:['’]s| is) (?:right|correct|true)|sí|oui|ja|sim|да)(?:[\s\p{P}]|$)|是的|是啊|对[，,。！!啊的]|没错|嗯|はい|そうです|ええ|うん|네)`)

// counts reports whether a turn's words may support a memory: a person's, or what a
// person answers in a word or agrees to.
func (c *modelCheck) counts(shown []int, i int) bool {
	if isPerson(c.in.Talk.Turns[shown[i]].Role) {
		return true
	}
	if i+1 == len(shown) {
		return false
	}
	next := &c.in.Talk.Turns[shown[i+1]]
	return isPerson(next.Role) && (len(text.Terms(next.Content)) <= shortAnswer || agreeing.MatchString(next.Content))
}

// userWordsOf are what a memory calls the user, which is in none of his words.
var userWordsOf = lazy.MustCompile(`(?i)\bthe user(?:['’]s)?\b|\buser(?:['’]s)?\b|用户|用戶|使用者|ユーザー`)

// contentTerms are the terms of a text without the user. Of Han and kana single letters
// say little: their pairs count, where there are any.
func contentTerms(s string) []string {
	terms := text.Terms(userWordsOf.ReplaceAllLiteralString(s, " "))
	pairs := slices.DeleteFunc(slices.Clone(terms), func(term string) bool {
		r, size := utf8.DecodeRuneInString(term)
		return size == len(term) && r >= '\u2e80'
	})
	if len(pairs) > 0 {
		return pairs
	}
	return terms
}

// sharedOf is the share of terms that were said, in the same word or one made with it:
// bee, beekeeper.
func sharedOf(terms []string, said map[string]bool) float64 {
	if len(terms) == 0 {
		return 0
	}
	n := 0
	for _, term := range terms {
		if said[term] || kindred(term, said) {
			n++
		}
	}
	return float64(n) / float64(len(terms))
}

// leastRoot is the least number of bytes of a word that makes others.
const leastRoot = 3

func kindred(term string, said map[string]bool) bool {
	for other := range said {
		if min(len(term), len(other)) >= leastRoot && term[0] < utf8.RuneSelf && (strings.HasPrefix(term, other) || strings.HasPrefix(other, term)) {
			return true
		}
	}
	return false
}

// examples are the memories' texts that prompts give for examples, folded.
var examples = newExamples()

var exampleText = lazy.MustCompile(`text "([^"]+)"`)

func newExamples() map[string]bool {
	all := map[string]bool{}
	for _, layer := range singleLayers {
		for _, found := range exampleText.FindAllStringSubmatch(guideOf(layer), -1) {
			all[text.Fold(found[1])] = true
		}
	}
	return all
}

// stands reports whether a quote stands in a turn as words: not in the middle of one, and
// one that says nothing by itself ("I", "the") not in the middle of a sentence.
func stands(quote, turn string) bool {
	alone := len(text.Terms(quote)) == 0
	for from := 0; ; {
		i := strings.Index(turn[from:], quote)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(quote)
		if !splits(turn, start) && !splits(turn, end) && (!alone || bounded(turn, start, end)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(turn[start:])
		from = start + size
	}
}

// spaced are the scripts whose words stand apart.
var spaced = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Digit}

// splits reports whether a place is in the middle of a word.
func splits(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	return unicode.In(before, spaced...) && unicode.In(after, spaced...)
}

// bounded reports whether nothing of its sentence stands beside a stretch of a text.
func bounded(s string, start, end int) bool {
	before, after := strings.TrimRight(s[:start], " \"'“”「」"), strings.TrimLeft(s[end:], " \"'“”「」")
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return (before == "" || !hasWord(string(last))) && (after == "" || !hasWord(string(first)))
}

// inferred takes the turn that a memory without a quote rests on.
func (c *modelCheck) inferred(m *candidate, quote string) (reason string) {
	turn, ok := c.named(m)
	if !ok {
		return "no turn of a person says it"
	}
	if reason := c.unsupported(m, quote); reason != "" {
		return reason
	}
	if quote != "" {
		m.note("its quote stands in no turn and is left out")
	}
	m.Turns, m.Speaker, m.Trust = []int{turn}, c.turns[turn].speaker, storage.Inferred
	return ""
}
