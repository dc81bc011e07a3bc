package vector

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
)

var nan = float32(math.NaN())

// blockRows is how many rows a kernel call compares: enough that the call costs
// nothing, few enough that what it writes stays in the first cache.
const blockRows = 512

// block is the room for one kernel call.
type block struct {
	slots  [blockRows]uint32
	hi, lo [blockRows]int32
}

// both computes the products of the first n slots with both bytes of the rows.
func (b *block) both(s *Set, q query, n int) {
	dotRows(q.w, &s.hi, b.slots[:n], b.hi[:n])
	dotRows(q.w, &s.lo, b.slots[:n], b.lo[:n])
}

// suspect is a vector that may be among the nearest: its cosine lies between
// least and most.
type suspect struct {
	slot        uint32
	hi          int32
	least, most float32
}

// parallelRows is from how many rows a scan is shared among processors: below,
// starting them costs more than it spares (10,000 rows take .2 ms on one).
const parallelRows = 16_384

// maxScanners bounds the processors one scan takes: it waits for memory, which
// four exhaust.
const maxScanners = 4

// nearest finds the k nearest of the given slots (nil: all that live), by
// descending cosine, ties by ascending id. It is exact: hi bounds every cosine
// from both sides, and what may be among the k is computed in full.
func (s *Set) nearest(q query, slots []uint32, k int) []Hit {
	if slots == nil && len(s.dead) > 0 {
		slots = s.live()
	}
	n := len(slots)
	if slots == nil {
		n = len(s.ids)
	}
	if k = min(k, n); k <= 0 {
		return nil
	}
	workers := 1
	if n >= parallelRows {
		workers = min(runtime.GOMAXPROCS(0), maxScanners)
	}
	found := make([][]suspect, workers)
	var wait sync.WaitGroup
	for i := range workers {
		part := span{slots: slots, from: i * n / workers, to: (i + 1) * n / workers}
		if i == workers-1 {
			found[i] = s.suspects(q, part, k)
			break
		}
		wait.Go(func() { found[i] = s.suspects(q, part, k) })
	}
	wait.Wait()
	return s.settle(q, slices.Concat(found...), k)
}

// live lists the slots that are not dead.
func (s *Set) live() []uint32 {
	slots := make([]uint32, 0, len(s.slots))
	dead := s.dead
	for slot := range uint32(len(s.ids)) {
		if len(dead) > 0 && dead[0] == slot {
			dead = dead[1:]
			continue
		}
		slots = append(slots, slot)
	}
	return slots
}

// span is a part of a list of slots, or of all slots where the list is nil.
type span struct {
	slots    []uint32
	from, to int
}

// next moves up to a block of slots to b and reports how many.
func (p *span) next(b *block) int {
	n := min(blockRows, p.to-p.from)
	if p.slots != nil {
		copy(b.slots[:n], p.slots[p.from:])
	} else {
		for i := range n {
			b.slots[i] = uint32(p.from + i)
		}
	}
	p.from += n
	return n
}

// suspects returns every vector of a span that may be among its k nearest.
func (s *Set) suspects(q query, part span, k int) []suspect {
	b := new(block)
	best := floor{k: k}
	var found []suspect
	for n := part.next(b); n > 0; n = part.next(b) {
		dotRows(q.w, &s.hi, b.slots[:n], b.hi[:n])
		for i, slot := range b.slots[:n] {
			rough, loss := q.rough(b.hi[i], s.norms[slot]), s.norms[slot].loss
			if rough+loss >= best.value() {
				best.push(rough - loss)
				found = append(found, suspect{slot, b.hi[i], rough - loss, rough + loss})
			}
		}
	}
	return found
}

// settle computes the cosines of those suspects that the others leave possible
// and returns the k nearest.
func (s *Set) settle(q query, found []suspect, k int) []Hit {
	best := floor{k: k}
	for _, f := range found {
		best.push(f.least)
	}
	found = slices.DeleteFunc(found, func(f suspect) bool { return f.most < best.value() })
	hits := make([]Hit, 0, len(found))
	b := new(block)
	for part := range slices.Chunk(found, blockRows) {
		for i, f := range part {
			b.slots[i] = f.slot
		}
		dotRows(q.w, &s.lo, b.slots[:len(part)], b.lo[:len(part)])
		for i, f := range part {
			hits = append(hits, Hit{ID: s.ids[f.slot], Cosine: q.exact(f.hi, b.lo[i], s.norms[f.slot])})
		}
	}
	return bestOf(hits, k)
}

// bestOf orders hits and cuts them to k.
func bestOf(hits []Hit, k int) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.ID, b.ID))
	})
	return hits[:min(k, len(hits))]
}

// floor keeps the k largest of the numbers pushed: a heap, its least at the top.
type floor struct {
	k    int
	heap []float32
}

// value is the k-th largest so far, −∞ before there are k.
func (f *floor) value() float32 {
	if len(f.heap) < f.k {
		return float32(math.Inf(-1))
	}
	return f.heap[0]
}

func (f *floor) push(x float32) {
	if len(f.heap) < f.k {
		f.heap = append(f.heap, x)
		f.up(len(f.heap) - 1)
		return
	}
	if x > f.heap[0] {
		f.heap[0] = x
		f.down()
	}
}

func (f *floor) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if f.heap[parent] <= f.heap[i] {
			return
		}
		f.heap[parent], f.heap[i] = f.heap[i], f.heap[parent]
		i = parent
	}
}

func (f *floor) down() {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(f.heap); child++ {
			if f.heap[child] < f.heap[least] {
				least = child
			}
		}
		if least == i {
			return
		}
		f.heap[i], f.heap[least] = f.heap[least], f.heap[i]
		i = least
	}
}
