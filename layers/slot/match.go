package slot

import "slices"

// unborn stands for the id of a statement that is not in the timeline yet; it
// sorts last.
const unborn = "\U0010ffff"

// Match returns the id of the live statement that s, with one saying and not
// yet in the timeline, merely reinforces, else "".
//
// That is the one of the same value next to it in the order (before or after,
// history and future too), or current beside others at its place, if s gives
// no ValidTo or the same. A past period reinforces only the same past period,
// next to it among those that overlap it.
func (t *Timeline) Match(s Statement) string {
	if s.Tombstone || len(s.Said) == 0 {
		return ""
	}
	s.ID = unborn
	u := s.utterance(s.Said[0], 0)
	number, known := t.claims.get(claimOf(&s, u.role))
	if !known {
		return ""
	}
	u.claim = number
	if p := u.place(); t.follows(&p) {
		return t.matchLast(&p)
	}
	with, p := t.with(u)
	if p.role == ends {
		return with.samePeriod(p)
	}
	if p.says != nil && with.fits(p, p.says) {
		return p.says.id
	}
	if q := with.nextOpen(p); q != nil && q.hold == p.hold && with.fits(p, q) {
		return q.id
	}
	return ""
}

// matchLast is Match for a place that follows all others.
func (t *Timeline) matchLast(p *place) string {
	i := t.last.again(p, p.key)
	if i < 0 || !t.fits(p, t.last[i]) {
		return ""
	}
	return t.last[i].id
}

// with returns a settled copy of the timeline with one more utterance in it, and
// its place.
func (t *Timeline) with(u utterance) (*Timeline, *place) {
	all := make([]utterance, 0, len(t.places)+1)
	for _, q := range t.places {
		all = append(all, q.utterance)
	}
	places := placesOf(append(all, u))
	p := places[len(t.places)]
	at, _ := slices.BinarySearchFunc(places[:len(t.places)], p, compare)
	copy(places[at+1:], places[at:len(t.places)])
	places[at] = p
	fresh := &Timeline{places: places, said: t.said}
	fresh.settle()
	return fresh, p
}

// fits reports whether the bounds of p agree with the statement of q.
func (t *Timeline) fits(p, q *place) bool {
	return p.ValidTo.IsZero() || p.ValidTo.Equal(t.own(q.id).ValidTo)
}

// own returns the place of the statement's own saying.
func (t *Timeline) own(id string) *place {
	v, _ := t.said.get(id)
	return v.own
}

// nextOpen returns the open saying next after p in the order, or nil.
func (t *Timeline) nextOpen(p *place) *place {
	for _, q := range t.places[p.index+1:] {
		if q.role == opens {
			return q
		}
	}
	return nil
}

// samePeriod returns the live statement that tells the same past period.
func (t *Timeline) samePeriod(p *place) string {
	for i := p.index - 1; i >= 0; i-- {
		if q := t.places[i]; q.overlaps(p) {
			if q.sameAs(p) {
				return q.id
			}
			break
		}
	}
	for _, q := range t.places[p.index+1:] {
		if q.overlaps(p) {
			if q.sameAs(p) {
				return q.id
			}
			break
		}
	}
	return ""
}

// overlaps reports whether two ended sayings tell of periods that overlap. A
// zero beginning is before all.
func (p *place) overlaps(q *place) bool {
	return p.role == ends && p.ValidFrom.Before(q.ValidTo) && q.ValidFrom.Before(p.ValidTo)
}

// sameAs reports whether p is live and tells the same of the same period.
func (p *place) sameAs(q *place) bool {
	return !p.tombstone && p.claim == q.claim &&
		p.ValidFrom.Equal(q.ValidFrom) && p.ValidTo.Equal(q.ValidTo)
}
