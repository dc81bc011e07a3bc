package slot

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed attributes.txt
var attributesText string

//go:embed kinds.txt
var kindsText string

// tables holds what the text files say. They are compiled in and a test reads
// them, so a line that does not parse is a fault of the program.
var tables = sync.OnceValue(func() *table {
	t, err := parse(attributesText, kindsText)
	if err != nil {
		panic(err)
	}
	return t
})

// table is the two text files, indexed.
type table struct {
	attributes map[string]Attribute // by every known name
	nouns      map[string]string    // by every known name of the noun
	patterns   []pattern

	generic map[string]bool     // attributes whose value decides on the kind
	kinds   map[string][]string // by attribute or noun
	words   map[string][]string // kinds by the words that end a value
	starts  map[string][]string // kinds by the words that begin one
}

// pattern is a name with a noun in it: prefix + noun + suffix is name + noun.
type pattern struct{ prefix, suffix, name string }

// row is one line of a text file.
type row struct {
	name  string
	mark  string
	words []string
}

// rows reads "name | mark | word, word" lines, without comments.
func rows(text string) ([]row, error) {
	var out []row
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "|")
		if len(columns) != 3 {
			return nil, fmt.Errorf("read table: want three columns: %q", line)
		}
		out = append(out, row{
			name:  strings.TrimSpace(columns[0]),
			mark:  strings.TrimSpace(columns[1]),
			words: list(columns[2]),
		})
	}
	return out, nil
}

// list splits at commas and leaves out what is empty.
func list(s string) []string {
	var out []string
	for word := range strings.SplitSeq(s, ",") {
		if word = strings.TrimSpace(word); word != "" {
			out = append(out, word)
		}
	}
	return out
}

// parse reads the two tables.
func parse(attributes, kinds string) (*table, error) {
	t := &table{
		attributes: map[string]Attribute{},
		nouns:      map[string]string{},
		generic:    map[string]bool{},
		kinds:      map[string][]string{},
		words:      map[string][]string{},
		starts:     map[string][]string{},
	}
	lines, err := rows(attributes)
	if err != nil {
		return nil, err
	}
	for _, r := range lines {
		if err := t.addAttribute(r); err != nil {
			return nil, err
		}
	}
	if lines, err = rows(kinds); err != nil {
		return nil, err
	}
	for _, r := range lines {
		t.addKind(r)
	}
	return t, nil
}

// addAttribute indexes one line of attributes.txt. A name that stands there
// twice is an error.
func (t *table) addAttribute(r row) error {
	names := append([]string{r.name}, r.words...)
	if noun, ok := strings.CutPrefix(r.name, "* "); ok {
		for _, n := range append([]string{noun}, r.words...) {
			t.nouns[n] = noun
		}
		return nil
	}
	if base, ok := strings.CutSuffix(r.name, "*"); ok {
		for _, n := range names {
			prefix, suffix, _ := strings.Cut(n, "*")
			t.patterns = append(t.patterns, pattern{prefix, suffix, base})
		}
		return nil
	}
	a, inflected, err := cardinality(r)
	if err != nil {
		return err
	}
	for _, n := range names {
		forms := []string{n}
		if inflected {
			forms = append(forms, singular(n), pluralOf(n))
		}
		for _, form := range sorted(forms) {
			if _, twice := t.attributes[form]; twice {
				return fmt.Errorf("read table: %q of %q stands there twice", form, r.name)
			}
			t.attributes[form] = a
		}
	}
	return nil
}

// cardinality reads the second column; inflected says that the singular and
// the plural of a name are the same attribute.
func cardinality(r row) (a Attribute, inflected bool, err error) {
	if of, ok := strings.CutPrefix(r.mark, "not "); ok {
		return Attribute{Name: of, Multi: true, Negative: true}, true, nil
	}
	switch r.mark {
	case "single":
		return Attribute{Name: r.name}, false, nil
	case "plural":
		return Attribute{Name: r.name, Multi: true}, false, nil
	case "multi":
		return Attribute{Name: r.name, Multi: true}, true, nil
	}
	return Attribute{}, false, fmt.Errorf("read table: unknown cardinality %q of %q", r.mark, r.name)
}

// addKind indexes one line of kinds.txt.
func (t *table) addKind(r row) {
	for _, attribute := range list(r.mark) {
		if r.name == "*" {
			t.generic[attribute] = true
			continue
		}
		t.kinds[attribute] = append(t.kinds[attribute], r.name)
	}
	for _, word := range r.words {
		if start, ok := strings.CutSuffix(word, "*"); ok {
			t.starts[start] = append(t.starts[start], r.name)
			continue
		}
		t.words[word] = append(t.words[word], r.name)
	}
}
