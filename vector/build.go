package vector

import "sync/atomic"

// build is the making of a graph behind the searches:
//
//	vectors when it began ──► graph, by its own goroutine, without a lock
//	changes since then    ──► log ──► applied in their order, one a lock
//
// The vectors it began with stay where they are until it is done: what is
// removed meanwhile is only buried, and the gaps are closed at the end. So the
// graph is the one that the same calls give without haste.
type build struct {
	log     []change // guarded by HNSW.mu
	stopped atomic.Bool
	done    chan struct{} // closed when the goroutine has ended
}

// change is one vector added or removed.
type change struct {
	slot    uint32
	removed bool
}

// gapsAtOnce is how many gaps are closed under one lock: about a millisecond.
const gapsAtOnce = 256

// grown begins a build when there are enough vectors.
func (h *HNSW) grown() {
	if h.closed || h.set.Len() < h.from {
		return
	}
	h.build = &build{done: make(chan struct{})}
	go h.run(h.build, h.set.frozen())
}

// frozen is the set as it is, for reading while vectors are added to the other:
// the slots there are do not change until the build ends.
func (s *Set) frozen() *Set {
	return &Set{dim: s.dim, hi: s.hi, lo: s.lo, ids: s.ids, norms: s.norms}
}

// run is the goroutine of a build.
func (h *HNSW) run(b *build, begun *Set) {
	defer close(b.done)
	g := newGraph(begun)
	for slot := range uint32(len(begun.ids)) {
		if b.stopped.Load() {
			return
		}
		g.insert(slot)
	}
	for !b.stopped.Load() && !h.adopt(b, g) {
		continue
	}
}

// adopt applies one change, or closes some gaps where no change waits, and
// reports whether the graph has caught up and answers from now on.
func (h *HNSW) adopt(b *build, g *graph) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	g.set = h.set
	if len(b.log) > 0 {
		if c := b.log[0]; c.removed {
			g.remove(c.slot)
		} else {
			g.insert(c.slot)
		}
		b.log = b.log[1:]
		return false
	}
	for range min(gapsAtOnce, len(h.set.dead)) {
		slot := h.set.exhume()
		g.move(h.set.drop(slot), slot)
	}
	if len(h.set.dead) > 0 {
		return false
	}
	h.build, h.graph = nil, g
	h.shrunk()
	return true
}

// exhume takes the last dead slot off the list: every slot after it is live.
func (s *Set) exhume() uint32 {
	last := len(s.dead) - 1
	slot := s.dead[last]
	s.dead = s.dead[:last]
	return slot
}

// Wait returns when no graph is being built.
func (h *HNSW) Wait() {
	for b := h.building(); b != nil; b = h.building() {
		<-b.done
	}
}

// building is the present build.
func (h *HNSW) building() *build {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.build
}

// Close stops a build and waits for its end. The index goes on answering, by the
// scan where the graph was not ready, and builds no other.
func (h *HNSW) Close() error {
	h.mu.Lock()
	h.closed = true
	b := h.build
	h.mu.Unlock()
	if b == nil {
		return nil
	}
	b.stopped.Store(true)
	<-b.done
	h.mu.Lock()
	defer h.mu.Unlock()
	h.build = nil
	for len(h.set.dead) > 0 {
		h.set.drop(h.set.exhume())
	}
	return nil
}
