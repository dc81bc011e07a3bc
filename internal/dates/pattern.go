package dates

import (
	"fmt"
	"strings"
	"unicode"
)

// A step of a pattern is a literal token or a class with the slot it fills.
type step struct {
	literal string
	class   string
	slot    slot
}

// A pattern is written as it looks in a text, with (a|b) for a choice, [a] for
// what may be left out, and <class> for a word of a class; <class2> fills a
// second slot of the class. patternParser turns it into all its plain forms.
type patternParser struct {
	rest  []rune
	known *book
}

// expand gives the forms of a pattern in a fixed order.
func expand(pattern string, known *book) ([][]step, error) {
	p := patternParser{rest: []rune(pattern), known: known}
	forms, err := p.choice()
	if err != nil {
		return nil, fmt.Errorf("read pattern %q: %w", pattern, err)
	}
	if len(p.rest) > 0 {
		return nil, fmt.Errorf("read pattern %q: %q closes nothing", pattern, p.rest[0])
	}
	return forms, nil
}

func (p *patternParser) choice() ([][]step, error) {
	var all [][]step
	for {
		forms, err := p.sequence()
		if err != nil {
			return nil, err
		}
		all = append(all, forms...)
		if len(p.rest) == 0 || p.rest[0] != '|' {
			return all, nil
		}
		p.rest = p.rest[1:]
	}
}

func (p *patternParser) sequence() ([][]step, error) {
	forms := [][]step{nil}
	for len(p.rest) > 0 && !strings.ContainsRune("|)]", p.rest[0]) {
		part, err := p.item()
		if err != nil {
			return nil, err
		}
		forms = product(forms, part)
	}
	return forms, nil
}

func (p *patternParser) item() ([][]step, error) {
	switch p.rest[0] {
	case '(':
		return p.group(')')
	case '[':
		forms, err := p.group(']')
		return append(forms, nil), err
	case '<':
		return p.class()
	}
	return p.literal(), nil
}

func (p *patternParser) group(end rune) ([][]step, error) {
	p.rest = p.rest[1:]
	forms, err := p.choice()
	if err != nil {
		return nil, err
	}
	if len(p.rest) == 0 || p.rest[0] != end {
		return nil, fmt.Errorf("no %q", end)
	}
	p.rest = p.rest[1:]
	return forms, nil
}

func (p *patternParser) class() ([][]step, error) {
	s := string(p.rest)
	end := strings.IndexByte(s, '>')
	if end < 0 {
		return nil, fmt.Errorf("no %q", '>')
	}
	name := s[1:end]
	p.rest = []rune(s[end+1:])
	class := strings.TrimSuffix(name, "2")
	to, ok := slotOf(name)
	if !ok {
		return nil, fmt.Errorf("no slot for <%s>", name)
	}
	return [][]step{{{class: class, slot: to}}}, nil
}

func (p *patternParser) literal() [][]step {
	end := 0
	for end < len(p.rest) && !isSyntax(p.rest[end]) {
		end++
	}
	var form []step
	for _, t := range scan(string(p.rest[:end]), p.known) {
		form = append(form, step{literal: t.low})
	}
	p.rest = p.rest[end:]
	return [][]step{form}
}

func isSyntax(r rune) bool {
	return r < unicode.MaxASCII && strings.ContainsRune("()[]<>|", r)
}

func product(left, right [][]step) [][]step {
	out := make([][]step, 0, len(left)*len(right))
	for _, l := range left {
		for _, r := range right {
			out = append(out, append(l[:len(l):len(l)], r...))
		}
	}
	return out
}
