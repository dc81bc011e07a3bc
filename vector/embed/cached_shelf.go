package embed

import "container/list"

// slotBytes is what a kept vector costs beside its numbers: a list element (48),
// a slot (64), and a place of 41 in a map that is between 7/8 and 7/16 full.
const slotBytes = 208

// numberBytes is the size of a float32.
const numberBytes = 4

// shelf keeps vectors up to a number of bytes; the one used longest ago goes
// first.
type shelf struct {
	maxBytes, bytes int
	order           *list.List // of *slot, the one used last in front
	places          map[key]*list.Element
}

type slot struct {
	key    key
	vector []float32
}

func (s *slot) bytes() int { return slotBytes + numberBytes*len(s.vector) }

func newShelf(maxBytes int) shelf {
	return shelf{maxBytes: maxBytes, order: list.New(), places: map[key]*list.Element{}}
}

// get returns a vector that is kept, which must not be changed.
func (s *shelf) get(k key) ([]float32, bool) {
	place, ok := s.places[k]
	if !ok {
		return nil, false
	}
	s.order.MoveToFront(place)
	return place.Value.(*slot).vector, true
}

// put keeps a vector that is not kept, if it fits at all.
func (s *shelf) put(k key, vector []float32) {
	added := &slot{k, vector}
	if added.bytes() > s.maxBytes {
		return
	}
	s.places[k] = s.order.PushFront(added)
	s.bytes += added.bytes()
	for s.bytes > s.maxBytes {
		s.drop(s.order.Back())
	}
}

func (s *shelf) drop(place *list.Element) {
	dropped := s.order.Remove(place).(*slot)
	delete(s.places, dropped.key)
	s.bytes -= dropped.bytes()
}
