package layers

import (
	"container/heap"
	"sync"

	"mcp-memory/storage"
)

// census counts what a space holds. From when it is first asked for it counts anew
// only what has changed since, and what changes by itself as time passes. It is safe
// for readers beside each other; changes come from writers, which are alone.
type census struct {
	mu      sync.Mutex // guards what follows, among readers
	made    bool
	at      int64 // the moment of the last count, Unix microseconds
	states  []state
	counts  counts
	all     bool     // everything is counted anew
	changed []uint32 // records that are, with what stands in their slots
	edges   edges
	planned map[edge]bool // those in edges
}

// counts are of records.
type counts struct {
	states   [states]int
	standing [1 << kindWeight]int // current ones by their kind without the importance
}

// state is what has become of a record.
type state uint8

const (
	unknown   state = iota
	gone            // forgotten
	withdrawn       // undone
	past            // superseded, ended or not yet so
	current

	states = 5
)

// edge is a moment at which what is shown of a record and its slot may change.
type edge struct {
	at  int64
	doc uint32
}

// edges are a heap, the next one first.
type edges []edge

func (e edges) Len() int           { return len(e) }
func (e edges) Less(i, j int) bool { return e[i].at < e[j].at }
func (e edges) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }

// Push is heap.Interface's.
func (e *edges) Push(x any) { *e = append(*e, x.(edge)) }

// Pop is heap.Interface's.
func (e *edges) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// mark notes that something became of a record.
func (c *census) mark(n uint32) {
	switch {
	case !c.made || c.all:
	case len(c.changed) > len(c.states)/4+64: // no less work than all
		c.all, c.changed = true, nil
	default:
		c.changed = append(c.changed, n)
	}
}

// markAll notes that something became of what any slot shows.
func (c *census) markAll() { c.all, c.changed = c.made, nil }

// countUp returns how many records there are at a view of now, by what became of
// them.
func (sp *space) countUp(v *view) counts {
	c, at := &sp.census, v.at.UnixMicro()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.made || c.all || at < c.at { // or a clock that went back
		sp.countAll(v)
	}
	c.at = at
	for _, n := range c.changed {
		sp.countSlot(n, v)
	}
	c.changed = c.changed[:0]
	for len(c.edges) > 0 && c.edges[0].at <= at {
		e := heap.Pop(&c.edges).(edge)
		delete(c.planned, e)
		if sp.closes(e.doc) { // it reaches other slots
			sp.countAll(v)
			break
		}
		sp.countSlot(e.doc, v)
	}
	return c.counts
}

// countAll counts everything anew.
func (sp *space) countAll(v *view) {
	c := &sp.census
	c.made, c.all, c.at, c.changed = true, false, v.at.UnixMicro(), nil
	c.states, c.counts = make([]state, len(sp.docs)), counts{}
	c.edges, c.planned = nil, map[edge]bool{}
	for n := range sp.docs {
		sp.countOne(uint32(n), v)
	}
}

// countSlot counts a record and what it may change: the statements of its slot, and
// of those that say there is none of its attribute.
func (sp *space) countSlot(n uint32, v *view) {
	s := sp.docs[n].slot
	if s == nil {
		sp.countOne(n, v)
		return
	}
	for _, other := range sp.groups[s.key.group()] {
		if other != s && other.key.none() == "" {
			continue
		}
		for _, doc := range other.docs {
			sp.countOne(doc, v)
		}
	}
}

// countOne counts a record anew.
func (sp *space) countOne(n uint32, v *view) {
	c, d := &sp.census, &sp.docs[n]
	for len(c.states) <= int(n) {
		c.states = append(c.states, unknown)
	}
	was, is := c.states[n], sp.stateOf(n, v)
	k := sp.columns.kind[n] & (1<<kindWeight - 1)
	if was != unknown {
		c.counts.states[was]--
	}
	if was == current {
		c.counts.standing[k]--
	}
	c.counts.states[is]++
	if is == current {
		c.counts.standing[k]++
	}
	c.states[n] = is
	for i := range d.said {
		s := &d.said[i]
		for _, at := range []int64{s.observed, s.validFrom, s.validTo, s.recorded} {
			if e := (edge{at, n}); at > c.at && !c.planned[e] {
				c.planned[e] = true
				heap.Push(&c.edges, e)
			}
		}
	}
}

func (sp *space) stateOf(n uint32, v *view) state {
	switch d := &sp.docs[n]; {
	case d.forgotten():
		return gone
	case d.withdrawnAt != 0:
		return withdrawn
	case sp.visible(n, v):
		return current
	}
	return past
}

// closes reports whether a record may end statements of other slots.
func (sp *space) closes(n uint32) bool { return len(sp.docs[n].closes) > 0 || sp.docs[n].none }

// current is how many records are current whose kind is wanted.
func (c *counts) current(wanted func(kind) bool) (n int) {
	for k, standing := range c.standing {
		if wanted(kind(k)) {
			n += standing
		}
	}
	return n
}

// byLayer is how many records of each layer are current, but for layers without any.
func (c *counts) byLayer() map[string]int {
	out := map[string]int{}
	for i, layer := range storage.Layers {
		if n := c.current(func(k kind) bool { return int(k&kindLayer) == i+1 }); n > 0 {
			out[string(layer)] = n
		}
	}
	return out
}
