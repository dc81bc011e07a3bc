package structure

import (
	"strings"
	"unicode/utf8"
)

// reading is a clause with the readings of its subject.
type reading struct {
	c        *clause
	subjects []subject
}

func (l *language) reading(s *sentence, c *clause, start, end int) *reading {
	c = c.within(start, end)
	if c == nil {
		return nil
	}
	c = l.tailless(l.trim(c))
	if at := l.skipOpening(c, 0); at > 0 {
		c = c.part(at, len(c.text))
	}
	if len(c.text) == 0 {
		return nil
	}
	return &reading{c: c, subjects: l.subjectsOf(c, s.in)}
}

// implied gives a clause that goes on after a pause the subject of the first
// clause: 我搬家了，现在住在佛山.
func (l *language) implied(in *reading, who *subject) *reading {
	if in == nil || len(in.subjects) > 0 && (!in.subjects[0].left || who.left) {
		return in
	}
	out := &reading{c: in.c}
	for _, rest := range l.predicates(in.c) {
		out.subjects = append(out.subjects, subject{who: who.who, entity: who.entity, rest: rest, agrees: true})
	}
	return out
}

// match returns what the first rule that fits makes of the clause that begins
// at a place of the text.
//
// Where no rule fits it to the end of the sentence, it is read up to the next
// pause, unless what follows takes it back. Where who is given, a clause without
// a subject has that one.
func (l *language) match(s *sentence, start int, who *subject) *draft {
	if d := l.matchTo(s, start, s.at.End, who); d != nil {
		return d
	}
	end := l.pauseAfter(s.whole, start+1)
	if end == 0 || l.contains("retract", s.in.Text[end:s.at.End]) {
		return nil
	}
	return l.matchTo(s, start, end, who)
}

// matchTo matches what begins and ends at places of the text.
func (l *language) matchTo(s *sentence, start, end int, who *subject) *draft {
	whole, bare := l.reading(s, s.whole, start, end), l.reading(s, s.bare, start, end)
	if who != nil {
		whole, bare = l.implied(whole, who), l.implied(bare, who)
	}
	for _, r := range l.rules {
		in := bare
		if r.timed {
			in = whole
		}
		if in == nil || r.attribute == holding && !s.in.changes || r.has("greeted") && !l.begins("greeting", s.in.Text) {
			continue
		}
		if d := l.apply(r, s, in); d != nil {
			return d
		}
	}
	return nil
}

// apply tries a rule on a clause.
func (l *language) apply(r *rule, s *sentence, in *reading) *draft {
	if r.subject == "" {
		return l.applyTo(r, s, in.c, s.in.speaker())
	}
	for i := range in.subjects {
		sub := &in.subjects[i]
		entity, ok := sub.fits(r, s.in)
		if !ok {
			continue
		}
		if d := l.applyTo(r, s, sub.rest, entity); d != nil {
			return d
		}
	}
	return nil
}

// applyTo tries a rule on what follows the subject.
func (l *language) applyTo(r *rule, s *sentence, c *clause, subject string) *draft {
	at := r.match(l, c.text+" ")
	if at == nil {
		return nil
	}
	m := &match{rule: r, s: s, c: c, subject: subject, slots: map[string]stretch{}}
	for i, p := range r.slots {
		v := stretch{at[2*i+2], min(at[2*i+3], len(c.text))}
		if v.start < 0 {
			continue
		}
		value, ok := l.check(s, c, v, p.kind, r.has("list"))
		if p.name == "v" && !l.spaced && v.end < len(c.text) && strings.Contains(c.text[min(value.end, v.end):v.end], "，") {
			return nil // what the rule goes on with stands in another clause
		}
		if l.code == japaneseCode && p.name == "v" && value.end < v.end && strings.Contains(c.text[value.end:v.end], "，") {
			return nil // its predicate stands behind it, not what another clause says
		}
		if !ok || p.name == "e" && (value.end < v.end || !l.isEntity(value.of(c))) {
			return nil
		}
		m.slots[p.name] = value
	}
	return l.draft(m)
}

// isEntity reports whether words can be what a statement is about.
func (l *language) isEntity(s string) bool {
	return !l.is("no entity", s) && utf8.RuneCountInString(s) > 1
}
