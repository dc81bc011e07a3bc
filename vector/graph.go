package vector

import (
	"math"
	"slices"
)

// graph is a hierarchical navigable small world over the vectors of a set (Yu.
// A. Malkov, D. A. Yashunin, "Efficient and robust approximate nearest neighbor
// search using hierarchical navigable small world graphs", 2018): every vector
// is a node of level 0, one in maxDegree of them also of level 1, and so on. A
// search walks down from the top, each level bringing it nearer.
//
// It departs from the paper in three points, all for the sake of removal:
//
//   - Edges go both ways, always. A node that has too many gives one up on both
//     sides, but none that would leave the other with fewer than keptDegree: so
//     no node is lost, and all that lead to a node are known.
//   - A node is taken out at once and its neighbours are linked to each other;
//     no tombstones, no rebuilding, nothing kept of the vector.
//   - Equal vectors are one node: its twins hang on it in a ring. Many copies of
//     one vector would else fill each other's lists and be an island.
//
// The graph is a function of the calls made on it: levels are drawn from ids,
// ties are broken by id, so slots may be numbered otherwise.
type graph struct {
	set *Set

	level  []int8       // of each slot's node; notNode where there is none
	base   rows[uint32] // level 0: the number of neighbours, then their slots
	upper  map[uint32][]uint32
	twins  []uint32          // each slot's next in the ring of equal vectors
	prints map[uint64]uint32 // fingerprint → node

	entry uint32 // a node of the top level
	top   int    // −1: no node
	nodes int

	room scratch // for what changes the graph
}

// The shape of the graph, chosen by recall@10 and time on 100,000 embeddings of
// multilingual-e5-small; BenchmarkEngines measures it.
const (
	maxDegree  = 16            // neighbours a new node gets, and most above level 0
	baseDegree = 2 * maxDegree // most at level 0; the paper's choice
	keptDegree = maxDegree / 2 // neighbours that pruning leaves a node
	buildWidth = 128           // candidates looked at for a new node's neighbours
	maxLevel   = 15            // 16^15 vectors are enough
	notNode    = -1
)

func newGraph(set *Set) *graph {
	return &graph{
		set: set, base: rows[uint32]{stride: 1 + baseDegree}, top: notNode,
		upper: make(map[uint32][]uint32), prints: make(map[uint64]uint32),
	}
}

// levelOf draws the level of a node from its id: floor(−ln u / ln maxDegree), u
// uniform in (0, 1].
func levelOf(id uint32) int {
	x := uint64(id) + 0x9e3779b97f4a7c15 // the finaliser of splitmix64
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	u := (float64(x>>11) + 1) / (1 << 53)
	return min(maxLevel, int(-math.Log(u)/math.Log(maxDegree)))
}

// list is a node's row at a level: the number of neighbours, then room for all.
func (g *graph) list(slot uint32, level int) []uint32 {
	if level == 0 {
		return g.base.row(slot)
	}
	const stride = 1 + maxDegree
	return g.upper[slot][(level-1)*stride : level*stride]
}

// neighbours are the slots a node is linked to at a level; shared.
func (g *graph) neighbours(slot uint32, level int) []uint32 {
	l := g.list(slot, level)
	return l[1 : 1+l[0]]
}

// insert takes the vector of a slot into the graph.
func (g *graph) insert(slot uint32) {
	g.grow(slot)
	print := g.set.fingerprint(slot)
	if node, found := g.prints[print]; !found {
		g.prints[print] = slot
	} else if g.set.same(node, slot) {
		g.twins[slot], g.twins[node] = g.twins[node], slot
		return
	}
	level := levelOf(g.set.ids[slot])
	g.makeNode(slot, level)
	if g.top != notNode {
		g.connect(slot, level)
	}
	g.nodes++
	if level > g.top {
		g.entry, g.top = slot, level
	}
}

// grow makes room for a slot and all before it.
func (g *graph) grow(slot uint32) {
	for len(g.level) <= int(slot) {
		g.twins = append(g.twins, uint32(len(g.level)))
		g.level = append(g.level, notNode)
		g.base.push()
	}
}

// makeNode gives a slot a node without neighbours.
func (g *graph) makeNode(slot uint32, level int) {
	g.level[slot] = int8(level)
	clear(g.base.row(slot))
	if level > 0 {
		g.upper[slot] = make([]uint32, level*(1+maxDegree))
	}
}

// connect links a new node at each of its levels (the paper's algorithm 1).
func (g *graph) connect(slot uint32, level int) {
	w := &g.room.walker
	q := g.set.query(slot, g.room.wide(&g.room.new, g.set.hi.stride))
	g.descend(w, q, level)
	for l := min(level, g.top); l >= 0; l-- {
		w.reopen(len(g.level))
		g.walk(w, q, buildWidth, l)
		for _, c := range slices.Clone(g.choose(w.pool, maxDegree)) {
			g.link(slot, c.slot, l)
		}
	}
}

// scratch is room that changing the graph uses again and again.
type scratch struct {
	walker     walker
	new        []int16  // the vector that is inserted, made ready to be compared
	own, other []int16  // that of a node with too many neighbours, of one of them
	slots      []uint32 // what they are compared with
	dots       []int32
	spots      []spot
	chosen     []spot
	refused    []spot
}

// wide returns a buffer of n words, kept in *buffer.
func (*scratch) wide(buffer *[]int16, n int) []int16 {
	if len(*buffer) != n {
		*buffer = make([]int16, n)
	}
	return *buffer
}

// spots measures slots from a vector and returns them nearest first; the result
// is good until the next call.
func (g *graph) spots(q query, slots []uint32) []spot {
	r := &g.room
	r.dots = slices.Grow(r.dots[:0], len(slots))[:len(slots)]
	dotRows(q.w, &g.set.hi, slots, r.dots)
	r.spots = r.spots[:0]
	for i, slot := range slots {
		r.spots = append(r.spots, spot{hi: r.dots[i], slot: slot, near: q.rough(r.dots[i], g.set.norms[slot])})
	}
	slices.SortFunc(r.spots, g.order)
	return r.spots
}

// bytes is about what the graph holds in memory, without the vectors.
func (g *graph) bytes() int64 {
	const perSlot = 1 + 4 + 24 // level, twin, its place in prints
	base := int64(len(g.base.chunks)) * chunkRows * int64(g.base.stride) * 4
	upper := int64(len(g.upper)) * (1 + maxDegree) * 4
	return base + upper + int64(len(g.level))*perSlot
}
