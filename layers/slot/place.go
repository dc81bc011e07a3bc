package slot

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// role is what a saying does at its place in the order. Of one statement, what
// it closes comes first.
type role uint8

const (
	closes role = iota // ends others
	opens              // holds from its start
	ends               // was over when it was said: a past period, or an ending
)

// utterance is a saying with what its statement tells, as it was given.
type utterance struct {
	Saying
	id        string
	number    int // among the sayings of its statement
	role      role
	claim     int      // what is claimed; equal for equal values
	only      []string // closes: the ids
	beside    bool
	tombstone bool
}

// place is an utterance in the order of a timeline, with what follows from
// that order.
type place struct {
	utterance
	key, start time.Time
	index      int
	before     *place // of the same id, in order

	hold *hold  // closes: nil
	says *place // opens: the one current before, which this one says again

	// removed were current before and are not after, in the order alone; what
	// starts before an earlier place does (deep) may displace more. Of an
	// ending they are those whose end it tells, or who told that before.
	removed []*place
	deep    bool

	// An ended one ends a hold or, if ending is nil, fills a period of its
	// own. It holds itself in [from, to), unless it is silent; a zero from is
	// an unknown beginning.
	ending   *hold
	from, to time.Time
	silent   bool
}

// placesOf gives each utterance its place.
func placesOf(all []utterance) []*place {
	slab := make([]place, len(all))
	places := make([]*place, len(all))
	for i, u := range all {
		slab[i] = u.place()
		places[i] = &slab[i]
	}
	return places
}

// place is the utterance's, which is not settled yet.
func (u utterance) place() place { return place{utterance: u, key: u.key(), start: u.start()} }

// hold is an unbroken stretch of the order in which one claim is current.
type hold struct {
	start time.Time // the earliest of its sayings
	since time.Time // the latest beginning that was given; zero: none was
	to    time.Time // the end that was given last; zero: open
	of    []*place  // the first saying of each of its statements
	ended *place    // what ended it, if that changed the end
}

func newHold(p *place) *hold {
	h := &hold{start: p.start}
	h.extend(p)
	return h
}

// extend adds a saying. One that gives no end leaves the end that was given.
func (h *hold) extend(p *place) {
	if p.start.Before(h.start) {
		h.start = p.start
	}
	if p.ValidFrom.After(h.since) {
		h.since = p.ValidFrom
	}
	if !p.ValidTo.IsZero() {
		h.to = p.ValidTo
	}
	if !slices.ContainsFunc(h.of, func(q *place) bool { return q.id == p.id }) {
		h.of = append(h.of, p)
	}
}

// compare orders places by time, confidence, trust, time of record, id.
func compare(a, b *place) int {
	if c := a.key.Compare(b.key); c != 0 {
		return c
	}
	if c := cmp.Or(cmp.Compare(a.Confidence, b.Confidence), cmp.Compare(a.Trust, b.Trust)); c != 0 {
		return c
	}
	return cmp.Or(
		a.RecordedAt.Compare(b.RecordedAt),
		strings.Compare(a.id, b.id),
		cmp.Compare(a.role, b.role),
		cmp.Compare(a.number, b.number),
	)
}

// closesHold reports whether a closing place ends a hold: what came into it
// only later is not meant.
func (p *place) closesHold(h *hold) bool {
	return len(p.only) == 0 || slices.ContainsFunc(h.of, func(q *place) bool {
		return q.index < p.index && slices.Contains(p.only, q.id)
	})
}

// spans reports whether an ended saying itself holds at a moment.
func (p *place) spans(at time.Time) bool {
	return !p.silent && !p.from.After(at) && p.to.After(at)
}
