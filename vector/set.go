package vector

import (
	"fmt"
	"slices"
)

// Set holds the vectors of an index: 2 bytes a number and some 40 bytes more a
// vector (768 + 40 at 384 numbers, half of float32). It is not safe for
// concurrent use; the index that [Open] puts over it guards it and then owns it.
//
// Vectors lie in slots 0 to n−1 without gaps: taking one out moves the last one
// into its place. Only while a graph is being built are there gaps (dead slots).
type Set struct {
	dim    int
	hi, lo rows[int8]
	ids    []uint32 // of the vector in each slot
	norms  []norms
	slots  map[uint32]uint32 // id → slot
	dead   []uint32          // slots whose vector was taken out, ascending
}

// NewSet returns an empty set of vectors of dim numbers.
func NewSet(dim int) (*Set, error) {
	if err := checkDim(dim); err != nil {
		return nil, err
	}
	stride := (dim + kernelLanes - 1) / kernelLanes * kernelLanes
	return &Set{
		dim: dim, hi: rows[int8]{stride: stride}, lo: rows[int8]{stride: stride},
		slots: make(map[uint32]uint32),
	}, nil
}

// Dim is how many numbers a vector has.
func (s *Set) Dim() int { return s.dim }

// Len is the number of vectors.
func (s *Set) Len() int { return len(s.slots) }

// Add puts v under id, in place of what was there; see [Index].
func (s *Set) Add(id uint32, v []float32) error {
	largest, err := s.check(id, v)
	if err != nil {
		return err
	}
	slot, found := s.slots[id]
	if !found {
		s.append(id, v, largest)
		return nil
	}
	s.norms[slot] = split(v, largest, s.hi.row(slot), s.lo.row(slot))
	return nil
}

// check is peak, with an error that names the vector.
func (s *Set) check(id uint32, v []float32) (float64, error) {
	largest, err := peak(v, s.dim)
	if err != nil {
		return 0, fmt.Errorf("vector %d: %w", id, err)
	}
	return largest, nil
}

// append puts v, which check passed, into a new last slot, under an id that has
// no slot.
func (s *Set) append(id uint32, v []float32, largest float64) uint32 {
	slot := uint32(len(s.ids))
	s.norms = append(s.norms, split(v, largest, s.hi.push(), s.lo.push()))
	s.ids = append(s.ids, id)
	s.slots[id] = slot
	return slot
}

// Remove takes id out and reports whether it was there; its bytes are wiped.
func (s *Set) Remove(id uint32) bool {
	slot, found := s.slots[id]
	if found {
		delete(s.slots, id)
		s.drop(slot)
	}
	return found
}

// drop frees a slot whose id is already gone and reports the slot whose vector
// moved there: the last one, slot itself if it was the last.
func (s *Set) drop(slot uint32) (from uint32) {
	last := uint32(len(s.ids) - 1)
	if slot != last {
		copy(s.hi.row(slot), s.hi.row(last))
		copy(s.lo.row(slot), s.lo.row(last))
		s.ids[slot], s.norms[slot] = s.ids[last], s.norms[last]
		s.slots[s.ids[slot]] = slot
	}
	s.hi.pop()
	s.lo.pop()
	s.ids, s.norms = s.ids[:last], s.norms[:last]
	return last
}

// bury takes id out but leaves its vector in its slot, for a graph that is being
// built over it.
func (s *Set) bury(id uint32) (slot uint32, found bool) {
	slot, found = s.slots[id]
	if found {
		delete(s.slots, id)
		at, _ := slices.BinarySearch(s.dead, slot)
		s.dead = slices.Insert(s.dead, at, slot)
	}
	return slot, found
}

// Vector writes the vector of id to out, which has Dim places, at unit length
// and with what the set keeps of it; it reports whether there is one.
func (s *Set) Vector(id uint32, out []float32) bool {
	slot, found := s.slots[id]
	if !found {
		return false
	}
	hi, lo, scale := s.hi.row(slot), s.lo.row(slot), s.norms[slot].scale
	for i := range out[:s.dim] {
		out[i] = float32(float64(int(hi[i])<<8+int(lo[i])) * scale)
	}
	return true
}

// query is the vector of a slot, by hi alone, made ready to be compared: enough
// to say which of two vectors is nearer where a graph is built. w is as long as
// a row and is overwritten.
func (s *Set) query(slot uint32, w []int16) query {
	widen(s.hi.row(slot), w)
	return query{w: w, scale: 256 * s.norms[slot].scale}
}

// cosines writes the cosine of the query with each id to out.
func (s *Set) cosines(v []float32, ids []uint32, out []float32) error {
	if len(out) != len(ids) {
		return fmt.Errorf("cosines: out has %d places for %d ids", len(out), len(ids))
	}
	q, err := newQuery(v, s.dim, s.hi.stride)
	if err != nil {
		return err
	}
	var part block
	for len(ids) > 0 {
		n := min(len(ids), blockRows)
		s.cosinesOf(&part, q, ids[:n], out[:n])
		ids, out = ids[n:], out[n:]
	}
	return nil
}

// cosinesOf is cosines for at most one block.
func (s *Set) cosinesOf(b *block, q query, ids []uint32, out []float32) {
	n := 0
	for i, id := range ids {
		out[i] = nan
		if slot, found := s.slots[id]; found {
			b.slots[n] = slot
			n++
		}
	}
	b.both(s, q, n)
	n = 0
	for i, id := range ids {
		if slot, found := s.slots[id]; found {
			out[i] = q.exact(b.hi[n], b.lo[n], s.norms[slot])
			n++
		}
	}
}

// bytes is about what the set holds in memory.
func (s *Set) bytes() int64 {
	const perVector = 16 + 4 + 20 // norms, id, its place in the map
	chunks := len(s.hi.chunks) + len(s.lo.chunks)
	return int64(chunks)*chunkRows*int64(s.hi.stride) + int64(len(s.ids))*perVector
}

// fingerprint is a hash of what is kept of a slot's vector, the same in every
// process. Equal vectors have equal fingerprints; the reverse must be checked.
func (s *Set) fingerprint(slot uint32) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a's
	h := uint64(offset)
	hi, lo := s.hi.row(slot), s.lo.row(slot)
	for i := range hi {
		h = (h ^ uint64(uint16(int16(hi[i])<<8+int16(lo[i])))) * prime
	}
	return h
}

// same reports whether two slots hold the same vector.
func (s *Set) same(a, b uint32) bool {
	return slices.Equal(s.hi.row(a), s.hi.row(b)) && slices.Equal(s.lo.row(a), s.lo.row(b))
}
