package slot

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Kinds returns the kinds (drink, food, sport, editor, database ...; see
// kinds.txt) of a value that attr holds, sorted; nil if none is known.
//
// The attribute decides ("preferred drink" is of kind drink whatever its
// value), but for attributes that may hold anything, such as likes: there the
// value does, by the word that it ends with.
func Kinds(attr Attribute, value string) []string {
	t := tables()
	name := attr.Name
	if t.generic[name] {
		return t.kindsOf(Value(value))
	}
	for _, prefix := range []string{favourite, preferred} {
		name = strings.TrimPrefix(name, prefix)
	}
	return sorted(t.kinds[name])
}

// kindsOf tells the kinds of a canonical value: of the longest word it ends
// with, else of one that it begins with.
func (t *table) kindsOf(value string) []string {
	value = headOf(value)
	one := singular(value)
	var longest string
	for word := range t.words {
		ends := endsWith(value, word) || endsWith(one, word)
		if ends && (len(word) > len(longest) || len(word) == len(longest) && word < longest) {
			longest = word
		}
	}
	if longest != "" {
		return sorted(t.words[longest])
	}
	var kinds []string
	for start, of := range t.starts {
		if len(value) > len(start) && strings.HasPrefix(value, start) {
			kinds = append(kinds, of...)
		}
	}
	return sorted(kinds)
}

// headOf cuts a value before its first preposition: coffee with milk is coffee.
func headOf(value string) string {
	for at := 0; ; {
		i := strings.IndexByte(value[at:], ' ')
		if i < 0 {
			return value
		}
		at += i + 1
		next, _, _ := strings.Cut(value[at:], " ")
		if preposition(next) {
			return value[:at-1]
		}
	}
}

// endsWith reports whether value ends with word, at a word's border where the
// script has borders.
func endsWith(value, word string) bool {
	rest, ok := strings.CutSuffix(value, word)
	if !ok || rest == "" {
		return ok
	}
	if word[0] >= utf8.RuneSelf {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(rest)
	return last == ' ' || last == '-' || last >= utf8.RuneSelf
}

// sorted returns a sorted copy without repeats.
func sorted(kinds []string) []string {
	kinds = slices.Clone(kinds)
	slices.Sort(kinds)
	return slices.Compact(kinds)
}
