package layers

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/dates"
	"mcp-memory/internal/text"
)

// names are words that tell of one thing alone, folded: they stand for the value of a
// record that has none, or one of several words that is not repeated as a whole.
type names map[string]bool

// Lengths of names, in bytes: of one at all, of digits alone, and from which on one is
// known with an ending too ("Grünspahns").
const (
	nameBytes   = 4
	numberBytes = 5
	stemBytes   = 6
)

// of reports whether a text holds any of the names as a word that is written as one: in
// small letters ("I write code", of Visual Studio Code) only where all of the text is.
func (n names) of(s string) bool {
	if len(n) == 0 {
		return false
	}
	small, found := !strings.ContainsFunc(s, unicode.IsUpper), false
	eachWord(s, func(word string, _ bool) {
		if found || !small && !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) }) {
			return
		}
		word = text.Fold(word)
		found = n[word]
		for end := stemBytes; end < len(word) && !found; end++ {
			found = n[word[:end]]
		}
	})
	return found
}

// namesIn returns the names in a text as it was written: what has a capital within a
// sentence, and what has digits. A time is none, nor is anything where all is written
// with capitals.
func namesIn(s string) (found []string) {
	within, capital := 0, 0
	eachWord(s, func(word string, first bool) {
		r, _ := utf8.DecodeRuneInString(word)
		upper := !first && unicode.IsUpper(r)
		if !first {
			within++
		}
		if upper {
			capital++
		}
		if (upper && len(word) >= nameBytes || numbered(word)) && len(text.Terms(word)) > 0 && !isTime(word) {
			found = append(found, text.Fold(word))
		}
	})
	if within > 2 && capital == within {
		return nil
	}
	return found
}

// isTime reports whether a word is a weekday, a month or a season.
func isTime(word string) bool {
	ref := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) // which is of no matter
	return len(dates.Find("last "+word, ref)) > 0
}

// numbered reports whether a word is one of digits: a code, a number of many.
func numbered(word string) bool {
	digits := strings.ContainsFunc(word, unicode.IsDigit)
	return digits && (len(word) >= numberBytes || len(word) >= nameBytes && strings.ContainsFunc(word, unicode.IsLetter))
}

// eachWord calls fn with the words of a text, and whether one may begin a sentence.
func eachWord(s string, fn func(word string, first bool)) {
	first := true
	for len(s) > 0 {
		end := strings.IndexFunc(s, func(r rune) bool { return !inName(r) })
		if end < 0 {
			end = len(s)
		}
		if end > 0 {
			fn(s[:end], first)
			first = false
		}
		next := strings.IndexFunc(s[end:], inName)
		if next < 0 {
			return
		}
		between := s[end : end+next]
		first = first || strings.ContainsFunc(between, func(r rune) bool { return !unicode.IsSpace(r) && !strings.ContainsRune(",'’-", r) || r == '\n' })
		s = s[end+next:]
	}
}

func inName(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// settle takes the names of records without a value that no other record holds: they
// tell of these alone. It is called once all were added.
func (t *traces) settle() {
	for _, name := range t.named {
		if !t.known(name) {
			t.names[name] = true
		}
	}
	t.named = nil
}

// known reports whether a record that stays holds a word.
func (t *traces) known(word string) bool {
	terms := text.QueryTerms(word)
	for n := range t.sp.words.Postings(terms[0]) {
		d := &t.sp.docs[n]
		if t.ids[d.id] || d.forgotten() {
			continue
		}
		if len(terms) == 1 || !slices.ContainsFunc(terms[1:], func(term string) bool { return !t.sp.posted(term, n) }) {
			return true
		}
	}
	return false
}

// posted reports whether a record is found by a term.
func (sp *space) posted(term string, n uint32) bool {
	for doc := range sp.words.Postings(term) {
		if doc >= n {
			return doc == n
		}
	}
	return false
}
