package structure

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// pattern is a compiled pattern.
type pattern struct {
	re    *regexp.Regexp
	slots []place         // of re's groups, from the first
	heads map[string]bool // what the matched text may begin with, by [language.head]; nil: anything
}

// place is a named slot of a pattern and its type.
type place struct{ name, kind string }

// match returns the places of the groups in a text, nil if it does not fit. It
// passes over most patterns by the first word of the text.
func (p *pattern) match(l *language, s string) []int {
	if p.heads != nil && !p.heads[l.head(s)] {
		return nil
	}
	return p.re.FindStringSubmatchIndex(s)
}

// head returns the first word of a text, its first sign where words have no
// blanks.
func (l *language) head(s string) string {
	if l.spaced {
		word, _, _ := strings.Cut(s, " ")
		return strings.ToLower(word)
	}
	_, size := utf8.DecodeRuneInString(s)
	return strings.ToLower(s[:size])
}

// part is a piece of a pattern: its expression, what it may begin with (open:
// with anything), and whether it may be empty.
type part struct {
	expression string
	heads      []string
	open       bool
	empty      bool
}

// then puts another part behind.
func (p part) then(q part) part {
	if p.empty {
		p.heads = append(slices.Clone(p.heads), q.heads...)
		p.open = p.open || q.open
	}
	p.expression += q.expression
	p.empty = p.empty && q.empty
	return p
}

// or makes another part an alternative.
func (p part) or(q part) part {
	return part{
		expression: p.expression + "|" + q.expression,
		heads:      append(slices.Clone(p.heads), q.heads...),
		open:       p.open || q.open,
		empty:      p.empty || q.empty,
	}
}

// compiler turns a pattern into a regular expression. Each word takes the blank
// behind it along, so that parts can be left out without care for blanks.
type compiler struct {
	l     *language
	rest  string
	slots []place
}

// compile returns a pattern that matches the beginning of a text, or with
// whole all of it. A text to match ends with a blank.
//
//	word  word(s)     a word, with an ending or without
//	(a|b c)  [a|b c]  one of; one of or nothing
//	{list}            one of a list
//	住む~ing          a verb of Japanese in a form (conjugate.go)
//	<name:type>       a slot
func (l *language) compile(source string, whole bool) (pattern, error) {
	c := &compiler{l: l, rest: source}
	all, err := c.alternatives()
	if err == nil && c.rest != "" {
		err = fmt.Errorf("unexpected %q", c.rest)
	}
	if err != nil {
		return pattern{}, err
	}
	expression := "(?i)^(?:" + all.expression + ")"
	if whole {
		expression += "$"
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return pattern{}, err
	}
	p := pattern{re: re, slots: c.slots}
	if !all.open && !all.empty {
		p.heads = map[string]bool{}
		for _, h := range all.heads {
			p.heads[h] = true
		}
	}
	return p, nil
}

// alternatives reads sequences separated by | up to a closing bracket. Longer
// ones are tried first (是做 before 是), unless that would mix up the slots.
func (c *compiler) alternatives() (part, error) {
	slots := len(c.slots)
	var sequences []part
	for sequence := (part{empty: true}); ; {
		c.rest = strings.TrimLeft(c.rest, " ")
		if c.rest != "" && c.rest[0] != ')' && c.rest[0] != ']' && c.rest[0] != '|' {
			next, err := c.element()
			if err != nil {
				return part{}, err
			}
			sequence = sequence.then(next)
			continue
		}
		sequences = append(sequences, sequence)
		if c.rest == "" || c.rest[0] != '|' {
			break
		}
		c.rest, sequence = c.rest[1:], part{empty: true}
	}
	if len(c.slots) == slots {
		slices.SortStableFunc(sequences, func(a, b part) int { return cmp.Compare(len(b.expression), len(a.expression)) })
	}
	all := sequences[0]
	for _, s := range sequences[1:] {
		all = all.or(s)
	}
	return all, nil
}

func (c *compiler) element() (part, error) {
	switch c.rest[0] {
	case '(', '[':
		return c.group()
	case '{':
		name, ok := c.until('}')
		if words := c.l.lists[name]; ok && len(words) > 0 {
			return c.words(words), nil
		}
		return part{}, fmt.Errorf("unknown list {%s}", name)
	case '<':
		name, ok := c.until('>')
		if !ok {
			return part{}, fmt.Errorf("no end of <%s", name)
		}
		return c.slot(name)
	}
	return c.word()
}

// group reads (…) or […].
func (c *compiler) group() (part, error) {
	optional := c.rest[0] == '['
	c.rest = c.rest[1:]
	inner, err := c.alternatives()
	if err != nil {
		return part{}, err
	}
	want := byte(')')
	if optional {
		want = ']'
	}
	if c.rest == "" || c.rest[0] != want {
		return part{}, fmt.Errorf("no closing %c", want)
	}
	c.rest = c.rest[1:]
	inner.expression = "(?:" + inner.expression + ")"
	if optional {
		inner.expression += "?"
		inner.empty = true
	}
	return inner, nil
}

// until reads a bracketed name.
func (c *compiler) until(end byte) (string, bool) {
	name, rest, ok := strings.Cut(c.rest[1:], string(end))
	c.rest = rest
	return name, ok
}

// slot reads a slot. What it holds is a type's expression, anything that the
// check of its kind allows, or one of a list.
func (c *compiler) slot(name string) (part, error) {
	name, kind, _ := strings.Cut(name, ":")
	c.slots = append(c.slots, place{name, kind})
	expression, typed := c.l.types[kind]
	_, checked := kinds[kind]
	words := c.l.lists[kind]
	switch {
	case typed:
	case checked:
		expression = ".+?"
	case len(words) > 0:
		expression = alternation(words, "")
	default:
		return part{}, fmt.Errorf("unknown kind of slot %q", kind)
	}
	return part{expression: "(" + expression + ")" + c.l.blank(), open: true}, nil
}

// word reads a literal; word(s) may do without the ending.
func (c *compiler) word() (part, error) {
	n := strings.IndexAny(c.rest, " ()[]{}<>|")
	if n < 0 {
		n = len(c.rest)
	}
	word := c.rest[:max(n, 1)]
	c.rest = c.rest[len(word):]
	if verb, form, ok := strings.Cut(word, "~"); ok && c.l.code == japaneseCode {
		all, err := conjugate(verb, form)
		return c.words(all), err
	}
	expression := regexp.QuoteMeta(word)
	heads := []string{c.l.head(word)}
	if strings.HasPrefix(c.rest, "(") && c.l.spaced {
		ending, _ := c.until(')')
		expression += "(?:" + regexp.QuoteMeta(ending) + ")?"
		heads = append(heads, c.l.head(word+ending))
	}
	return part{expression: expression + c.l.blank(), heads: heads}, nil
}

// words returns the part for one of a list.
func (c *compiler) words(words []string) part {
	p := part{expression: "(?:" + alternation(words, c.l.blank()) + ")"}
	for _, w := range words {
		p.heads = append(p.heads, c.l.head(w))
	}
	return p
}

// blank is what may stand behind a word.
func (l *language) blank() string {
	if l.spaced {
		return " "
	}
	return " ?"
}

// alternation returns an expression for one of the words, longer ones first,
// with an ending.
func alternation(words []string, end string) string {
	words = slices.SortedFunc(slices.Values(words), longerFirst)
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w) + end
	}
	return strings.Join(words, "|")
}
