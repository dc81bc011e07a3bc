package structure

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
	"mcp-memory/layers/slot"
)

// draft is a statement in the making.
type draft struct {
	Statement
	rule    *rule
	s       *sentence
	span    text.Span // of the value in the text; empty if it has none there
	outside string    // the sentence without the value
	noun    string    // what stands for * in the attribute
	old     string    // what the value takes the place of
}

// Confidence of rules: what is plainly worded ("my name is"), and the rest.
const (
	certain    = 0.95
	confidence = 0.85
)

// match is a rule that fits a clause.
type match struct {
	rule    *rule
	s       *sentence
	c       *clause // what follows the subject
	subject string  // the entity of the subject
	slots   map[string]stretch
}

// word returns what a slot holds, as it was written; "" if it is not there.
func (m *match) word(slot string) string {
	v, ok := m.slots[slot]
	if !ok {
		return ""
	}
	return m.c.source(v.start, v.end)
}

// draft fills the statement of a match, and returns nil where it turns out that
// the rule does not fit after all.
func (l *language) draft(m *match) *draft {
	r := m.rule
	d := &draft{rule: r, s: m.s, outside: m.s.in.Text[m.s.at.Start:m.s.at.End], old: m.word("o")}
	d.Statement = Statement{
		Entity: l.entity(m), Layer: r.layer, Category: r.category, Reason: m.s.reason,
		Rule: r.name, Confidence: confidence, Ended: r.has("ended"),
	}
	if r.has("sure") {
		d.Confidence = certain
	}
	if r.has("minus") {
		d.Polarity = "-"
	}
	d.value(m)
	if noun := m.word("k"); noun != "" {
		d.noun = l.noun(noun)
		if whole := l.joined(m); whole != "" {
			d.noun, d.Entity = l.noun(whole), project
		}
	}
	if l.spaced && (l.hasPurpose(d.old) || ofEach[d.rule.attribute] && jointly.MatchString(d.outside) || d.rule.attribute == "bank" && forOne.MatchString(d.outside)) {
		return nil // "Postgres for the reports", "My brother and I are called Tom and Tim"
	}
	if d.rule.name == "apposed" && oneOfSeveral.MatchString(d.noun) {
		return nil
	}
	if !l.name(d) || !d.suits(l, l.cues(d.outside)) || !l.place(d, m.s) {
		return nil
	}
	if r.has("standing") && l.contains("once", d.Value) || l.passes(d) || l.jests(d) {
		return nil
	}
	if d.Reason == "" && r.name == prefers {
		d.Reason = l.sake(d)
	}
	d.object(l)
	return d
}

// oneOfSeveral matches who is one of several to most: a remark on one teacher says nothing
// of another.
var oneOfSeveral = lazy.MustCompile(`(?i)(?:teacher|coach|trainer|instructor|professor|tutor|doctor|nurse|assistant|client|customer|student)$|老师|教师|教练|医生|教授|学生|客户|助理|护士`)

// forOne matches a purpose behind a value: "Monzo for travel".
var forOne = lazy.MustCompile(`\n\s*for `)

// ofEach are attributes of which each of several people has a value of his own.
var ofEach = map[string]bool{"name": true, "birthday": true, "age": true}

// jointly matches a sentence that is said of the speaker and of another.
var jointly = lazy.MustCompile(`^\W*(?:[Bb]oth )?(?:(?:[Mm]y|[Oo]ur) [\w-]+(?: \p{Lu}\w+)?|\p{Lu}\w+) and (?:I|me)\b`)

// value fills the value: what the slot v holds, or a fixed word.
func (d *draft) value(m *match) {
	if v, ok := m.slots["v"]; ok {
		d.Value = m.word("v")
		d.span = text.Span{Start: m.c.span[v.start].Start, End: m.c.span[v.end-1].End}
		text, at := m.s.in.Text, m.s.at
		d.outside = text[at.Start:d.span.Start] + "\n" + text[d.span.End:at.End]
	}
	if fixed, ok := d.rule.flags["value"]; ok {
		d.Value = fixed
	}
	if d.rule.has("none") {
		d.Value, d.None = "none", true
	}
}

// passes reports whether the words beside a taste hold it to the day: "I'm off
// coffee today". An event of today has happened, so it is for tastes only.
func (l *language) passes(d *draft) bool {
	if d.Category != preference {
		return false
	}
	outside := l.without("lasting", d.outside)
	diet := strings.HasPrefix(d.Attribute, "diet")
	return l.contains("passing", outside) || diet && l.contains("passing diet", outside)
}

// jests reports whether nobody means what is said: that he likes what is a
// nuisance to all, or that sleep is his hobby.
func (l *language) jests(d *draft) bool {
	switch d.Attribute {
	case "likes", preference:
		return d.Polarity == "" && !d.Ended && l.contains("nuisance", d.Value)
	case "hobbies", "skills", "favourite sport":
		return l.is("idle", d.Value)
	}
	return false
}

// prefers is the name of the rules of comparisons.
const prefers = "prefers"

// sake returns the reason that follows a preference without a "because":
// 我更喜欢坐火车，路上可以看书. It has no subject of its own.
func (l *language) sake(d *draft) string {
	rest, ok := strings.CutPrefix(d.s.in.Text[d.span.End:d.s.at.End], "，")
	rest = strings.Trim(rest, edges)
	if !ok || l.spaced || strings.ContainsAny(rest, "我你您他她它，不") || !l.contains("sake", rest) || l.begins("sake no", rest) {
		return ""
	}
	return rest
}

// entity returns what a rule's statement is about.
func (l *language) entity(m *match) string {
	name := m.rule.entity
	if v, ok := m.slots[name]; ok {
		return l.nameOf(m.c, v.start, v.end, m.s.in)
	}
	switch {
	case name == "S":
		return m.subject
	case name == user:
		return m.s.in.speaker()
	}
	return project // an unnamed part of it too
}

