package slot

import (
	"slices"
	"time"
)

// Displaced returns what the statement, or a closing one, superseded at its
// places in time, in order: the ids, of tombstones too, that would hold again
// if it were withdrawn. A statement that stands in history has superseded what
// was before it; one that fills a past period has superseded nothing (nil).
func (t *Timeline) Displaced(id string) []string {
	var gone []*place
	for p := range t.of(id) {
		gone = append(gone, t.displacedBy(p)...)
	}
	slices.SortStableFunc(gone, func(a, b *place) int { return a.index - b.index })
	var ids []string
	for _, p := range gone {
		if p.id != id && !slices.Contains(ids, p.id) {
			ids = append(ids, p.id)
		}
	}
	return ids
}

func (t *Timeline) displacedBy(p *place) []*place {
	if p.role == ends {
		return p.removed
	}
	if !p.deep {
		return holding(p.removed, p.start)
	}
	var gone []*place
	w := newSweep(t.places[:p.index])
	for _, at := range t.within(p) {
		w.to(at)
		slices.Clone(w.now).take(p, p.key, func(_, g *place) {
			if !over(g.hold.to, at) {
				gone = append(gone, g)
			}
		})
	}
	return gone
}

// holding returns those places whose hold is not over at a moment.
func holding(places []*place, at time.Time) []*place {
	var out []*place
	for _, p := range places {
		if !over(p.hold.to, at) {
			out = append(out, p)
		}
	}
	return out
}

// within returns the moments between the start of p and its place in the
// order at which an earlier place starts: p displaces what holds at any of them.
func (t *Timeline) within(p *place) []time.Time {
	moments := []time.Time{p.start}
	for _, q := range t.places[:p.index] {
		if q.role != ends && q.start.After(p.start) {
			moments = append(moments, q.start)
		}
	}
	slices.SortFunc(moments, time.Time.Compare)
	return slices.CompactFunc(moments, time.Time.Equal)
}
