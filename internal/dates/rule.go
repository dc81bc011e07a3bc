package dates

import (
	"fmt"
	"slices"
	"strconv"
)

// rule reads the meaning of a pattern and puts its forms where the section says.
func (b *book) rule(section, pattern string, meaning []string, order int) error {
	if len(meaning) == 0 {
		return fmt.Errorf("%q means nothing", pattern)
	}
	r := &rule{order: order}
	to, err := b.place(section, meaning[0], r)
	if err != nil {
		return err
	}
	for _, word := range meaning[1:] {
		if err := r.argument(word); err != nil {
			return err
		}
	}
	forms, err := expand(pattern, b)
	if err != nil {
		return err
	}
	for _, form := range forms {
		if len(form) == 0 {
			return fmt.Errorf("%q may be empty", pattern)
		}
		if !to.add(form, r, b.classes) {
			return fmt.Errorf("%q names a class that no section has defined", pattern)
		}
	}
	return nil
}

// place reads the first word of a meaning, by section, and gives the trie.
func (b *book) place(section, word string, r *rule) (*trie, error) {
	var ok bool
	var to *trie
	switch section {
	case "rules":
		r.verb, ok = verbs[word]
		to = &b.core
	case "clock":
		ok = word == "clock" || word == "half"
		to = &b.clocks
	case "before", "after", "joint":
		r.role, ok = named[Role](roleNames[:], word)
		to = map[string]*trie{"before": &b.before, "after": &b.after, "joint": &b.joint}[section]
	case "part before", "part after":
		r.edge, ok = named[edge](edgeNames[:], word)
		to = map[string]*trie{"part before": &b.partBefore, "part after": &b.partAfter}[section]
	case "cues":
		r.cue, ok = named[cue](cueNames[:], word)
		to = &b.cues
	default:
		return nil, fmt.Errorf("no section %q for rules", section)
	}
	if !ok {
		return nil, fmt.Errorf("section %q does not know %q", section, word)
	}
	return to, nil
}

func named[T ~int](names []string, word string) (T, bool) {
	i := slices.Index(names, word)
	return T(i), i >= 0
}

// argument reads a word after the verb: a unit, a number, a @condition, or one
// that the verb itself knows.
func (r *rule) argument(word string) error {
	if word[0] == '@' {
		return r.condition(word[1:])
	}
	if n, err := strconv.Atoi(word); err == nil {
		r.by = n
		return nil
	}
	if u, ok := unitNamed(word); ok {
		r.unit = u
		return nil
	}
	switch word {
	case "am", "pm", "noon", "night":
		r.half = word
	case "last", "next", "this", "near", "half", "since":
		r.how = word
	default:
		return fmt.Errorf("no argument %q", word)
	}
	return nil
}

func (r *rule) condition(word string) error {
	switch word {
	case "asked":
		r.asked = true
	case "led":
		r.led = true
	case "question":
		r.question = true
	case "part":
		r.part = true
	case "cap":
		r.capital = true
	case "bare":
		r.bare = true
	case "notpast":
		r.notPast = true
	case "am", "pm", "night":
		r.half = word
	case "end", "early":
		r.edge, _ = named[edge](edgeNames[:], word)
	default:
		return fmt.Errorf("no condition @%s", word)
	}
	return nil
}