// joined returns part and component as one word, if that is a component: 前端框架
// is no 框架 of 前端.
func (l *language) joined(m *match) string {
	e, k := m.slots["e"], m.slots["k"]
	if e.start >= e.end {
		return ""
	}
	whole := e.of(m.c) + strings.TrimSuffix(l.blank(), " ?") + k.of(m.c)
	if !l.is("component", whole) {
		return ""
	}
	return whole
}

// name settles the attribute, which a rule may leave to the kind of its value,
// and reports whether the value is of a kind that the rule allows.
func (l *language) name(d *draft) bool {
	kinds := l.kinds(d.Value)
	if allowed := d.rule.flags["kinds"]; allowed != "" {
		list := strings.Split(allowed, ",")
		kinds = slices.DeleteFunc(append(kinds, l.kinds(d.old)...), func(k string) bool { return !slices.Contains(list, k) })
		if len(kinds) == 0 {
			return false
		}
	}
	name := d.rule.attribute
	switch {
	case name == slotless:
		return true
	case name == holding:
		return l.replaces(d)
	case name == "choice":
		name = l.choice(d.noun)
	case name == "kind":
		name = kinds[0]
	case name == "component":
		name = l.component(d, kinds)
	case name == "preferred":
		name = preferred(kinds)
	case name == "style":
		name = l.style(d.Value)
	}
	a := slot.Canonical(strings.Replace(name, "*", d.noun, 1))
	d.Attribute = a.Name
	if a.Negative {
		d.Polarity = "-"
	}
	return a.Name != ""
}

// slotless is the attribute of rules whose statements have no slot.
const slotless = "-"

// holding is the attribute of rules that tell what takes the place of something and
// not what either is: that is known from what was said before, or not at all.
const holding = "held"

// replaces settles what a statement of such a rule replaces. It reports false where that
// is no thing of its kind: "I took the bus instead of Chrome", 上海的航班 for 北京.
func (l *language) replaces(d *draft) bool {
	d.Of, d.OfKind = d.old, d.noun
	switch {
	case d.Of == "" || strings.EqualFold(d.Of, d.Value):
		return false
	case l.contains("passing", l.without("lasting", d.outside)), l.spaced && partly.MatchString(d.Value) && !partly.MatchString(d.Of), l.spaced && beside.MatchString(d.outside):
		return false
	case l.spaced:
		return isCapital(d.Of) == isCapital(d.Value) || slices.ContainsFunc(l.kinds(d.Of), func(kind string) bool { return slices.Contains(l.kinds(d.Value), kind) })
	}
	if before, _, _ := strings.Cut(d.outside, "\n"); besideWide.MatchString(before) {
		return false
	}
	return strings.ContainsAny(d.Of, "的の") == strings.ContainsAny(d.Value, "的の")
}

// partly matches what tells where or for what something holds, not everywhere: "the viola
// for one piece".
var partly = lazy.MustCompile(`(?i)\s(?:for|in|on|at|as|with|when|while|until|during)\s`)

// beside matches the same behind the value: "on my work laptop".
var beside = lazy.MustCompile(`(?i)\n.*\b(?:for|on|at|as|with|in) (?:my|our|the|his|her|their|a|an|some|one|work|home)\b`)

// besideWide matches the same in front of a statement, in Chinese and Japanese: 家では.
var besideWide = lazy.MustCompile(`では[、，]?|(?:^|[^现正])在(?:家|公司|单位|学校|手机|电脑)`)

// choice returns the attribute of what was chosen for something.
func (l *language) choice(noun string) string {
	if l.is("component", noun) || l.is("artefact", noun) {
		return l.noun(noun)
	}
	return noun + " choice"
}

// component returns the part of a project that a statement is about: the noun
// that was said, else the kind of what was and is used; "" if none is known.
func (l *language) component(d *draft, kinds []string) string {
	if d.noun != "" {
		return d.noun
	}
	for _, kind := range append(kinds, l.kinds(d.old)...) {
		if technical[kind] {
			return kind
		}
	}
	return ""
}

// answerStyle is the attribute of directives about more than one side of answers.
const answerStyle = "answer style"

// style returns which side of answers a directive is about, so that a later one
// about the same side takes its place and others do not.
func (l *language) style(directive string) string {
	name := ""
	for _, side := range []string{"answer length", "answer format", "tone"} {
		if !l.contains(side, directive) {
			continue
		}
		if name != "" {
			return answerStyle
		}
		name = side
	}
	return cmp.Or(name, answerStyle)
}

// preference is the attribute of what is preferred, many at a time.
const preference = "preference"

// preferred returns the attribute of a preference: one at a time of what is
// mostly one at a time, for the rest many.
func preferred(kinds []string) string {
	for _, kind := range kinds {
		switch kind {
		case "drink", "editor", "browser", "operating system", "programming language", "theme":
			return "preferred " + kind
		}
	}
	return preference
}

// noun returns the name by which an attribute's noun is known in the tables.
func (l *language) noun(s string) string {
	for _, list := range []string{"role", "parts"} {
		if name, ok := l.pair(list, strings.Join(strings.Fields(s), " ")); ok {
			return name
		}
	}
	return strings.ToLower(s)
}

// likes is an attribute that may hold anything, so that the value alone decides
// on its kind.
var likes = sync.OnceValue(func() slot.Attribute { return slot.Canonical("likes") })

// kinds returns the kinds of a value, as far as its words tell. A version
// behind a name does not count: Ubuntu 22.04 is of the kind of Ubuntu.
func (l *language) kinds(value string) []string {
	return slot.Kinds(likes(), strings.TrimRight(value, " 0123456789.v"))
}
