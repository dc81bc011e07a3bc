package vector

import (
	"cmp"
	"slices"
)

// repairs is how many edges each neighbour of a node taken out may get instead.
const repairs = 2

// remove takes the vector of a slot out; the slot is then free.
func (g *graph) remove(slot uint32) {
	if g.level[slot] == notNode {
		g.leaveRing(slot)
		return
	}
	if g.twins[slot] != slot {
		heir := g.heir(slot)
		g.leaveRing(slot)
		g.rename(slot, heir)
		return
	}
	if print := g.set.fingerprint(slot); g.prints[print] == slot {
		delete(g.prints, print)
	}
	for level := int(g.level[slot]); level >= 0; level-- {
		g.cut(slot, level)
	}
	delete(g.upper, slot)
	g.level[slot] = notNode
	g.nodes--
	if g.entry == slot {
		g.findEntry()
	}
}

// heir is the twin that takes a node's place: the one of the least id.
func (g *graph) heir(node uint32) uint32 {
	heir := g.twins[node]
	for slot := heir; slot != node; slot = g.twins[slot] {
		if g.set.ids[slot] < g.set.ids[heir] {
			heir = slot
		}
	}
	return heir
}

// leaveRing takes a slot out of its ring of twins.
func (g *graph) leaveRing(slot uint32) {
	before := slot
	for g.twins[before] != slot {
		before = g.twins[before]
	}
	g.twins[before] = g.twins[slot]
	g.twins[slot] = slot
}

// cut parts a node from its neighbours at a level and links those with each
// other: each with the nearest it is not linked to.
func (g *graph) cut(slot uint32, level int) {
	around := slices.Clone(g.neighbours(slot, level))
	for _, u := range around {
		g.unlink(slot, u, level)
	}
	slices.SortFunc(around, func(a, b uint32) int { return cmp.Compare(g.set.ids[a], g.set.ids[b]) })
	for _, u := range around {
		g.mend(u, around, level)
	}
}

// mend links a node with the nearest of those around it, up to repairs.
func (g *graph) mend(u uint32, around []uint32, level int) {
	r := &g.room
	r.slots = r.slots[:0]
	for _, v := range around {
		if v != u && !slices.Contains(g.neighbours(u, level), v) {
			r.slots = append(r.slots, v)
		}
	}
	q := g.set.query(u, r.wide(&r.own, g.set.hi.stride))
	near := g.spots(q, r.slots)
	for _, v := range slices.Clone(near[:min(repairs, len(near))]) {
		g.link(u, v.slot, level)
	}
}

// findEntry makes a node of the highest level the entry: of those the one with
// the least id.
func (g *graph) findEntry() {
	g.top = notNode
	for slot, level := range g.level {
		higher := int(level) > g.top
		if higher || level != notNode && int(level) == g.top && g.set.ids[slot] < g.set.ids[g.entry] {
			g.entry, g.top = uint32(slot), int(level)
		}
	}
}

// rename makes all that points to a slot point to another one, which is no node:
// its vector has moved there, or a twin takes the node's place. A twin keeps the
// ring it is in; call leaveRing for a slot that leaves it.
func (g *graph) rename(from, to uint32) {
	for level := 0; level <= int(g.level[from]); level++ {
		for _, u := range g.neighbours(from, level) {
			l := g.neighbours(u, level)
			l[slices.Index(l, from)] = to
		}
	}
	copy(g.base.row(to), g.base.row(from))
	clear(g.base.row(from))
	if lists, found := g.upper[from]; found {
		g.upper[to] = lists
		delete(g.upper, from)
	}
	if print := g.set.fingerprint(to); g.prints[print] == from {
		g.prints[print] = to
	}
	g.level[to], g.level[from] = g.level[from], notNode
	if g.entry == from {
		g.entry = to
	}
}

// move follows [Set.drop]: slot is free, and the vector of the last slot, from,
// has moved there.
func (g *graph) move(from, slot uint32) {
	if from != slot {
		before := from
		for g.twins[before] != from {
			before = g.twins[before]
		}
		g.twins[slot] = g.twins[from]
		g.twins[before] = slot
		if before == from {
			g.twins[slot] = slot
		}
		if g.level[from] != notNode {
			g.rename(from, slot)
		}
	}
	g.level = g.level[:from]
	g.twins = g.twins[:from]
	g.base.pop()
}
