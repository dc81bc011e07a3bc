package layers

import (
	"slices"

	"mcp-memory/layers/slot"
)

// staged is a saying that is planned for a slot, and those planned before it.
type staged struct {
	before    *staged
	statement slot.Statement // with that saying alone
	again     bool           // of a statement that was there before
}

// statements returns a slot's statements with what is planned; the caller may
// change the result.
func (p *plan) statements(key slotKey) (ss []slot.Statement) {
	if s := p.sp.slots[key]; s != nil {
		ss, _ = p.sp.statements(s, 0)
	} else {
		ss = p.sp.purgedStatements(key)
	}
	var steps []*staged
	for st := p.staged[key]; st != nil; st = st.before {
		steps = append(steps, st)
	}
	for _, st := range slices.Backward(steps) {
		if !st.again {
			ss = append(ss, st.statement)
			continue
		}
		i := slices.IndexFunc(ss, func(s slot.Statement) bool { return s.ID == st.statement.ID })
		ss[i].Said = append(slices.Clip(ss[i].Said), st.statement.Said...)
	}
	return ss
}

// statement returns one of a slot's, planned or not, with its own saying alone.
func (p *plan) statement(key slotKey, id string) slot.Statement {
	for st := p.staged[key]; st != nil; st = st.before {
		if st.statement.ID == id && !st.again {
			return st.statement
		}
	}
	return p.sp.head(p.sp.byID[id])
}

// stage plans a saying and what its statement ends; the function returned takes it
// back.
func (p *plan) stage(key slotKey, st *staged, kinds []string, end plannedClose) (undo func()) {
	was, ends, kindsWere, line := p.staged[key], p.ends, p.kinds[key], p.folded[key]
	grown := p.grown(key, st, kinds, end)
	st.before = was
	p.staged[key] = st
	p.refold(key, end, grown)
	p.kinds[key] = append(slices.Clip(kindsWere), kinds...)
	if end.endsOthers() {
		p.ends = append(slices.Clip(ends), end)
	}
	return func() {
		p.ends, p.kinds[key] = ends, kindsWere
		p.refold(key, end, line)
		if p.staged[key] = was; was == nil {
			delete(p.staged, key)
		}
	}
}

// endsOthers reports whether a statement ends some of other slots.
func (c closer) endsOthers() bool { return c.none || len(c.closes) > 0 }

// grown is a slot's timeline with one more saying, if it takes that without being
// folded anew; else nil.
func (p *plan) grown(key slotKey, st *staged, kinds []string, end plannedClose) *slot.Timeline {
	if end.endsOthers() {
		return nil
	}
	id, known := st.statement.ID, p.kindsOf(key)
	fresh := slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return slices.Contains(known, k) })
	more := func(end plannedClose) bool { return endsMore(end.none, end.key.attribute, end.closes, key, id, fresh) }
	if p.sp.endsMore(key, id, fresh) || slices.ContainsFunc(p.ends, more) {
		return nil
	}
	return st.onto(p.timeline(key))
}

// onto returns a timeline with the saying in it; nil where it is to be folded.
func (st *staged) onto(t *slot.Timeline) *slot.Timeline {
	if st.again {
		return t.Again(st.statement, st.statement.Said[0])
	}
	return t.With(st.statement)
}

// reached returns the slots, planned ones too, in which a statement may change
// what holds: those where it ends something, and the "none" that it contradicts.
func (p *plan) reached(end plannedClose) []slotKey {
	var out []slotKey
	for _, polarity := range []string{"+", "-"} {
		none := slotKey{end.key.project, end.key.entity, end.key.attribute, noObject + polarity}
		if end.key.object != "" && end.key.none() == "" && len(p.statements(none)) > 0 {
			out = append(out, none)
		}
	}
	if !end.endsOthers() {
		return out
	}
	for key := range p.keys {
		if _, hit := end.reaches(key, p.kindsOf(key), p.holding(key)); hit && key != end.key {
			out = append(out, key)
		}
	}
	return out
}

