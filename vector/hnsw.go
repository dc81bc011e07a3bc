package vector

import "io"

// GraphFrom is from how many vectors on the auto engine builds a graph. A search
// by the graph is quicker from 10,000 on (.12 ms either way), but a scan of fewer
// than this takes about a millisecond on two cores, misses nothing and costs
// nothing to keep; a graph costs .3 ms of work for every vector added or removed.
// At 100,000 the scan takes 3.1 ms, the graph .3.
const GraphFrom = 50_000

// HNSW answers from a graph, as engine auto only from [GraphFrom] vectors on and
// until then by a scan. Every Add and Remove brings the graph up to date before
// it returns; a search waits for one of them at most (about half a millisecond).
type HNSW struct {
	from int // vectors from which there is a graph; 0: always

	guarded        // the lock guards what follows too, but sample
	graph   *graph // nil: the scan answers
	build   *build // of a graph behind the searches; nil: none
	closed  bool   // no more builds

	sample sampled // guards itself
}

var (
	_ Index     = (*HNSW)(nil)
	_ Reporter  = (*HNSW)(nil)
	_ Saver     = (*HNSW)(nil)
	_ io.Closer = (*HNSW)(nil)
)

// openHNSW builds the graph over a set.
func openHNSW(set *Set) *HNSW {
	h := &HNSW{guarded: guarded{set: set}, graph: newGraph(set)}
	for slot := range uint32(len(set.ids)) {
		h.graph.insert(slot)
	}
	return h
}

// openAuto scans a set, and has a graph from the given number of vectors on.
func openAuto(set *Set, from int) *HNSW {
	h := &HNSW{guarded: guarded{set: set}, from: from}
	h.grown()
	return h
}

// Add is [Index]'s.
func (h *HNSW) Add(id uint32, v []float32) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	largest, err := h.set.check(id, v)
	if err != nil {
		return err
	}
	h.remove(id)
	slot := h.set.append(id, v, largest)
	switch {
	case h.build != nil:
		h.build.log = append(h.build.log, change{slot: slot})
	case h.graph != nil:
		h.graph.insert(slot)
	default:
		h.grown()
	}
	return nil
}

// Remove is [Index]'s.
func (h *HNSW) Remove(id uint32) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	found := h.remove(id)
	h.shrunk()
	return found
}

// remove takes a vector out, at once or, while a graph is being built over its
// slot, for the searches only.
func (h *HNSW) remove(id uint32) bool {
	switch {
	case h.build != nil:
		slot, found := h.set.bury(id)
		if found {
			h.build.log = append(h.build.log, change{slot: slot, removed: true})
		}
		return found
	case h.graph != nil:
		return h.graph.removeID(id)
	}
	return h.set.Remove(id)
}

// shrunk drops a graph that is no longer worth it: at half of what it takes to
// build one, so that adding and removing at the border builds nothing.
func (h *HNSW) shrunk() {
	if h.graph != nil && h.set.Len() < h.from/2 {
		h.graph = nil
	}
}

// removeID takes a vector out of graph and set and reports whether it was there.
func (g *graph) removeID(id uint32) bool {
	slot, found := g.set.slots[id]
	if !found {
		return false
	}
	g.remove(slot)
	delete(g.set.slots, id)
	g.move(g.set.drop(slot), slot)
	return true
}

// Search is [Index]'s.
func (h *HNSW) Search(v []float32, k int, keep func(id uint32) bool) ([]Hit, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if h.graph != nil {
		return h.graph.search(v, k, keep)
	}
	return h.set.search(v, k, keep)
}

// Stats is [Reporter]'s. Every now and then it measures the recall, which at
// 100,000 vectors takes a tenth of a second and keeps nobody waiting.
func (h *HNSW) Stats() Stats {
	recall := h.sample.recall(h)
	h.mu.RLock()
	defer h.mu.RUnlock()
	s := Stats{Engine: EngineHNSW, Answers: EngineHNSW, Vectors: h.set.Len(), Recall: recall, Bytes: h.set.bytes()}
	if h.from > 0 {
		s.Engine = EngineAuto
	}
	if h.graph != nil {
		s.Bytes += h.graph.bytes()
		return s
	}
	s.Answers, s.Recall = EngineExact, 1
	if h.build != nil {
		s.Pending = h.set.Len()
		s.Note = "a graph is being built"
	}
	return s
}
