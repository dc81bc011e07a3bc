package slot

import (
	"iter"
	"slices"
	"sort"
	"time"
)

// Timeline is the history of one slot: which of its statements held when. It
// depends on the times that were given, not on the order of the arguments. It
// is immutable and safe for concurrent use. [Timeline.With] and [Timeline.Again]
// make a longer one of it, for what a late saying adds.
//
// The order of open sayings is that of the later of ValidFrom and ObservedAt;
// then confidence, trust, RecordedAt, id. At a moment T those count that have
// started: at ValidFrom, else at ObservedAt (or RecordedAt, if that is
// earlier). Each displaces what is current, unless it says the same again or
// is kept beside it.
//
// A saying that was over when it was said (ValidTo not after ObservedAt)
// displaces nothing. If its value is the current one, it ends that at ValidTo,
// whatever end was given before; but if the current one is known to have begun
// at or after ValidTo, it is another period. Else it fills its period
// [ValidFrom, ValidTo) over what the open ones tell, or, without ValidFrom,
// what is left empty before ValidTo; of two such the one that ended first.
type Timeline struct {
	places   []*place             // in order
	past     []*place             // those of them that were over when said
	closings []*place             // those that close
	said     trail[string, voice] // by id, closings too
	claims   trail[claim, int]
	numbers  int         // of claims
	bounds   []time.Time // when what is shown may change, ascending

	last   standing  // what the open sayings leave standing, all of them counted
	latest time.Time // when the last of them starts

	departures departed
	grown      growth
}

// voice is what one statement, or closing one, said.
type voice struct {
	own     *place // its own saying; nil: it only closes
	last    *place // in order; the one before it is its before
	sayings int    // those that close apart
}

// claim is what a statement says, as far as it can be compared.
type claim struct {
	kind  claimKind
	value string
}

type claimKind uint8

const (
	valued claimKind = iota
	none
	forgotten // known only by its id
)

func claimOf(s *Statement, was role) claim {
	switch {
	case s.Tombstone && (was == opens || s.Value == "" && !s.None):
		return claim{forgotten, s.ID}
	case s.None:
		return claim{kind: none}
	}
	return claim{valued, s.Value}
}

// New returns the timeline of the statements, which have distinct ids.
// Withdrawn statements, and what they would close, are left out by the caller.
// It takes O(n log n) for n sayings.
func New(statements []Statement, closings []Close) *Timeline {
	t, claims := &Timeline{}, map[claim]int{}
	var all []utterance
	for i := range statements {
		all = utter(all, &statements[i], claims)
	}
	for i := range closings {
		all = closings[i].utter(all)
	}
	t.places = placesOf(all)
	slices.SortFunc(t.places, compare)
	t.settle()
	said := make(map[string]voice, len(statements))
	for _, p := range t.places {
		said[p.id] = said[p.id].with(p)
		switch p.role {
		case ends:
			t.past = append(t.past, p)
		case closes:
			t.closings = append(t.closings, p)
		}
	}
	t.said, t.claims, t.numbers = trailOf(said), trailOf(claims), len(claims)
	t.bounds = bounds(t.places)
	return t
}

// with adds the next place in order.
func (v voice) with(p *place) voice {
	p.before, v.last = v.last, p
	if p.role != closes {
		v.sayings++
		if p.number == 0 {
			v.own = p
		}
	}
	return v
}

// of returns the places of a statement, or closing one, the last first.
func (t *Timeline) of(id string) iter.Seq[*place] {
	v, _ := t.said.get(id)
	return func(yield func(*place) bool) {
		for p := v.last; p != nil && yield(p); p = p.before {
		}
	}
}

// utter appends each saying of a statement. What is said again of an ended
// period is that period, whether or not it tells its bounds.
func utter(all []utterance, s *Statement, claims map[claim]int) []utterance {
	for n, said := range s.Said {
		if n > 0 && s.Said[0].ended() && said.ValidTo.IsZero() {
			said.ValidFrom, said.ValidTo = s.Said[0].ValidFrom, s.Said[0].ValidTo
		}
		u := s.utterance(said, n)
		c := claimOf(s, u.role)
		if _, known := claims[c]; !known {
			claims[c] = len(claims)
		}
		u.claim = claims[c]
		all = append(all, u)
	}
	return all
}

// utterance is a saying of the statement, without what it claims.
func (s *Statement) utterance(said Saying, number int) utterance {
	u := utterance{Saying: said, id: s.ID, number: number, role: opens, beside: s.Beside, tombstone: s.Tombstone}
	if said.ended() {
		u.role = ends
	}
	return u
}

// utter appends each saying of a close that was not over when it was said.
func (c *Close) utter(all []utterance) []utterance {
	for n, said := range c.Said {
		if !said.ended() {
			all = append(all, utterance{
				Saying: said, id: c.By, number: n, role: closes, only: c.IDs, tombstone: c.Tombstone,
			})
		}
	}
	return all
}

// At returns the ids of the statements that hold at a moment, latest first: one,
// or several that were kept beside each other, or none. Those whose value is
// none are among them, tombstones never. O(n), and where all have started O(1) and
// what past periods there are.
func (t *Timeline) At(at time.Time) []string {
	return t.fill(t.standing(at), at).ids(at)
}

// standing returns what the open sayings leave standing at a moment; it is the
// caller's.
func (t *Timeline) standing(at time.Time) standing {
	if at.Before(t.latest) {
		return fold(at, t.places)
	}
	return slices.Clone(t.last)
}

// Next returns the next moment after the given one at which At may change of
// itself: a start or an end comes due. Zero: it stays as it is.
func (t *Timeline) Next(after time.Time) time.Time {
	i := sort.Search(len(t.bounds), func(i int) bool { return t.bounds[i].After(after) })
	if i == len(t.bounds) {
		return time.Time{}
	}
	return t.bounds[i]
}

// fill lays over it the ended sayings that span the moment. It reuses s.
func (t *Timeline) fill(s standing, at time.Time) standing {
	var last *place // of those with an unknown beginning
	for _, p := range t.past {
		switch {
		case !p.spans(at):
		case !p.from.IsZero():
			s = s.take(p, at, ignore)
		case last == nil || !p.to.After(last.to):
			last = p
		}
	}
	if last != nil && !s.known(at) {
		return append(s[:0], last)
	}
	return s
}

// bounds collects when something starts or is over.
func bounds(places []*place) []time.Time {
	var all []time.Time
	add := func(at time.Time) {
		if !at.IsZero() {
			all = append(all, at)
		}
	}
	for _, p := range places {
		switch {
		case p.role != ends:
			add(p.start)
			if p.hold != nil {
				add(p.hold.to)
			}
		case !p.silent:
			add(p.from)
			add(p.to)
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return slices.CompactFunc(all, time.Time.Equal)
}
