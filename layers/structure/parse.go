package structure

import (
	"slices"
	"strings"

	"mcp-memory/internal/text"
	"mcp-memory/layers/conversation"
	"mcp-memory/storage"
)

const (
	// maxText is the longest text that is read, in bytes: what is longer is a
	// document, and one statement would not be what it says.
	maxText = 600
	// maxSentences is the same in sentences.
	maxSentences = 6
)

// Parse returns what a text states. It reports false where it is not sure:
// the text states nothing lasting, or two different things, or nothing that
// the rules know.
//
// Value, Object and Reason are stretches of the text with white space
// collapsed, unless the rule gives a fixed word. The same input always gives
// the same statement.
//
// One text is one statement: a sentence that states two things, each of which
// could end without the other, gives none; see [Parts].
func Parse(in Input) (Statement, bool) {
	if right, ok := corrected(in); ok {
		return Parse(right)
	}
	in, slips := amend(in)
	if slips == muddled {
		return Statement{}, false
	}
	if halves := conversation.ByTongue(in.Text); len(halves) > 1 {
		return onlyOf(in, halves)
	}
	if both := togetherIn(&in); both != nil {
		return both[0].Statement, true
	}
	st, ok := parse(in)
	if !ok || st.Attribute == "" || st.replaces() {
		return st, ok
	}
	parts := Parts(in)
	told := func(p Part) bool { return strings.Contains(st.Value, p.Value) }
	if apart(parts) || parts != nil && !slices.ContainsFunc(parts, told) {
		return Statement{}, false
	}
	return st, true
}

// onlyOf returns what one stretch of a text states, each read by the rules of its own
// language, where the others state nothing.
func onlyOf(in Input, stretches []text.Span) (found Statement, ok bool) {
	for _, at := range stretches {
		one := in
		one.Text = strings.Trim(in.Text[at.Start:at.End], " ,，;；、")
		st, states := Parse(one)
		if states && ok {
			return Statement{}, false
		}
		if states {
			found, ok = st, true
		}
	}
	return found, ok
}

// replaces reports whether a statement names what it takes the place of: then the two
// are one.
func (st *Statement) replaces() bool {
	return slices.ContainsFunc(st.Displaces, func(f Former) bool {
		return !f.Loose
	})
}

// Changed returns what a text says takes the place of something that it names and does
// not tell ("We switched from Zorblat to Quux"): its statement has no attribute, and
// Of is what it replaces. It reports false where the text says nothing of the kind.
func Changed(in Input) (Statement, bool) {
	in, slips := amend(in)
	if slips == muddled {
		return Statement{}, false
	}
	in.changes = true
	st, ok := parse(in)
	return st, ok && st.Of != "" && (st.Entity == in.speaker() || st.Entity == project)
}

func parse(in Input) (Statement, bool) {
	l := languageOf(in.Text)
	if l == nil || len(in.Text) > maxText || !l.sincere(in.Text) {
		return Statement{}, false
	}
	sentences := text.Sentences(in.Text)
	if len(sentences) > maxSentences {
		return Statement{}, false
	}
	var found []*draft
	for _, at := range sentences {
		if l.asks(in.Text[at.Start:at.End]) {
			continue
		}
		drafts := l.read(&in, at)
		for _, d := range drafts {
			in = *in.after(&d.Statement)
		}
		found = append(found, drafts...)
	}
	return settle(l.unguarded(found))
}

// settle makes one statement of all that a text states. Two different slots
// are none, for one record holds one; but an ending and what follows it are
// one statement: "I no longer like sushi. Now I like ramen".
func settle(found []*draft) (Statement, bool) {
	found = joined(found)
	var slots, events []*draft
	for _, d := range found {
		switch {
		case d.Attribute == "":
			events = append(events, d)
		case len(slots) == 0 || !slots[len(slots)-1].same(d):
			slots = append(slots, d)
		}
	}
	switch {
	case len(slots) == 1:
		return slots[0].Statement, true
	case len(slots) == 2 && slots[0].yieldsTo(slots[1]):
		slots[1].Displaces = append(append(slots[1].Displaces, slots[0].Displaces...), Former{Attribute: slots[0].Attribute, Value: slots[0].Value})
		return slots[1].Statement, true
	case len(slots) == 0 && len(events) == 1:
		return events[0].Statement, true
	}
	return Statement{}, false
}

// joined makes one directive of those that a sentence gives about answers
// ("briefly, in bullet points").
func joined(found []*draft) []*draft {
	var out []*draft
	for _, d := range found {
		if last := len(out) - 1; last >= 0 && out[last].joins(d) {
			first := out[last]
			first.span.End = d.span.End
			first.Attribute = answerStyle
			first.Value = strings.Join(strings.Fields(first.s.in.Text[first.span.Start:first.span.End]), " ")
			continue
		}
		out = append(out, d)
	}
	return out
}

