package slot

import (
	"slices"
	"sync"
	"time"
)

// growth is the first longer timeline that was made of one.
type growth struct {
	mu sync.Mutex // guards to; held while it is made
	to *Timeline
}

// With returns the timeline of what is in t and of s, which is new and has one
// saying: what New would return for them and the closings of t. It takes
// O(log n), time and again, where that saying follows all others in the order and
// is of an open statement; where it would change what they were settled to, and
// for tombstones, it returns nil, and New is to be asked.
func (t *Timeline) With(s Statement) *Timeline {
	if s.Tombstone || len(s.Said) != 1 {
		return nil
	}
	u := s.utterance(s.Said[0], 0)
	return t.grow(u, claimOf(&s, u.role))
}

// Again is With for one more saying of a statement that is in t.
func (t *Timeline) Again(s Statement, said Saying) *Timeline {
	v, _ := t.said.get(s.ID)
	if v.own == nil || v.own.role != opens || v.own.tombstone || s.Tombstone {
		return nil
	}
	u := s.utterance(said, v.sayings)
	return t.grow(u, claimOf(&s, u.role))
}

// follows reports whether an open utterance would be the last in the order.
func (t *Timeline) follows(p *place) bool {
	return p.role == opens && (len(t.places) == 0 || compare(t.places[len(t.places)-1], p) < 0)
}

// grow returns the timeline with one more utterance at its end; nil where it does
// not follow all others, or changes what they were settled to.
func (t *Timeline) grow(u utterance, c claim) *Timeline {
	number, known := t.claims.get(c)
	if !known {
		number = t.numbers
	}
	u.claim = number
	p := u.place()
	if !t.follows(&p) || !t.settleLast(&p) {
		return nil
	}
	t.grown.mu.Lock()
	defer t.grown.mu.Unlock()
	if to := t.grown.to; to != nil && to.endsIn(&p, c) {
		return to
	}
	grown := t.longer(&p)
	if !known {
		grown.claims, grown.numbers = t.claims.with(c, number), t.numbers+1
	}
	if t.grown.to == nil {
		t.grown.to = grown
	}
	return grown
}

// settleLast gives p, which follows all others, its hold. False where that would
// change a hold that others know.
func (t *Timeline) settleLast(p *place) bool {
	i := t.last.again(p, p.key)
	if i < 0 {
		p.hold = newHold(p)
		return true
	}
	p.says, p.hold = t.last[i], t.last[i].hold
	return p.hold.knows(p)
}

// knows reports whether p says nothing of the hold that is not known of it.
func (h *hold) knows(p *place) bool {
	return !p.start.Before(h.start) && !p.ValidFrom.After(h.since) && (p.ValidTo.IsZero() || p.ValidTo.Equal(h.to)) &&
		slices.ContainsFunc(h.of, func(q *place) bool { return q.id == p.id })
}

// endsIn reports whether the last place is of the same utterance.
func (t *Timeline) endsIn(p *place, c claim) bool {
	last := t.places[len(t.places)-1]
	number, known := t.claims.get(c)
	return known && number == last.claim && last.id == p.id && last.number == p.number && last.beside == p.beside && last.equal(&p.Saying)
}

func (s *Saying) equal(o *Saying) bool {
	return s.ObservedAt.Equal(o.ObservedAt) && s.ValidFrom.Equal(o.ValidFrom) && s.ValidTo.Equal(o.ValidTo) &&
		s.RecordedAt.Equal(o.RecordedAt) && s.Confidence == o.Confidence && s.Trust == o.Trust
}

// longer returns a timeline with p, which is settled, at its end. The first one
// goes on in the memory of t, behind what t knows; others get their own.
func (t *Timeline) longer(p *place) *Timeline {
	places, bounds := t.places, t.bounds
	if t.grown.to != nil {
		places, bounds = slices.Clip(places), slices.Clip(bounds)
	}
	p.index = len(places)
	voice, _ := t.said.get(p.id)
	grown := &Timeline{
		past: t.past, closings: t.closings, claims: t.claims, numbers: t.numbers,
		last: slices.Clone(t.last), latest: t.latest,
	}
	grown.take(p)
	grown.places, grown.said = append(places, p), t.said.with(p.id, voice.with(p))
	grown.bounds = withBound(withBound(bounds, p.start), p.hold.to)
	grown.departures.known = t.departuresWith(p, grown.last)
	return grown
}

// withBound adds a moment to bounds, in its place.
func withBound(bounds []time.Time, at time.Time) []time.Time {
	if n := len(bounds); at.IsZero() || n > 0 && bounds[n-1].Equal(at) {
		return bounds
	} else if n == 0 || bounds[n-1].Before(at) {
		return append(bounds, at)
	}
	i, found := slices.BinarySearchFunc(bounds, at, time.Time.Compare)
	if found {
		return bounds
	}
	return slices.Insert(slices.Clip(bounds), i, at)
}
