package structure

import (
	"slices"
	"strings"

	"mcp-memory/internal/lazy"
	"mcp-memory/layers/slot"
)

// facet is a clause that states two things at once, and the words of each.
type facet struct {
	match      *lazy.Regexp
	first      string // templates of regexp's Expand
	second     string
	attributes []string // of which the whole is one
}

// The facets of the languages: a job and where it is, when and where one was born.
var (
	englishFacets = []facet{
		{lazy.MustCompile(`(?i)^(.*\bwork(?:s|ed|ing)?) ((?:at|for) .+?) (as an? .+?)\.?$`), "$1 $2.", "$1 $3.", work},
		{lazy.MustCompile(`(?i)^(.*\bwork(?:s|ed|ing)?) (as an? .+?) ((?:at|for) .+?)\.?$`), "$1 $3.", "$1 $2.", work},
		{lazy.MustCompile(`(?i)^((.*?)(?:'m| am|'s| is) an? .+?) (?:at|with) (.+?)\.?$`), "$0", "$1.", work},
		{lazy.MustCompile(`(?i)^(.*\bborn) ((?:in|on) .*?\d[^ ]*) ((?:in|near) \pL.+?)\.?$`), "$1 $2.", "$1 $3.", nil},
		{lazy.MustCompile(`(?i)^(.*\bborn) (in \p{Lu}.+?) ((?:in|on) .*\d.*?)\.?$`), "$1 $3.", "$1 $2.", nil},
	}
	chineseFacets = []facet{
		{lazy.MustCompile(`^(.*?)在([^，]+?)(做|当|担任)([^，]+?)。?$`), "${1}在${2}工作。", "${1}${3}${4}。", []string{"employer", "job title", "work city"}},
		{lazy.MustCompile(`^([^，]*?)(于|在)?(\d{4}年[^，出生]*)(出生[在于]|生[在于])([^，]+?)。?$`), "${1}${3}出生。", "${1}出生在${5}。", nil},
	}
	work = []string{"employer", "job title"}
)

// facets returns the words of each thing that a piece of a sentence states, the
// piece itself where that is one.
func (l *language) facets(in *Input, piece string) []string {
	facets := chineseFacets
	switch {
	case l.spaced:
		facets = englishFacets
	case l.code == japaneseCode:
		facets = japaneseFacets
	}
	whole, ok := l.alone(in, piece)
	for _, f := range facets {
		at := f.match.FindStringSubmatchIndex(piece)
		if at == nil || f.attributes != nil && (!ok || !slices.Contains(f.attributes, whole.Attribute)) {
			continue
		}
		one := string(f.match.ExpandString(nil, f.first, piece, at))
		other := string(f.match.ExpandString(nil, f.second, piece, at))
		a, first := l.alone(in, one)
		b, second := l.alone(in, other)
		if first && second && a.Attribute != b.Attribute && a.Entity == b.Entity {
			return []string{one, other}
		}
	}
	return []string{piece}
}

// itemEnd parts the items of a list.
var itemEnd = lazy.MustCompile(`,? (?:and|&) |, |、|和|跟|以及`)

// itemised returns the statement of a piece, one for each item where it lists
// several of what a slot holds many of; nil if it states nothing.
func (l *language) itemised(in *Input, piece string) []Part {
	st, ok := l.alone(in, piece)
	if !ok {
		return nil
	}
	items := itemEnd.Split(st.Value, -1)
	if len(items) < 2 || !l.enumerates(&st, items) {
		return []Part{{st, piece}}
	}
	var out []Part
	for _, item := range items {
		words, one := l.onlyItem(in, piece, &st, item)
		one.Value = item
		out = append(out, Part{one, words})
	}
	return out
}

// maxItem is the longest item of a list, in words: longer ones are told, not listed.
const maxItem = 2

// enumerates reports whether a statement is one of each item: of people and animals by
// name, and of languages and allergies. What is liked may be one thing ("Simon
// and Garfunkel"), or an item may say nothing without the rest of it.
func (l *language) enumerates(st *Statement, items []string) bool {
	named := st.Category == "relationship" || st.Attribute == "pets"
	if !named && st.Attribute != "languages" && st.Attribute != "allergies" || !slot.Canonical(st.Attribute).Multi || st.None {
		return false
	}
	return !slices.ContainsFunc(items, func(item string) bool {
		return item == "" || len(strings.Fields(item)) > maxItem || named && !l.isName(item)
	})
}

// onlyItem returns a piece with one item in place of its list, where that says
// the same of the item; else the piece, which says it too.
func (l *language) onlyItem(in *Input, piece string, st *Statement, item string) (string, Statement) {
	if strings.Count(piece, st.Value) == 1 && st.Category != "relationship" && st.Attribute != "pets" {
		words := strings.Replace(piece, st.Value, item, 1)
		if one, ok := l.alone(in, words); ok && one.Attribute == st.Attribute && one.Entity == st.Entity && one.Value == item {
			return words, one
		}
	}
	return piece, *st
}
