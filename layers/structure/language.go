package structure

import (
	"embed"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"mcp-memory/internal/text"
)

//go:embed words/*.txt rules/*.txt
var files embed.FS

// The languages, read when a text first asks for them. The files are
// compiled in and a test reads them, so a line that does not parse is a fault of
// the program. A further language is three files, a line here and a case in
// [languageOf].
var (
	english = sync.OnceValue(func() *language { return mustLoad("en") })
	chinese = sync.OnceValue(func() *language { return mustLoad("zh") })

	japanese = sync.OnceValue(func() *language { return mustLoad(japaneseCode) })
)

func mustLoad(code string) *language {
	l, err := load(code)
	if err != nil {
		panic(err)
	}
	return l
}

// load reads the two files of a language.
func load(code string) (*language, error) {
	words, err := files.ReadFile("words/" + code + ".txt")
	if err != nil {
		return nil, fmt.Errorf("load words: %w", err)
	}
	rules, err := files.ReadFile("rules/" + code + ".txt")
	if err != nil {
		return nil, fmt.Errorf("load rules: %w", err)
	}
	return parseTable(code, string(words), string(rules))
}

// languageOf returns the rules for a text: Japanese if kana are in it, Chinese if a
// Han character is, English if Latin letters are, nil if it is written in anything
// else too.
func languageOf(s string) *language {
	han, latin, kana := false, false, false
	for _, r := range s {
		switch {
		case isKana(r):
			kana = true
		case unicode.Is(unicode.Han, r):
			han = true
		case unicode.In(r, unicode.Latin):
			latin = true
		case unicode.IsLetter(r):
			return nil
		}
	}
	switch {
	case kana:
		return japanese()
	case han:
		return chinese()
	case latin:
		return english()
	}
	return nil
}

// plain returns s as the lists are written, Han characters simplified, where that
// leaves every byte in its place: what lists are asked about is text as it was said,
// too.
func (l *language) plain(s string) string {
	if l.spaced || l.code == japaneseCode {
		return s
	}
	if simple := text.Simplified(s); len(simple) == len(s) {
		return simple
	}
	return s
}

// is reports whether a word stands in a list.
func (l *language) is(list, word string) bool {
	return l.words[list][strings.ToLower(l.plain(word))]
}

// none is what lists that a language does without find.
var none = newFinder(nil)

// list returns what finds the words of a list.
func (l *language) list(name string) *finder {
	if f := l.finds[name]; f != nil {
		return f
	}
	return none
}

// begins reports whether s begins with a word of the list.
func (l *language) begins(list, s string) bool { return l.list(list).prefix(l.plain(s)) > 0 }

// prefix returns the length of the longest entry of the list that s begins
// with, 0 if there is none.
func (l *language) prefix(list, s string) int { return l.list(list).prefix(l.plain(s)) }

// suffix is prefix for the end of s.
func (l *language) suffix(list, s string) int { return l.list(list).suffix(l.plain(s)) }

// contains reports whether an entry of the list stands anywhere in s.
func (l *language) contains(list, s string) bool { return l.list(list).in(l.plain(s)) }
