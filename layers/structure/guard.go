package structure

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// guard is a line of words/guard_en.txt, guard_zh.txt or guard_ja.txt: a kind of sentence that
// a rule would read but that does not say so, or not of now and always.
type guard struct {
	where      string   // what it looks at: see guardPlaces
	attributes []string // of which statements; "*" for all, "favourite *" for all that begin so
	match      *regexp.Regexp
	unless     *regexp.Regexp // nil for none
}

// guardPlaces are what a guard may look at: the whole text, the sentence, the
// value, what follows the value in the sentence, the entity.
var guardPlaces = []string{"text", "sentence", "value", "after", "entity"}

func mustGuard(code string) []guard {
	b, err := files.ReadFile("words/guard_" + code + ".txt")
	if err != nil {
		panic(err)
	}
	guards, err := parseGuards(string(b))
	if err != nil {
		panic(err)
	}
	return guards
}

// parseGuards reads "where | attributes | expression | unless" lines.
func parseGuards(table string) ([]guard, error) {
	var out []guard
	for i, line := range strings.Split(table, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		g, err := parseGuard(line)
		if err != nil {
			return nil, fmt.Errorf("guard line %d: %w", i+1, err)
		}
		out = append(out, g)
	}
	return out, nil
}

func parseGuard(line string) (g guard, err error) {
	column, err := columns(line, 4)
	if err != nil {
		return g, err
	}
	if !slices.Contains(guardPlaces, column[0]) {
		return g, fmt.Errorf("unknown place %q", column[0])
	}
	g.where, g.attributes = column[0], strings.Split(column[1], ", ")
	if g.match, err = regexp.Compile("(?i)" + column[2]); err != nil {
		return g, fmt.Errorf("compile expression: %w", err)
	}
	if column[3] == "" {
		return g, nil
	}
	g.unless, err = regexp.Compile("(?i)" + column[3])
	return g, err
}

// guarded reports whether a guard stands against a statement.
func (l *language) guarded(d *draft) bool {
	return slices.ContainsFunc(l.guards(), func(g guard) bool { return g.against(d) })
}

func (g *guard) against(d *draft) bool {
	name := cmp.Or(d.Attribute, slotless)
	if !slices.ContainsFunc(g.attributes, func(a string) bool {
		stem, open := strings.CutSuffix(a, "*")
		return a == name || open && strings.HasPrefix(name, stem)
	}) {
		return false
	}
	s := apostrophes.Replace(g.looksAt(d))
	return g.match.MatchString(s) && (g.unless == nil || !g.unless.MatchString(s))
}

var apostrophes = strings.NewReplacer("’", "'", "ʼ", "'")

// looksAt returns the words that a guard looks at.
func (g *guard) looksAt(d *draft) string {
	switch g.where {
	case "text":
		return d.s.in.Text
	case "value":
		return d.Value
	case "after":
		_, after, _ := strings.Cut(d.outside, "\n")
		return after
	case "entity":
		return d.Entity
	}
	return d.s.in.Text[d.s.at.Start:d.s.at.End]
}

// unguarded returns what no guard stands against. An ending that is guarded
// says nothing either.
func (l *language) unguarded(found []*draft) []*draft {
	if slices.ContainsFunc(found, l.guarded) {
		return nil
	}
	return found
}
