package structure

import (
	"fmt"
	"slices"
	"strings"

	"mcp-memory/layers/slot"
)

// The entities that are not named.
const (
	user    = "user"
	project = "project"
)

// subjectRule is a line of the section [subjects]: how a clause may begin.
type subjectRule struct {
	pattern
	who string // me, we, they; with 's for what is theirs
}

// subject is one reading of how a clause begins.
type subject struct {
	who    string
	entity string
	rest   *clause // the predicate
	agrees bool    // the verb is one of the third person
	left   bool    // nobody is named
}

// addSubject reads who | pattern.
func (l *language) addSubject(line string) error {
	column, err := columns(line, 2)
	if err != nil {
		return err
	}
	switch column[0] {
	case "me", "we", "they", "me's", "we's", "they's":
	default:
		return fmt.Errorf("unknown subject %q", column[0])
	}
	s := &subjectRule{who: column[0]}
	if s.pattern, err = l.compile(column[1], false); err != nil {
		return err
	}
	l.subjects = append(l.subjects, s)
	return nil
}

// subjectsOf returns all readings of how a clause begins.
func (l *language) subjectsOf(c *clause, in *Input) []subject {
	var out []subject
	line := c.text + " "
	if l.begins("spell", c.text) { // of life: 子供の頃は is no child's
		return l.leftOut(c, in)
	}
	for _, s := range l.subjects {
		at := s.match(l, line)
		if at == nil || at[1] >= len(c.text) || s.who == "me" && l.begins("someone", c.text[at[1]:]) {
			continue
		}
		found := subject{who: s.who}
		if len(at) > 2 {
			start, end := at[2], at[3]
			if strings.HasPrefix(s.slots[0].kind, "name") && !l.isName(c.text[start:end]) {
				continue
			}
			found.entity = l.nameOf(c, start, end, in)
		}
		for _, rest := range l.predicates(c.part(at[1], len(c.text))) {
			found.rest, found.agrees = rest, l.agrees(rest.text)
			out = append(out, found)
		}
	}
	if len(out) == 0 {
		return l.leftOut(c, in)
	}
	return out
}

// agrees reports whether a predicate can have a subject of the third person:
// "Ann likes" can, "sounds like" has none.
func (l *language) agrees(predicate string) bool {
	verb, _, _ := strings.Cut(predicate, " ")
	return !l.spaced || strings.HasSuffix(verb, "s") || strings.HasSuffix(verb, "ed") || l.is("third", verb)
}

// maxAdverbs is how many adverbs in a row are passed over.
const maxAdverbs = 4

// predicates returns a predicate as it stands, and without the adverbs that it
// begins with or that follow its auxiliary ("have always loved"). One that only
// looks like an adverb (老 in 老家) costs nothing: all readings are tried.
func (l *language) predicates(c *clause) []*clause {
	out := []*clause{c}
	aux := l.prefix("auxiliary", c.text)
	for _, head := range []int{0, aux} {
		at := head
		for range maxAdverbs {
			rest := strings.TrimLeft(c.text[at:], l.joints())
			n := l.prefix("adverb", rest)
			if n == 0 || n == len(rest) || l.code == japaneseCode && l.begins("city", rest) {
				break
			}
			at = len(c.text) - len(strings.TrimLeft(rest[n:], l.joints()))
			out = append(out, c.less(head, at))
		}
		if aux == 0 {
			break
		}
	}
	if l.code == japaneseCode {
		slices.Reverse(out) // an adverb is never part of a value: もう in もう寿司は嫌い
	}
	return out
}

// joints may stand between an adverb and what follows it.
func (l *language) joints() string {
	if l.code == japaneseCode {
		return " ，"
	}
	return " ,"
}

// less returns c without a stretch of it.
func (c *clause) less(start, end int) *clause {
	rest := c.part(end, len(c.text))
	if start == 0 {
		return rest
	}
	head := c.part(0, start)
	return &clause{
		from: c.from,
		text: head.text + " " + rest.text,
		span: append(append(slices.Clone(head.span), head.span[start-1]), rest.span...),
	}
}

// nameOf returns the entity that a stretch names.
func (l *language) nameOf(c *clause, start, end int, in *Input) string {
	name := c.source(start, end)
	if full, ok := l.pair("full", name); ok {
		name = full
	}
	display, _ := slot.Entity(name, in.UserNames...)
	return display
}

// pair looks a word up in a list of "word=other" entries.
func (l *language) pair(list, word string) (string, bool) {
	word = l.plain(word)
	for _, entry := range l.lists[list] {
		if from, to, _ := strings.Cut(entry, "="); strings.EqualFold(from, word) {
			return to, true
		}
	}
	return "", false
}

// speaker is the entity of "I".
func (in *Input) speaker() string {
	if strings.TrimSpace(in.Speaker) == "" {
		return user
	}
	display, _ := slot.Entity(in.Speaker, in.UserNames...)
	return display
}

// fits returns the entity of a rule's subject, if the reading suits the rule.
func (s *subject) fits(r *rule, in *Input) (string, bool) {
	token, theirs := strings.CutSuffix(r.subject, "'s")
	who, owned := strings.CutSuffix(s.who, "'s")
	if theirs != owned {
		return "", false
	}
	switch {
	case who == "me" && token != "W":
		return in.speaker(), true
	case who == "we" && token == "P":
		return in.speaker(), true
	case who == "we" && token == "W":
		return project, true
	case who == "they" && (token == "S" || token == "P"):
		return s.entity, owned || s.agrees
	}
	return "", false
}
