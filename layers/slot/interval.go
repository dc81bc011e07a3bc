package slot

import (
	"slices"
	"time"
)

// Interval is a stretch of time in which the same statements hold.
type Interval struct {
	From time.Time // included; zero: unknown beginning
	To   time.Time // not included; zero: open
	IDs  []string  // as At gives them; never empty
}

// Intervals returns when which statements hold, ascending, without gaps being
// listed. O(n log n), and more with past periods, or with statements kept
// beside others that were not said in the order in which they began.
func (t *Timeline) Intervals() []Interval {
	var out []Interval
	w := newSweep(t.places)
	add := func(from, to, at time.Time) {
		ids := t.fill(slices.Clone(w.now), at).ids(at)
		if n := len(out); n > 0 && out[n-1].To.Equal(from) && slices.Equal(out[n-1].IDs, ids) {
			out[n-1].To = to
		} else if len(ids) > 0 {
			out = append(out, Interval{from, to, ids})
		}
	}
	for i, at := range t.bounds {
		if i == 0 {
			add(time.Time{}, at, at.Add(-1))
		}
		w.to(at)
		add(at, t.Next(at), at)
	}
	return out
}
