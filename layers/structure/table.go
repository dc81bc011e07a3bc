package structure

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcp-memory/internal/lazy"
	"mcp-memory/storage"
)

// language is what words/*.txt and rules/*.txt say of a language.
type language struct {
	code     string
	spaced   bool // words are set apart by blanks
	lists    map[string][]string
	deeds    *regexp.Regexp    // what happens, of Japanese
	types    map[string]string // regular expressions of slot types
	subjects []*subjectRule
	rules    []*rule
	guards   func() []guard // read when they are first asked for; a test reads all files

	words map[string]map[string]bool // lists as sets, lower case
	finds map[string]*finder         // lists, to look for in a text
}

// rule is one line of the section [rules].
type rule struct {
	name    string
	subject string // I, P, S, W with or without 's; "" for a pattern of the whole clause
	pattern
	timed     bool   // it has a slot that may hold a time: it reads the clause with its times
	entity    string // "S" the subject, "user", "project", or the name of a slot
	attribute string
	layer     storage.Layer
	category  string
	flags     map[string]string
}

// has reports whether a flag is set.
func (r *rule) has(flag string) bool {
	_, ok := r.flags[flag]
	return ok
}

// parseTable reads the two files of a language.
func parseTable(code, words, rules string) (*language, error) {
	l := &language{
		code: code, lists: map[string][]string{}, types: map[string]string{},
		words: map[string]map[string]bool{}, finds: map[string]*finder{},
		guards: sync.OnceValue(func() []guard { return mustGuard(code) }),
	}
	if err := eachLine(words, l.addList); err != nil {
		return nil, fmt.Errorf("read words of %s: %w", code, err)
	}
	for name, list := range l.lists {
		l.finds[name] = newFinder(list)
	}
	if code == japaneseCode {
		var err error
		if l.deeds, err = l.deedPattern(); err != nil {
			return nil, fmt.Errorf("read words of %s: %w", code, err)
		}
	}
	add := l.addType
	err := eachLine(rules, func(line string) error {
		switch line {
		case "[types]":
			add = l.addType
		case "[subjects]":
			add = l.addSubject
		case "[rules]":
			add = l.addRule
		default:
			return add(line)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read rules of %s: %w", code, err)
	}
	return l, nil
}

// eachLine calls add for the lines of a file that are no comment.
func eachLine(content string, add func(string) error) error {
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := add(line); err != nil {
			return fmt.Errorf("%w: %q", err, line)
		}
	}
	return nil
}

// addType reads "name = expression", in which {list} is one of a list.
func (l *language) addType(line string) error {
	name, expression, ok := strings.Cut(line, " = ")
	if !ok {
		return errors.New("want name = expression")
	}
	l.types[name] = listed.ReplaceAllStringFunc(expression, func(name string) string {
		return "(?:" + alternation(l.lists[name[1:len(name)-1]], "") + ")"
	})
	return nil
}

// listed matches {list} in the expression of a type; {0,3} is none.
var listed = lazy.MustCompile(`\{[a-z][a-z -]*\}`)

// addList reads "name: word, word"; a name may come again.
func (l *language) addList(line string) error {
	name, words, ok := strings.Cut(line, ":")
	if !ok {
		return errors.New("want name: words")
	}
	if l.words[name] == nil {
		l.words[name] = map[string]bool{}
	}
	for word := range strings.SplitSeq(words, ", ") {
		if word = strings.TrimSpace(word); word != "" {
			l.lists[name] = append(l.lists[name], word)
			l.words[name][strings.ToLower(word)] = true
		}
	}
	if name == "setting" {
		l.spaced = l.words[name]["spaced"]
	}
	return nil
}

// columns splits a line of n columns.
func columns(line string, n int) ([]string, error) {
	out := strings.Split(line+" ", " | ")
	if len(out) != n {
		return nil, fmt.Errorf("has %d columns, want %d", len(out), n)
	}
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out, nil
}

// addRule reads name | pattern | entity | attribute | layer category | flags.
func (l *language) addRule(line string) error {
	column, err := columns(line, 6)
	if err != nil {
		return err
	}
	r := &rule{name: column[0], entity: column[2], attribute: column[3], flags: map[string]string{}}
	layer, category, ok := strings.Cut(column[4], " ")
	r.layer, r.category = storage.Layer(layer), category
	if !ok || !slices.Contains(storage.Layers, r.layer) {
		return fmt.Errorf("unknown layer %q", column[4])
	}
	for flag := range strings.FieldsSeq(column[5]) {
		name, value, _ := strings.Cut(flag, "=")
		if !knownFlags[name] {
			return fmt.Errorf("unknown flag %q", name)
		}
		r.flags[name] = strings.ReplaceAll(value, "_", " ")
	}
	source := column[1]
	if first, rest, ok := strings.Cut(source, " "); ok && subjectTokens[first] {
		r.subject, source = first, rest
	}
	if r.pattern, err = l.compile(source, true); err != nil {
		return err
	}
	r.timed = r.has("whole") || slices.ContainsFunc(r.slots, func(p place) bool { return kinds[p.kind].timed })
	l.rules = append(l.rules, r)
	return nil
}

// subjectTokens may begin a pattern. I is the speaker, P the speaker or his
// household ("we"), S the speaker or somebody who is named, W those who build
// something; with 's what is theirs.
var subjectTokens = map[string]bool{
	"I": true, "P": true, "S": true, "W": true, "I's": true, "P's": true, "S's": true, "W's": true,
}

// knownFlags of rules; see the head of rules/en.txt.
var knownFlags = map[string]bool{
	"anymore": true, "by": true, "close": true, "close-now": true, "dated": true, "ended": true, "greeted": true,
	"habit": true, "kinds": true, "list": true, "minus": true, "negated": true, "none": true, "only-again": true, "only-now": true,
	"past": true, "since": true, "standing": true, "start": true, "stop": true, "sure": true, "value": true, "whole": true,
}
