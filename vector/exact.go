package vector

import "slices"

// Exact compares a query with every vector: the truth the other engines are
// measured by, and the fastest up to some ten thousand vectors.
type Exact struct{ guarded }

var _ Index = (*Exact)(nil)

// NewExact returns an empty index of vectors of dim numbers.
func NewExact(dim int) (*Exact, error) {
	set, err := NewSet(dim)
	if err != nil {
		return nil, err
	}
	return &Exact{guarded{set: set}}, nil
}

// Add is [Index]'s.
func (e *Exact) Add(id uint32, v []float32) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.set.Add(id, v)
}

// Remove is [Index]'s.
func (e *Exact) Remove(id uint32) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.set.Remove(id)
}

// Search is [Index]'s.
func (e *Exact) Search(v []float32, k int, keep func(id uint32) bool) ([]Hit, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.set.search(v, k, keep)
}

// Stats is [Reporter]'s.
func (e *Exact) Stats() Stats {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return Stats{Engine: EngineExact, Answers: EngineExact, Vectors: e.set.Len(), Recall: 1, Bytes: e.set.bytes()}
}

// search is Search by a scan.
func (s *Set) search(v []float32, k int, keep func(id uint32) bool) ([]Hit, error) {
	q, err := newQuery(v, s.dim, s.hi.stride)
	if err != nil {
		return nil, err
	}
	return s.find(q, k, keep), nil
}

// find is search for a query that is made.
func (s *Set) find(q query, k int, keep func(id uint32) bool) []Hit {
	if keep == nil {
		return s.nearest(q, nil, k)
	}
	if wide := s.wide(k, keep); wide > 0 {
		hits := slices.DeleteFunc(s.nearest(q, nil, wide), func(h Hit) bool { return !keep(h.ID) })
		if len(hits) >= k {
			return hits[:k]
		}
	}
	return s.nearest(q, s.kept(keep), k)
}

// A scan of all vectors takes some 30 ns each, asking a filter some 200: so where
// many pass, the nearest of all are asked, and only where too few of them do are all.
const (
	leastWide = 4096 // vectors from which on that is worth it
	leastPass = 8    // at least every eighth passes
	spareWide = 2    // how many more than needed are looked at, in proportion
)

// wide is how many of the nearest are likely to hold k that keep accepts; 0 where all
// should be asked.
func (s *Set) wide(k int, keep func(id uint32) bool) int {
	if len(s.ids) < leastWide || k <= 0 {
		return 0
	}
	asked, passed := s.sampled(keep)
	if passed*leastPass < asked {
		return 0
	}
	return spareWide * k * asked / passed
}

// sampled asks keep about some of the vectors, evenly spread.
func (s *Set) sampled(keep func(id uint32) bool) (asked, passed int) {
	step := max(1, len(s.ids)/probes)
	for i := 0; i < len(s.ids); i += step {
		asked++
		if keep(s.ids[i]) {
			passed++
		}
	}
	return asked, passed
}

// kept lists the slots whose id keep accepts, never nil. keep is called by this
// goroutine alone: it may be anything.
func (s *Set) kept(keep func(id uint32) bool) []uint32 {
	slots := make([]uint32, 0, 64)
	dead := s.dead
	for slot, id := range s.ids {
		if len(dead) > 0 && dead[0] == uint32(slot) {
			dead = dead[1:]
			continue
		}
		if keep(id) {
			slots = append(slots, uint32(slot))
		}
	}
	return slots
}
