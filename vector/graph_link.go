package vector

import "slices"

// choose picks up to m of the candidates, given nearest first, as neighbours
// (the paper's algorithm 4): first those that are nearer to the new node than to
// any picked before, so that edges lead in all directions, then the nearest of
// the rest. The result is good until the next call.
func (g *graph) choose(candidates []spot, m int) []spot {
	g.spread(candidates, m)
	r := &g.room
	fill := min(m-len(r.chosen), len(r.refused))
	r.chosen = append(r.chosen, r.refused[:fill]...)
	return r.chosen
}

// spread sorts candidates, given nearest first, into those that point in a
// direction of their own (room.chosen, at most m) and the rest that it looked at
// (room.refused).
func (g *graph) spread(candidates []spot, m int) {
	r := &g.room
	r.chosen, r.refused, r.slots = r.chosen[:0], r.refused[:0], r.slots[:0]
	for _, c := range candidates {
		if len(r.chosen) == m {
			return
		}
		if g.covered(c) {
			r.refused = append(r.refused, c)
			continue
		}
		r.chosen = append(r.chosen, c)
		r.slots = append(r.slots, c.slot)
	}
}

// covered reports whether one of the slots picked (room.slots) is at least as
// near to c as the node that c would be a neighbour of.
func (g *graph) covered(c spot) bool {
	r := &g.room
	if len(r.slots) == 0 {
		return false
	}
	q := g.set.query(c.slot, r.wide(&r.other, g.set.hi.stride))
	r.dots = slices.Grow(r.dots[:0], len(r.slots))[:len(r.slots)]
	dotRows(q.w, &g.set.hi, r.slots, r.dots)
	for i, slot := range r.slots {
		if q.rough(r.dots[i], g.set.norms[slot]) >= c.near {
			return true
		}
	}
	return false
}

// link joins two nodes at a level, unless one of them is full and has no
// neighbour worth less.
func (g *graph) link(a, b uint32, level int) {
	if a == b || slices.Contains(g.neighbours(a, level), b) {
		return
	}
	fromA, full, ok := g.leastUseful(a, b, level)
	if !ok {
		return
	}
	fromB, alsoFull, ok := g.leastUseful(b, a, level)
	if !ok {
		return
	}
	if full {
		g.unlink(a, fromA, level)
	}
	if alsoFull {
		g.unlink(b, fromB, level)
	}
	g.push(a, b, level)
	g.push(b, a, level)
}

// leastUseful says which neighbour a full node can give up for a new one; not ok
// if the new one is itself the least useful. That is the farthest of those that
// lie in the direction of a nearer one, else the farthest; but a node that would
// be left with too few neighbours stays.
func (g *graph) leastUseful(node, candidate uint32, level int) (drop uint32, full, ok bool) {
	l := g.list(node, level)
	if int(l[0]) < len(l)-1 {
		return 0, false, true
	}
	r := &g.room
	q := g.set.query(node, r.wide(&r.own, g.set.hi.stride))
	r.slots = append(append(r.slots[:0], l[1:]...), candidate)
	g.spread(g.spots(q, r.slots), len(l))
	for _, from := range [][]spot{r.refused, r.chosen} {
		for _, c := range slices.Backward(from) {
			if len(g.neighbours(c.slot, level)) > keptDegree {
				return c.slot, true, c.slot != candidate
			}
		}
	}
	return 0, true, false
}

// push adds a neighbour to a list with room.
func (g *graph) push(to, neighbour uint32, level int) {
	l := g.list(to, level)
	l[0]++
	l[l[0]] = neighbour
}

// unlink parts two nodes.
func (g *graph) unlink(a, b uint32, level int) {
	g.take(a, b, level)
	g.take(b, a, level)
}

// take removes a neighbour from a list.
func (g *graph) take(from, neighbour uint32, level int) {
	l := g.list(from, level)
	at := 1 + slices.Index(l[1:1+l[0]], neighbour)
	l[at] = l[l[0]]
	l[l[0]] = 0
	l[0]--
}