// keys yields every slot's key, planned ones too.
func (p *plan) keys(yield func(slotKey) bool) {
	for key := range p.sp.slots {
		if !yield(key) {
			return
		}
	}
	for key := range p.staged {
		if p.sp.slots[key] == nil && !yield(key) {
			return
		}
	}
}

// group returns the keys of one attribute's slots, planned ones too.
func (p *plan) group(g groupKey) (keys []slotKey) {
	for _, s := range p.sp.groups[g] {
		keys = append(keys, s.key)
	}
	for key := range p.staged {
		if key.group() == g && p.sp.slots[key] == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

func (p *plan) kindsOf(key slotKey) []string {
	kinds := p.kinds[key]
	if s := p.sp.slots[key]; s != nil {
		kinds = append(slices.Clip(kinds), s.kinds...)
	}
	return kinds
}

// holding returns what closers ask of a slot, planned statements too. It is made for
// each slot where a statement ends others, and asked of few.
func (p *plan) holding(key slotKey) holding {
	return holding{
		id: func(id string) bool {
			if n, ok := p.sp.byID[id]; ok {
				s := p.sp.docs[n].slot
				return s != nil && s.key == key
			}
			for st := p.staged[key]; st != nil; st = st.before {
				if st.statement.ID == id {
					return true
				}
			}
			return false
		},
		equal: func(polarity string) (ids []string) {
			for _, s := range p.statements(key) {
				if s.Value == polarity || s.Value == p.sp.store.Hash("value", polarity) {
					ids = append(ids, s.ID)
				}
			}
			return ids
		},
	}
}

// closes returns what ends statements of a slot, planned ones too.
func (p *plan) closes(key slotKey) []slot.Close {
	var out []slot.Close
	if s := p.sp.slots[key]; s != nil {
		out = p.sp.closesOf(s, 0)
	} else if len(p.sp.closers) > 0 {
		out = p.sp.closesOf(&slotState{key: key, kinds: p.kinds[key]}, 0)
	}
	for _, end := range p.ends {
		if c, hit := end.reaches(key, p.kindsOf(key), p.holding(key)); hit {
			c.Said = end.said
			out = append(out, c)
		}
	}
	return out
}

// current returns the ids that hold now in any of the slots, sorted.
func (p *plan) current(keys []slotKey) []string {
	var out []string
	for _, key := range keys {
		if key.none() == "" || !p.anyOther(key) {
			out = append(out, p.timeline(key).At(p.now)...)
		}
	}
	slices.Sort(out)
	return out
}

// anyOther reports whether an object of the attribute holds that key says has
// none.
func (p *plan) anyOther(none slotKey) bool {
	for _, key := range p.group(none.group()) {
		if key.none() != "" {
			continue
		}
		held := p.timeline(key).At(p.now)
		if slices.ContainsFunc(p.holding(key).equal(none.none()), func(id string) bool { return slices.Contains(held, id) }) {
			return true
		}
	}
	return false
}

// timeline folds a slot with what is planned, once until that changes.
func (p *plan) timeline(key slotKey) *slot.Timeline {
	t := p.folded[key]
	if s := p.sp.slots[key]; t == nil && s != nil && p.staged[key] == nil && len(p.ends) == 0 {
		return p.sp.viewAt(s, p.now).timeline // as it stands, folded before
	}
	if t == nil {
		t = slot.New(p.statements(key), p.closes(key))
		p.folded[key] = t
	}
	return t
}

// refold takes a slot's timeline, nil for one that is to be folded, and forgets
// every other where a planned statement ends something.
func (p *plan) refold(key slotKey, end plannedClose, line *slot.Timeline) {
	if end.endsOthers() {
		clear(p.folded)
		return
	}
	if p.folded[key] = line; line == nil {
		delete(p.folded, key)
	}
}
