package vector

import "sync"

// sampleQueries stored vectors are searched for to learn the recall of a graph;
// a scan for each, so at 100,000 vectors it takes some .1 s.
const sampleQueries = 24

// sampleK: recall@10.
const sampleK = 10

// sampled remembers the recall of a graph until it has changed much.
type sampled struct {
	mu    sync.Mutex // guards what follows
	nodes int        // that the graph had
	value float64
	known bool
}

// recall is the recall@10 of the graph of h, measured again when it has a tenth
// more or fewer nodes than the last time; −1 where there is none. It takes the
// lock of h for one query at a time, so that nobody waits for all of them.
func (s *sampled) recall(h *HNSW) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids, nodes := h.sampleIDs()
	if nodes == 0 {
		return -1
	}
	if change := nodes - s.nodes; !s.known || max(change, -change) > s.nodes/10 {
		s.value, s.nodes, s.known = recallOf(ids, h.sampleOne), nodes, true
	}
	return s.value
}

// sampleIDs are vectors to ask for, and how many nodes the graph has.
func (h *HNSW) sampleIDs() (ids []uint32, nodes int) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if h.graph == nil {
		return nil, 0
	}
	return h.set.sample(sampleQueries, nil), h.graph.nodes
}

func (h *HNSW) sampleOne(id uint32) (found, wanted int) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if h.graph == nil {
		return 0, 0
	}
	return h.set.compare(id, nil, h.graph.search)
}

// searcher is [Index]'s Search.
type searcher func(v []float32, k int, keep func(id uint32) bool) ([]Hit, error)

// compare asks a search and the scan for the neighbours of a stored vector among
// those that keep accepts: how many of the wanted were found. A search that fails
// found none; a vector that is gone wants none.
func (s *Set) compare(id uint32, keep func(id uint32) bool, search searcher) (found, wanted int) {
	v := make([]float32, s.dim)
	if !s.Vector(id, v) {
		return 0, 0
	}
	truth, err := s.search(v, sampleK, keep)
	if err != nil {
		return 0, 0 // cannot be: it is a vector of the set
	}
	hits, err := search(v, sampleK, keep)
	if err != nil {
		return 0, len(truth)
	}
	return agree(truth, hits), len(truth)
}

// recallOf adds up the comparisons of some ids; −1 where nothing was wanted.
func recallOf(ids []uint32, compare func(id uint32) (found, wanted int)) float64 {
	found, wanted := 0, 0
	for _, id := range ids {
		f, w := compare(id)
		found, wanted = found+f, wanted+w
	}
	if wanted == 0 {
		return -1
	}
	return float64(found) / float64(wanted)
}

// sample returns up to about n ids of those that keep accepts, evenly spread.
func (s *Set) sample(n int, keep func(id uint32) bool) []uint32 {
	slots := s.kept(func(id uint32) bool { return keep == nil || keep(id) })
	ids := make([]uint32, 0, n)
	for i := 0; i < len(slots); i += max(1, len(slots)/n) {
		ids = append(ids, s.ids[slots[i]])
	}
	return ids
}

// agree counts the hits that are among those of the truth.
func agree(truth, hits []Hit) int {
	ids := make(map[uint32]bool, len(truth))
	for _, t := range truth {
		ids[t.ID] = true
	}
	n := 0
	for _, h := range hits {
		if ids[h.ID] {
			n++
		}
	}
	return n
}
