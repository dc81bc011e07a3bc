package dates

import "time"

// A scene is a text with the moment it is read from.
type scene struct {
	tokens []token
	ref    time.Time
	years  []int // of a question: where no year is said, all of these
	asking bool
	book   *book
}

func newScene(text string, ref time.Time) *scene {
	b := shared()
	return &scene{tokens: scan(text, b), ref: ref, book: b}
}

// An expression is how some tokens were read: [open, close) with role words,
// [start, end) without.
type expression struct {
	open, start, end, close int
	role                    Role
	led                     bool // a role word stands there
	edge                    edge
	clock                   clock
	core                    hit
	coreStart               int
}

// find reads the text from left to right and takes the best reading at each
// place that makes sense.
func (s *scene) find() []Found {
	var found []Found
	joint := -1  // where a "from …" ended, and "to …" may follow
	anchor := -1 // where "two days before …" ended: what follows is not when it was
	for i := 0; i < len(s.tokens); {
		e, readings, ok := s.read(i, i == joint)
		if !ok {
			i++
			continue
		}
		if s.asking || i != anchor {
			found = append(found, s.results(&e, readings)...)
		}
		i = e.close
		if e.role == From {
			joint = i
		}
		if readings == nil && e.core.rule.how == "next" {
			anchor = i
		}
	}
	return found
}

func (s *scene) results(e *expression, readings []reading) []Found {
	var found []Found
	for _, r := range readings {
		if f := s.found(e, r); r.isDateless() || f.Range.isSane() {
			found = append(found, f)
		}
	}
	return found
}

// An option is one way to go on at a token: a rule that matched up to end, or
// none.
type option struct {
	rule *rule
	end  int
}

// options gives what matches in a trie at i, the longest first, and at last
// nothing.
func (s *scene) options(t *trie, i int) []option {
	var all []option
	if i < len(s.tokens) {
		for _, h := range t.match(s.tokens, i) {
			if s.allowed(i, h.end) {
				all = append(all, option{rule: h.rule, end: h.end})
			}
		}
	}
	return append(all, option{end: i})
}

// read reads the best expression whose first token is tokens[i]: the longest,
// then that with the longest core. With ok and no readings the tokens up to
// close look like a time and are none.
func (s *scene) read(i int, joint bool) (best expression, readings []reading, ok bool) {
	if !s.fitsStart(i) {
		return best, nil, false
	}
	leads := s.options(&s.book.before, i)
	if joint {
		leads = append(s.options(&s.book.joint, i), leads...)
	}
	for _, lead := range leads {
		for _, part := range s.options(&s.book.partBefore, lead.end) {
			e := expression{open: i, start: lead.end}
			if lead.rule != nil {
				e.role, e.led = lead.rule.role, true
			}
			if part.rule != nil {
				e.edge = part.rule.edge
			}
			if found, fits := s.readCore(&e, part.end); fits && (!ok || e.beats(&best)) {
				best, readings, ok = e, found, true
			}
		}
	}
	return best, readings, ok
}

func (e *expression) beats(other *expression) bool {
	if e.close != other.close {
		return e.close > other.close
	}
	return e.coreStart < other.coreStart
}

// readCore tries the cores at i, and those after a clock ("3pm tomorrow").
func (s *scene) readCore(e *expression, i int) ([]reading, bool) {
	if readings, ok := s.tryCores(e, i); ok {
		return readings, true
	}
	if i >= len(s.tokens) {
		return nil, false
	}
	for _, h := range s.book.clocks.match(s.tokens, i) {
		after := h.end
		if after < len(s.tokens) && s.tokens[after].low == "on" {
			after++
		}
		with := *e
		if with.clock.take(h); !with.clock.said {
			continue
		}
		if readings, ok := s.tryCores(&with, after); ok {
			*e = with
			return readings, true
		}
	}
	return nil, false
}

// tryCores takes the first core at i that stands in its surroundings and means
// something.
func (s *scene) tryCores(e *expression, i int) ([]reading, bool) {
	if i >= len(s.tokens) || i > e.open && !joins(s.tokens, i) {
		return nil, false
	}
	for _, h := range s.book.core.match(s.tokens, i) {
		with := *e
		with.core, with.coreStart, with.end, with.close = h, i, h.end, h.end
		if !s.stands(h, i) {
			continue
		}
		s.extend(&with)
		if !s.fitsEnd(with.close) || !s.meetsConditions(&with) {
			continue
		}
		if readings, ok := h.rule.verb(s, &with); ok {
			*e = with
			return readings, true
		}
	}
	return nil, false
}

// stands checks what a core asks of the tokens around it.
func (s *scene) stands(h hit, i int) bool {
	if !s.allowed(i, h.end) || h.rule.capital && !s.tokens[i].capital {
		return false
	}
	return !(h.rule.bare && h.end < len(s.tokens) && s.tokens[h.end].kind == number)
}

func (s *scene) meetsConditions(e *expression) bool {
	r := e.core.rule
	switch {
	case r.led && !e.led, r.question && !s.asking,
		r.asked && !e.led && e.edge == edgeWhole && !s.asking:
		return false
	case r.part && e.edge == edgeWhole:
		return false
	case r.notPast:
		return s.tense(e) != cuePast
	}
	return true
}

// extend takes in what may follow a core: hours, "'s", 底, 以来.
func (s *scene) extend(e *expression) {
	if e.core.rule.edge != edgeWhole {
		e.edge = e.core.rule.edge
	}
	for range 2 {
		if h, ok := s.follows(&s.book.clocks, e.end); ok && e.clock.take(h) {
			e.end = h.end
		}
	}
	if h, ok := s.follows(&s.book.partAfter, e.end); ok && e.edge == edgeWhole {
		e.edge, e.end = h.rule.edge, h.end
	}
	e.end = s.possessive(e.end)
	e.close = e.end
	if h, ok := s.follows(&s.book.after, e.end); ok {
		e.close = h.end
		if !e.led || e.role == At || e.role == From {
			e.role = h.rule.role
		}
		e.led = true
	}
	if e.role == Before && (e.edge == edgeEnd || e.core.rule.edge == edgeEnd) {
		e.role = By // "before the end of June" lets the end itself count
	}
}

// follows gives the longest match of a trie at i that may go on with what is
// before it.
func (s *scene) follows(t *trie, i int) (hit, bool) {
	if i >= len(s.tokens) || !joins(s.tokens, i) {
		return hit{}, false
	}
	for _, h := range t.match(s.tokens, i) {
		if s.notBanned(h.end) && s.fitsEnd(h.end) {
			return h, true
		}
	}
	return hit{}, false
}

// possessive steps over "'s" after an expression ("yesterday's talk").
func (s *scene) possessive(i int) int {
	if i+1 < len(s.tokens) && s.tokens[i].low == "'" && s.tokens[i].gap == glued &&
		s.tokens[i+1].low == "s" && s.tokens[i+1].gap == glued {
		return i + 2
	}
	return i
}
