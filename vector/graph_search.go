package vector

import (
	"cmp"
	"slices"
	"sync"
)

// spot is a node seen on a walk.
type spot struct {
	near float32 // cosine by hi
	hi   int32
	slot uint32
	open bool // its neighbours are not yet looked at
}

// order sorts spots nearest first, ties by id: a total order, whatever the slots.
func (g *graph) order(a, b spot) int {
	if a.near != b.near {
		return cmp.Compare(b.near, a.near)
	}
	return cmp.Compare(g.set.ids[a.slot], g.set.ids[b.slot])
}

// walker is the state of one walk.
type walker struct {
	pool  []spot   // the nearest found, nearest first
	seen  []uint64 // a bit a slot
	fresh []uint32 // neighbours not seen before
	dots  []int32
}

// walkers spares searches the making of walkers.
var walkers = sync.Pool{New: func() any { return new(walker) }}

// start forgets all before and begins at one node.
func (w *walker) start(g *graph, q query, slot uint32) {
	w.pool = w.pool[:0]
	w.forget(len(g.level))
	w.visit(g, q, []uint32{slot}, 1)
}

// forget makes slots 0 to n−1 unseen.
func (w *walker) forget(n int) {
	words := (n + 63) / 64
	w.seen = slices.Grow(w.seen[:0], words)[:words]
	clear(w.seen)
}

// reopen lets the next walk begin at all that this one found.
func (w *walker) reopen(n int) {
	w.forget(n)
	for i := range w.pool {
		w.pool[i].open = true
		w.see(w.pool[i].slot)
	}
}

// see marks a slot and reports whether it was unseen.
func (w *walker) see(slot uint32) bool {
	word, bit := &w.seen[slot/64], uint64(1)<<(slot%64)
	unseen := *word&bit == 0
	*word |= bit
	return unseen
}

// descend walks greedily from the entry down to the level above the given one.
func (g *graph) descend(w *walker, q query, level int) {
	w.start(g, q, g.entry)
	for l := g.top; l > level; l-- {
		w.reopen(len(g.level))
		g.walk(w, q, 1, l)
	}
}

// walk widens the pool to the width nearest nodes that can be reached at a level
// (the paper's algorithm 2). The pool is one sorted array instead of two heaps:
// what is dropped off its end is what neither would need again.
func (g *graph) walk(w *walker, q query, width, level int) {
	for i := 0; i < len(w.pool); {
		if !w.pool[i].open {
			i++
			continue
		}
		w.pool[i].open = false
		first := w.visit(g, q, g.neighbours(w.pool[i].slot, level), width)
		i = min(i+1, first)
	}
}

// visit measures those slots that are unseen and puts them into the pool, width
// long at most. It returns the least place it put one at.
func (w *walker) visit(g *graph, q query, slots []uint32, width int) (first int) {
	w.fresh = w.fresh[:0]
	for _, slot := range slots {
		if w.see(slot) {
			w.fresh = append(w.fresh, slot)
		}
	}
	w.dots = slices.Grow(w.dots[:0], len(w.fresh))[:len(w.fresh)]
	dotRows(q.w, &g.set.hi, w.fresh, w.dots)
	first = len(w.pool)
	for i, slot := range w.fresh {
		s := spot{near: q.rough(w.dots[i], g.set.norms[slot]), hi: w.dots[i], slot: slot, open: true}
		if full := len(w.pool) == width; full && s.near < w.pool[width-1].near {
			continue
		}
		first = min(first, w.put(g, s, width))
	}
	return first
}

// put inserts a spot at its place in the pool and returns the place.
func (w *walker) put(g *graph, s spot, width int) int {
	at, _ := slices.BinarySearchFunc(w.pool, s, g.order)
	if at == width {
		return at
	}
	if len(w.pool) < width {
		w.pool = append(w.pool, s)
	}
	copy(w.pool[at+1:], w.pool[at:])
	w.pool[at] = s
	return at
}

// nearest finds the k nearest among the width nearest the graph leads to, those
// that keep accepts (nil: all). Fewer than k says that the rest lie farther.
func (g *graph) nearest(q query, k, width int, keep func(id uint32) bool) []Hit {
	if g.top == notNode || k <= 0 {
		return nil
	}
	w := walkers.Get().(*walker)
	defer walkers.Put(w)
	g.descend(w, q, 0)
	w.reopen(len(g.level))
	g.walk(w, q, width, 0)
	return g.set.settle(q, g.suspects(q, w.pool, keep), k)
}

// suspects lists the vectors of the nodes found, each with its twins.
func (g *graph) suspects(q query, pool []spot, keep func(id uint32) bool) []suspect {
	found := make([]suspect, 0, len(pool))
	for _, p := range pool {
		loss := g.set.norms[p.slot].loss
		for slot := p.slot; ; {
			if keep == nil || keep(g.set.ids[slot]) {
				found = append(found, suspect{slot, p.hi, p.near - loss, p.near + loss})
			}
			if slot = g.twins[slot]; slot == p.slot {
				break
			}
		}
	}
	return found
}