// joins reports whether two drafts are directives about answers in one sentence.
func (d *draft) joins(o *draft) bool {
	return d.rule != nil && d.rule.attribute == "style" && o.rule.attribute == "style" && d.s == o.s &&
		d.span.End <= o.span.Start && d.span.End > 0
}

// same reports whether two drafts say the same.
func (d *draft) same(o *draft) bool {
	return d.Entity == o.Entity && d.Attribute == o.Attribute && strings.EqualFold(d.Value, o.Value) &&
		d.Polarity == o.Polarity && d.Ended == o.Ended
}

// covers reports whether a clause without a subject only goes on with what d
// says: another one of the same slot, what is liked less, or the same fact from
// another side (a job and where it is).
func (d *draft) covers(o *draft) bool {
	if d.Ended || o.Ended || d.Entity != o.Entity {
		return false
	}
	less := d.rule.name == prefers && o.Polarity == "-"
	return less || d.Attribute == o.Attribute || sides[[2]string{d.Attribute, o.Attribute}]
}

// sides are pairs of attributes that one sentence gives as one fact, the first
// of which is kept.
var sides = map[[2]string]bool{
	{"job title", "employer"}: true, {"employer", "job title"}: true,
	{"school", "field of study"}: true, {"university", "field of study"}: true,
	{"allergies", "dietary restrictions"}: true,
	{"job title", "work city"}:            true, {"work city", "job title"}: true,
}

// yieldsTo reports whether d ends what o takes the place of.
func (d *draft) yieldsTo(o *draft) bool {
	gone := d.Ended || d.Polarity == "-" && d.rule.has("negated")
	alike := d.Attribute == o.Attribute || d.Layer == storage.Preference && o.Layer == storage.Preference
	return gone && !o.Ended && o.Polarity == "" && d.Entity == o.Entity && alike
}

// read returns what a sentence states: nothing, or a statement for each of its
// clauses that states something.
func (l *language) read(in *Input, at text.Span) (found []*draft) {
	s := l.sentence(in, at)
	var who *subject
	for i, start := range l.starts(s.whole) {
		if len(found) > 0 && found[len(found)-1].span.End > start {
			continue // within the value of the one before
		}
		if i > 0 {
			who = l.first(s) // what states a second thing is told by it
			if who != nil && l.introduces(who.who, in.Text[at.Start:start]) {
				if l.code == japaneseCode {
					continue // it may tell of whom was brought in
				}
				who = nil
			}
		}
		d := l.match(s, start, who)
		if d == nil || len(found) > 0 && who != nil && found[0].covers(d) && l.match(s, start, nil) == nil {
			continue
		}
		found = append(found, d)
		s.in = s.in.after(&d.Statement)
	}
	for _, d := range found {
		d.bound()
	}
	if len(found) == 0 {
		if d := l.event(s); d != nil {
			found = append(found, d)
		}
	}
	return found
}

// first returns the subject of a sentence that is passed on to its further
// clauses, nil if its language or the sentence has none: somebody else rather
// than the speaker where both can be read (我老板).
func (l *language) first(s *sentence) *subject {
	if l.spaced {
		return nil
	}
	in := l.reading(s, s.whole, s.at.Start, s.at.End)
	if in == nil {
		return nil
	}
	var who *subject
	for i := range in.subjects {
		sub := &in.subjects[i]
		if strings.HasSuffix(sub.who, "'s") {
			continue
		}
		if who == nil || sub.who == "they" {
			who = sub
		}
	}
	return who
}

// sentence is a sentence in the forms that rules read it in.
type sentence struct {
	in     *Input
	at     text.Span
	whole  *clause // without its reason
	bare   *clause // without its reason and its times
	reason string
	times  []moment
}

func (l *language) sentence(in *Input, at text.Span) *sentence {
	s := &sentence{in: in.from(at.Start), at: at, times: l.moments(in, at)}
	whole, about := l.firstPerson(l.normalise(in.Text, at, nil), in)
	s.whole, s.reason = l.split(whole)
	cuts := make([]text.Span, 0, len(s.times))
	for _, m := range s.times {
		cuts = append(cuts, m.cut)
	}
	bare, so := l.firstPerson(l.normalise(in.Text, at, cuts), in)
	if about || so {
		s.in = in.byUser()
	}
	s.bare, _ = l.split(bare)
	return s
}

// within returns the part of c that comes from a stretch of the text, nil if
// there is nothing of it.
func (c *clause) within(start, end int) *clause {
	first, last := -1, -1
	for i, at := range c.span {
		if at.Start >= start && at.End <= end {
			if first < 0 {
				first = i
			}
			last = i + 1
		}
	}
	if first < 0 {
		return nil
	}
	return c.part(first, last)
}
