package slot

import (
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
	if by, left := t.departures()[id]; left {
		return by
	}
	said := t.said[id]
	if len(said) == 0 {
		return nil
	}
	switch p := said[len(said)-1]; {
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
	for _, p := range t.said[id] {
		if p.role == ends || p.role == opens && !p.start.After(at) {
			last = p
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
	closed := false
	s := t.fold(at, len(t.places), func(by, gone *place) {
		if gone.id == id {
			closed = by.role == closes
		}
	})
	return closed && !s.holds(id)
}

// departures is who stood in whose place after the end of its last hold, by
// id; nil for what had expired. What is never displaced is not in it. Whoever
// took over leaves later, so that following them ends.
type departures map[string]*place

// displacement is one member of a standing giving way.
type displacement struct{ by, gone *place }

// sweepDepartures goes through all time to find them.
func (t *Timeline) sweepDepartures() departures {
	left := departures{}
	w := newSweep(t)
	for _, at := range t.bounds {
		events := map[string]displacement{}
		begun, again := w.to(at, func(by, gone *place) { events[gone.id] = displacement{by, gone} })
		for id := range events {
			// Who left earlier, or has not held since, is not displaced now.
			if _, before := left[id]; !before && !w.now.holds(id) {
				left[id] = w.now.heir(id, events, at)
			}
		}
		if again {
			begun = w.now
		}
		for _, p := range begun {
			if w.now.holds(p.id) {
				delete(left, p.id)
			}
		}
	}
	return left
}

// heir returns who is to blame for a displacement: the one that stands now,
// whoever else came and went at the same moment; or, if the displaced one was
// over by then, what had ended it.
func (s standing) heir(id string, events map[string]displacement, at time.Time) *place {
	if h := events[id].gone.hold; over(h.to, at) {
		return h.ended
	}
	by := events[id].by
	for by.role == opens && !s.holds(by.id) {
		by = events[by.id].by
	}
	return by
}
