package slot

import (
	"slices"
	"time"
)

// sweep moves through time and keeps what the open sayings leave standing. A
// moment costs what starts at it, as long as things start in their order; else
// it folds again.
type sweep struct {
	t       *Timeline
	pending []*place // by start, then order
	last    int      // index of the latest place taken
	now     standing
}

func newSweep(t *Timeline) *sweep {
	w := &sweep{t: t, last: -1}
	for _, p := range t.places {
		if p.role != ends {
			w.pending = append(w.pending, p)
		}
	}
	slices.SortStableFunc(w.pending, func(a, b *place) int { return a.start.Compare(b.start) })
	return w
}

// starting takes the places from pending that start up to a moment, in order.
func (w *sweep) starting(at time.Time) []*place {
	n := 0
	for n < len(w.pending) && !w.pending[n].start.After(at) {
		n++
	}
	fresh := w.pending[:n]
	w.pending = w.pending[n:]
	slices.SortFunc(fresh, func(a, b *place) int { return a.index - b.index })
	return fresh
}

// to moves on to a moment. It reports the places that start at it, and whether
// it folded again: then tell hears of every displacement up to the moment,
// else only of those at it.
func (w *sweep) to(at time.Time, tell displaced) (fresh []*place, again bool) {
	fresh = w.starting(at)
	if len(fresh) == 0 {
		return nil, false
	}
	again = fresh[0].index < w.last
	w.last = max(w.last, fresh[len(fresh)-1].index)
	if again {
		w.now = w.t.fold(at, len(w.t.places), tell)
		return fresh, true
	}
	for _, p := range fresh {
		w.now = w.now.take(p, p.key, tell)
	}
	return fresh, false
}
