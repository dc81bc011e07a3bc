package vector

import (
	"fmt"
	"slices"
)

// Coder guards github.com/coder/hnsw v0.6.1, the one version that can be had. Its
// search returns wrong neighbours (recall@10 .4 at 1,000 vectors, .27 at 10,000,
// whatever its settings), adding a key again and Delete panic, a zero vector or
// an empty graph too. So:
//
//   - it is told of every vector once, under a number of its own, and of no
//     removal; what was removed is left out of its answers, and a new one is
//     filled, a few vectors a call, when too much was;
//   - whatever it finds is measured again, and every call to it may panic;
//   - its recall is sampled against the scan at every doubling. Below
//     trustedRecall it is dropped, and the scan answers from then on.
//
// With v0.6.1 that is the case at every size that matters, and Stats says so. On
// Windows it does not even compile: there the scan answers from the start.
type Coder struct {
	fresh func() library // makes an empty one

	guarded          // the lock guards what follows too
	now     *keyed   // nil: not trusted, the scan answers
	next    *keyed   // takes the place of now once it is full; nil: none
	todo    []uint32 // ids that next lacks
	check   int      // vectors at which the recall is sampled next
	recall  float64  // at the last check; −1 before
	note    string
}

var (
	_ Index    = (*Coder)(nil)
	_ Reporter = (*Coder)(nil)
)

const (
	trustedRecall = 0.95 // below, one answer in twenty is wrong: not worth the speed
	firstCheck    = 64   // vectors; a scan of fewer is quicker than any graph
	staleShare    = 4    // a new library is filled when one in so many vectors is dead
	refill        = 8    // vectors a call puts into it: some 2 ms
)

// library is what the guard asks of a graph. Either call may panic.
type library interface {
	add(key uint32, v []float32)
	search(v []float32, k int) []uint32 // keys, in any order
}

// openCoder tells a new library of the vectors of a set.
func openCoder(set *Set) *Coder { return openLibrary(set, coderLibrary()) }

// openLibrary does that for any library; fresh is nil where there is none.
func openLibrary(set *Set, fresh func() library) *Coder {
	c := &Coder{fresh: fresh, guarded: guarded{set: set}, check: firstCheck, recall: -1}
	if fresh == nil {
		c.distrust("it does not build on this system")
		return c
	}
	c.now = newKeyed(fresh())
	for _, id := range slices.Clone(set.ids) {
		c.tell(id)
	}
	return c
}

// Add is [Index]'s.
func (c *Coder) Add(id uint32, v []float32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.set.Add(id, v); err != nil {
		return err
	}
	c.forget(id)
	c.tell(id)
	return nil
}

// Remove is [Index]'s.
func (c *Coder) Remove(id uint32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.set.Remove(id)
	c.forget(id)
	return found
}

// tell puts a vector of the set into the library, and samples the recall when it
// is time.
func (c *Coder) tell(id uint32) {
	if c.now == nil {
		return
	}
	c.put(c.now, id)
	if c.next != nil {
		c.put(c.next, id)
		c.refill()
	}
	if c.now != nil && len(c.now.keys) >= c.check {
		c.check = 2 * len(c.now.keys)
		c.examine()
	}
}

// put adds a vector to a library and drops both if that panics.
func (c *Coder) put(k *keyed, id uint32) {
	v := make([]float32, c.set.dim)
	if !c.set.Vector(id, v) {
		return
	}
	if err := k.add(id, v); err != nil {
		c.distrust(err.Error())
	}
}

// forget makes a library's key of a vector name nothing.
func (c *Coder) forget(id uint32) {
	if c.now == nil {
		return
	}
	c.now.remove(id)
	if c.next != nil {
		c.next.remove(id)
		c.refill()
	} else if c.now.dead > firstCheck && c.now.dead > len(c.now.keys)/staleShare {
		c.next = newKeyed(c.fresh())
		c.todo = slices.Clone(c.set.ids)
	}
}

// refill moves some vectors into the next library and makes it the present one
// when it has all.
func (c *Coder) refill() {
	for range min(refill, len(c.todo)) {
		id := c.todo[0]
		c.todo = c.todo[1:]
		if _, there := c.next.keys[id]; !there {
			c.put(c.next, id)
		}
		if c.next == nil {
			return // it panicked
		}
	}
	if len(c.todo) == 0 {
		c.now, c.next = c.next, nil
		c.examine()
	}
}

// examine samples the recall among the vectors the library was told of and drops
// it if it is not to be trusted.
func (c *Coder) examine() {
	told := func(id uint32) bool {
		_, found := c.now.keys[id]
		return found
	}
	ask := func(v []float32, k int, _ func(uint32) bool) ([]Hit, error) { return c.ask(v, k) }
	c.recall = recallOf(c.set.sample(sampleQueries, told), func(id uint32) (found, wanted int) {
		return c.set.compare(id, told, ask)
	})
	if c.recall < trustedRecall {
		c.distrust(fmt.Sprintf("recall@%d %.2f at %d vectors, below %.2f", sampleK, max(0, c.recall), len(c.now.keys), trustedRecall))
	}
}

// distrust drops the library for good.
func (c *Coder) distrust(why string) {
	c.now, c.next, c.todo = nil, nil, nil
	c.note = "github.com/coder/hnsw is not used: " + why + "; the scan answers"
}

// Search is [Index]'s.
func (c *Coder) Search(v []float32, k int, keep func(id uint32) bool) ([]Hit, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.now != nil && keep == nil && c.set.Len() >= firstCheck {
		hits, err := c.ask(v, k)
		if err == nil && len(hits) >= min(k, c.set.Len()) {
			return hits, nil
		}
	}
	return c.set.search(v, k, keep)
}

// ask searches the library for as many more as may be dead, and measures what it
// found.
func (c *Coder) ask(v []float32, k int) ([]Hit, error) {
	if _, err := peak(v, c.set.dim); err != nil {
		return nil, err
	}
	if k <= 0 {
		return nil, nil
	}
	ids, err := c.now.search(v, k+min(k, c.now.dead))
	if err != nil {
		return nil, err
	}
	cosines := make([]float32, len(ids))
	if err := c.set.cosines(v, ids, cosines); err != nil {
		return nil, err
	}
	hits := make([]Hit, len(ids))
	for i, id := range ids {
		hits[i] = Hit{ID: id, Cosine: cosines[i]}
	}
	return bestOf(hits, k), nil
}

// Stats is [Reporter]'s. Recall is the library's at the last check, also when it
// is no longer used: what it was dropped for.
func (c *Coder) Stats() Stats {
	c.mu.RLock()
	defer c.mu.RUnlock()
	s := Stats{Engine: EngineCoder, Answers: EngineCoder, Vectors: c.set.Len(), Recall: c.recall, Bytes: c.set.bytes(), Note: c.note}
	if c.now == nil || c.set.Len() < firstCheck {
		s.Answers = EngineExact
		return s
	}
	const perNode = 1024 // measured: its maps and pointers
	s.Bytes += int64(len(c.now.keys)+c.now.dead) * int64(4*c.set.dim+perNode)
	return s
}
