package layers

import (
	"slices"

	"mcp-memory/layers/slot"
)

// stage plans a statement and what it ends; the function returned takes it back.
func (p *plan) stage(key slotKey, ss []slot.Statement, kinds []string, end plannedClose) (undo func()) {
	was, had, ends, kindsWere := p.staged[key], p.staged[key] != nil, p.ends, p.kinds[key]
	p.staged[key] = ss
	p.refold(key, end)
	p.kinds[key] = append(slices.Clip(kindsWere), kinds...)
	if end.none || len(end.closes) > 0 {
		p.ends = append(slices.Clip(ends), end)
	}
	return func() {
		p.ends, p.kinds[key] = ends, kindsWere
		p.refold(key, end)
		if p.staged[key] = was; !had {
			delete(p.staged, key)
		}
	}
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
	if !end.none && len(end.closes) == 0 {
		return out
	}
	for key := range p.keys() {
		if _, hit := end.reaches(key, p.kindsOf(key), p.holding(key)); hit && key != end.key {
			out = append(out, key)
		}
	}
	return out
}

// keys yields every slot's key, planned ones too.
func (p *plan) keys() map[slotKey]struct{} {
	out := make(map[slotKey]struct{}, len(p.sp.slots)+len(p.staged))
	for key := range p.sp.slots {
		out[key] = struct{}{}
	}
	for key := range p.staged {
		out[key] = struct{}{}
	}
	return out
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

func (p *plan) holding(key slotKey) holding {
	ss := p.statements(key)
	return holding{
		id: func(id string) bool {
			return slices.ContainsFunc(ss, func(s slot.Statement) bool { return s.ID == id })
		},
		equal: func(polarity string) (ids []string) {
			for _, s := range ss {
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

// refold forgets what a planned statement may change: its slot's fold, and every
// one where it ends something.
func (p *plan) refold(key slotKey, end plannedClose) {
	if end.none || len(end.closes) > 0 {
		clear(p.folded)
		return
	}
	delete(p.folded, key)
}
