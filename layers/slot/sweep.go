package slot

import (
	"slices"
	"time"
)

// sweep moves through time and keeps what the open sayings leave standing. A
// moment costs what starts at it, as long as things start in their order; else
// it folds again, unless the timeline is simple.
type sweep struct {
	places  []*place
	pending []*place // by start, then order
	last    int      // index of the latest place taken
	simple  bool     // whatever comes leaves nothing of what stood before
	now     standing
}

// newSweep returns a sweep over the places, the first of a timeline.
func newSweep(places []*place) *sweep {
	w := &sweep{places: places, last: -1, simple: true}
	for _, p := range places {
		if p.role != ends {
			w.pending = append(w.pending, p)
			w.simple = w.simple && !p.beside && len(p.only) == 0
		}
	}
	slices.SortStableFunc(w.pending, func(a, b *place) int { return a.start.Compare(b.start) })
	return w
}

// to moves on to a moment and returns the places that start until then, in
// order.
func (w *sweep) to(at time.Time) []*place {
	begun := w.starting(at)
	if len(begun) == 0 {
		return nil
	}
	again := begun[0].index < w.last
	w.last = max(w.last, begun[len(begun)-1].index)
	switch {
	case w.simple:
		w.now = w.now[:0].take(w.places[w.last], at, ignore)
	case again:
		w.now = fold(at, w.places)
	default:
		for _, p := range begun {
			w.now = w.now.take(p, p.key, ignore)
		}
	}
	return begun
}

// starting takes from pending what starts up to a moment, in order.
func (w *sweep) starting(at time.Time) []*place {
	n := 0
	for n < len(w.pending) && !w.pending[n].start.After(at) {
		n++
	}
	begun := w.pending[:n]
	w.pending = w.pending[n:]
	slices.SortFunc(begun, func(a, b *place) int { return a.index - b.index })
	return begun
}

// fold returns what the open sayings among the places leave standing at a
// moment.
func fold(at time.Time, places []*place) standing {
	var s standing
	for _, p := range places {
		if p.role != ends && !p.start.After(at) {
			s = s.take(p, p.key, ignore)
		}
	}
	return s
}
