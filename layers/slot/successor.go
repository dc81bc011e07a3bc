package slot

import (
	"slices"
	"sync"
	"time"
)

// Successor returns the id of the live statement, or closing one, that
// displaced the statement at the end of its hold. It is "" if the statement
// holds still or expired. Behind a tombstone stands what displaced that; "" if
// nothing did. Following successors always ends.
func (t *Timeline) Successor(id string) string {
	by := t.displacer(id)
	for by != nil && by.tombstone {
		if by.role != opens {
			return ""
		}
		by = t.displacer(by.id)
	}
	if by == nil {
		return ""
	}
	return by.id
}

// displacer returns the place that ended the last hold of the statement.
func (t *Timeline) displacer(id string) *place {
	if d, ok := t.departures.of(t).get(id); ok && d.left {
		return d.by
	}
	v, _ := t.said.get(id)
	switch p := v.last; {
	case p == nil:
	case p.role == opens:
		return p.hold.ended
	case p.ending != nil && p.removed != nil && p.ending.ended.id != id:
		return p.ending.ended
	}
	return nil
}

// Ended reports whether the statement's own time is over at a moment: its
// ValidTo has passed, or an ending statement or a close ended it. What was
// superseded, or has not begun, is not ended.
func (t *Timeline) Ended(id string, at time.Time) bool {
	var last *place
	for p := range t.of(id) {
		if p.role == ends || p.role == opens && !p.start.After(at) {
			last = p
			break
		}
	}
	if last == nil {
		return false
	}
	if over(last.hold.to, at) || last.hold.ended == nil && over(last.ValidTo, at) {
		return true
	}
	return last.role == opens && t.closed(id, at)
}

// closed reports whether a close was the last to displace the statement.
func (t *Timeline) closed(id string, at time.Time) bool {
	if len(t.closings) == 0 {
		return false
	}
	by, s := t.displacements(at)
	return by[id] != nil && by[id].role == closes && !s.holds(id)
}

// displacements folds up to a moment and tells who displaced each statement
// last, and what stands.
func (t *Timeline) displacements(at time.Time) (map[string]*place, standing) {
	last := map[string]*place{}
	var s standing
	for _, p := range t.places {
		if p.role != ends && !p.start.After(at) {
			s = s.take(p, p.key, func(by, gone *place) { last[gone.id] = by })
		}
	}
	return last, s
}

// departures is who took over from whom at the end of its last hold, by id. Who
// stands to the end has not left. Whoever took over leaves later, so that following
// them ends.
type departures = trail[string, departure]

type departure struct {
	left bool
	by   *place // nil for what had expired
}

// departed finds departures once they are asked for.
type departed struct {
	mu    sync.Mutex // guards known; held while it is found
	known *departures
}

func (d *departed) of(t *Timeline) departures {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil {
		all := trailOf(t.sweepDepartures())
		d.known = &all
	}
	return *d.known
}

// departuresWith is what departures are with p at the end of the timeline, which
// leaves standing what is given: those of t, where they are known and p starts
// after all else, and who gave way to p. Nil: they are to be found anew.
func (t *Timeline) departuresWith(p *place, now standing) *departures {
	n := len(t.bounds)
	if n == 0 || !t.bounds[n-1].Before(p.start) {
		return nil
	}
	t.departures.mu.Lock()
	defer t.departures.mu.Unlock()
	if t.departures.known == nil {
		return nil
	}
	all := *t.departures.known
	for _, q := range t.last {
		switch {
		case now.holds(q.id):
		case over(q.hold.to, p.start):
			all = all.with(q.id, departure{true, q.hold.ended})
		default:
			all = all.with(q.id, departure{true, p})
		}
	}
	if d, _ := all.get(p.id); d.left {
		all = all.with(p.id, departure{})
	}
	return &all
}

// sweepDepartures goes through all time to find them.
func (t *Timeline) sweepDepartures() map[string]departure {
	left := map[string]departure{}
	w := newSweep(t.places)
	for _, at := range t.bounds {
		candidates := slices.Clone(w.now)
		candidates = append(candidates, w.to(at)...)
		for _, p := range slices.Backward(candidates) { // a statement's latest first
			_, before := left[p.id]
			if p.role == opens && !before && !w.now.holds(p.id) {
				left[p.id] = departure{true, t.heir(p, w, at)}
			}
		}
		for _, p := range w.now {
			delete(left, p.id)
		}
	}
	return left
}

// heir returns who took over from p at the moment of a sweep: what had ended
// it, if it was over by then; else the one that displaced it, or that displaced
// this one at the same moment, and stands; or who closed it.
func (t *Timeline) heir(p *place, w *sweep, at time.Time) *place {
	switch {
	case over(p.hold.to, at):
		return p.hold.ended
	case w.simple:
		return t.simpleHeir(p, w.now, at)
	}
	last, now := t.displacements(at)
	by := last[p.id]
	for by.role == opens && !now.holds(by.id) {
		by = last[by.id]
	}
	return by
}

// simpleHeir is heir where whatever comes displaces all before it.
func (t *Timeline) simpleHeir(p *place, now standing, at time.Time) *place {
	for _, c := range t.closings {
		if c.index > p.index && !c.start.After(at) {
			return c
		}
	}
	return now[0]
}
