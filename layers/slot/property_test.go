package slot

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// epoch is day 0 of the drawn times.
var epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

func onDay(n int) time.Time { return epoch.AddDate(0, 0, n) }

// drawSayings draws ordinary statements of one saying each, of three values
// and none, with distinct times of being said and any bounds.
func drawSayings(t *rapid.T) []Statement {
	days := rapid.SliceOfNDistinct(rapid.IntRange(0, 60), 1, 9, rapid.ID[int]).Draw(t, "days")
	var out []Statement
	for i, d := range days {
		value := rapid.SampledFrom([]string{"x", "y", "z", ""}).Draw(t, "value")
		said := Saying{ObservedAt: onDay(d), RecordedAt: learned(i), Confidence: 0.8}
		if rapid.IntRange(0, 2).Draw(t, "from") == 0 {
			said.ValidFrom = onDay(rapid.IntRange(0, 70).Draw(t, "valid from"))
		}
		if rapid.IntRange(0, 2).Draw(t, "to") == 0 {
			to := onDay(rapid.IntRange(0, 80).Draw(t, "valid to"))
			if to.After(said.ValidFrom) {
				said.ValidTo = to
			}
		}
		out = append(out, Statement{ID: fmt.Sprintf("s%d", i), Value: value, None: value == "", Said: []Saying{said}})
	}
	return out
}

// arrive feeds statements one after the other as a caller does.
func arrive(ss []Statement) []Statement {
	var kept []Statement
	for _, s := range ss {
		if id := New(kept, nil).Match(s); id != "" {
			i := slices.IndexFunc(kept, func(k Statement) bool { return k.ID == id })
			kept[i].Said = append(slices.Clone(kept[i].Said), s.Said[0])
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// valuesOver writes down which value holds when.
func valuesOver(ss []Statement) string {
	value := map[string]string{}
	for _, s := range ss {
		value[s.ID] = s.Value
		if s.None {
			value[s.ID] = "none"
		}
	}
	var b strings.Builder
	var last string
	var end time.Time
	for _, i := range New(ss, nil).Intervals() {
		v := value[i.IDs[0]]
		if v != last || !i.From.Equal(end) || i.From.IsZero() {
			fmt.Fprintf(&b, " ..%s; %s=%s", end.Format(time.DateOnly), i.From.Format(time.DateOnly), v)
		}
		last, end = v, i.To
	}
	return b.String() + " .." + end.Format(time.DateOnly)
}

func TestTimeline_OrderOfArrivalChangesNoValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ss := drawSayings(t)
		other := rapid.Permutation(ss).Draw(t, "arrival")
		one, two := valuesOver(arrive(ss)), valuesOver(arrive(other))
		if one != two {
			t.Fatalf("as drawn: %s\nas permuted: %s", one, two)
		}
	})
}

// The fold of open statements alone is simple enough to be told twice: at T
// holds the latest of those that have started, if it is not over.
func TestAt_IsTheLatestThatStarted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ss := slices.DeleteFunc(drawSayings(t), func(s Statement) bool { return s.Said[0].ended() })
		for i := range ss {
			ss[i].Value, ss[i].None = ss[i].ID, false // no value twice
		}
		at := onDay(rapid.IntRange(-1, 81).Draw(t, "at"))
		var best *Statement
		for i := range ss {
			s := &ss[i].Said[0]
			if s.start().After(at) {
				continue
			}
			if best == nil || s.key().After(best.Said[0].key()) ||
				s.key().Equal(best.Said[0].key()) && s.RecordedAt.After(best.Said[0].RecordedAt) {
				best = &ss[i]
			}
		}
		want := []string{}
		if best != nil && !over(best.Said[0].ValidTo, at) {
			want = append(want, best.ID)
		}
		if got := New(ss, nil).At(at); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// drawAll draws what callers may send: several sayings, beside, forgotten,
// closes.
func drawAll(t *rapid.T) ([]Statement, []Close) {
	ss := arrive(drawSayings(t))
	for i := range ss {
		ss[i].Beside = rapid.IntRange(0, 3).Draw(t, "beside") == 0
		ss[i].Tombstone = rapid.IntRange(0, 4).Draw(t, "forgotten") == 0
	}
	var cs []Close
	for i := range rapid.IntRange(0, 2).Draw(t, "closes") {
		c := Close{By: fmt.Sprintf("c%d", i), Tombstone: rapid.Bool().Draw(t, "forgotten")}
		c.Said = []Saying{{ObservedAt: onDay(rapid.IntRange(0, 60).Draw(t, "closed")), RecordedAt: learned(50 + i)}}
		if rapid.Bool().Draw(t, "one") {
			c.IDs = []string{rapid.SampledFrom(ss).Draw(t, "closes one").ID}
		}
		cs = append(cs, c)
	}
	return ss, cs
}

func TestTimeline_Consistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ss, cs := drawAll(t)
		line := New(ss, cs)
		shuffled := New(rapid.Permutation(ss).Draw(t, "shuffled"), cs)
		forgotten := map[string]bool{}
		for _, s := range ss {
			forgotten[s.ID] = s.Tombstone
		}
		last := line.At(onDay(-5))
		for n := -5; n < 90; n++ {
			at := onDay(n)
			got := line.At(at)
			for _, id := range got {
				if forgotten[id] {
					t.Fatalf("day %d: forgotten %s is shown", n, id)
				}
			}
			if other := shuffled.At(at); !slices.Equal(got, other) {
				t.Fatalf("day %d: %v, with the arguments in another order %v", n, got, other)
			}
			due := line.Next(onDay(n - 1))
			if !slices.Equal(got, last) && (due.IsZero() || due.After(at)) {
				t.Fatalf("day %d: %v became %v, but next change is %v", n, last, got, due)
			}
			if in := within(line.Intervals(), at); !slices.Equal(got, in) {
				t.Fatalf("day %d: holds %v, interval says %v", n, got, in)
			}
			last = got
		}
		checkSuccessors(t, line, ss, cs)
	})
}

func within(intervals []Interval, at time.Time) []string {
	for _, i := range intervals {
		if !i.From.After(at) && (i.To.IsZero() || i.To.After(at)) {
			return i.IDs
		}
	}
	return []string{}
}

func checkSuccessors(t *rapid.T, line *Timeline, ss []Statement, cs []Close) {
	current := line.At(onDay(1000))
	live := map[string]bool{}
	for _, s := range ss {
		live[s.ID] = !s.Tombstone
	}
	for _, c := range cs {
		live[c.By] = !c.Tombstone
	}
	for _, s := range ss {
		next := line.Successor(s.ID)
		if next != "" && slices.Contains(current, s.ID) {
			t.Fatalf("%s holds and has the successor %s", s.ID, next)
		}
		if next != "" && !live[next] {
			t.Fatalf("successor %s of %s is not live", next, s.ID)
		}
		steps := 0
		for id := next; id != ""; id = line.Successor(id) {
			if steps++; steps > len(ss)+len(cs) {
				t.Fatalf("successors of %s go round in a circle", s.ID)
			}
		}
		if slices.Contains(line.Displaced(s.ID), s.ID) {
			t.Fatalf("%s displaced itself", s.ID)
		}
	}
}

// A timeline without statements beside others is swept in a shorter way, which
// tells the same.
func TestSweep_SimpleTellsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ss, cs := drawAll(t)
		for i := range ss {
			ss[i].Beside = false
		}
		for i := range cs {
			cs[i].IDs = nil
		}
		simple := New(ss, cs)
		// A close of nobody, after all, makes it fold.
		never := Close{By: "never", Said: []Saying{{ObservedAt: onDay(999)}}, IDs: []string{"nobody"}}
		folded := New(ss, append(cs, never))
		for _, s := range ss {
			if a, b := simple.Successor(s.ID), folded.Successor(s.ID); a != b {
				t.Fatalf("successor of %s: %q, folded %q", s.ID, a, b)
			}
			if a, b := simple.Displaced(s.ID), folded.Displaced(s.ID); !slices.Equal(a, b) {
				t.Fatalf("displaced by %s: %v, folded %v", s.ID, a, b)
			}
		}
		equal := func(a, b Interval) bool {
			return a.From.Equal(b.From) && a.To.Equal(b.To) && slices.Equal(a.IDs, b.IDs)
		}
		if a, b := simple.Intervals(), folded.Intervals(); !slices.EqualFunc(a, b, equal) {
			t.Fatalf("%v, folded %v", a, b)
		}
	})
}

// Successor and Displaced tell one story where nothing expires: the successor
// displaced it, or what did and gave way at the same moment.
func TestSuccessor_DisplacedIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ss, cs := drawAll(t)
		for i := range ss {
			ss[i].Tombstone = false
			for n := range ss[i].Said {
				ss[i].Said[n].ValidTo = time.Time{}
			}
		}
		line := New(ss, cs)
		for _, s := range ss {
			next := line.Successor(s.ID)
			if next != "" && !slices.Contains(allDisplaced(line, next), s.ID) {
				t.Fatalf("%s is the successor of %s, but displaced %v", next, s.ID, line.Displaced(next))
			}
		}
	})
}

// allDisplaced returns what a statement displaced, and what those did.
func allDisplaced(line *Timeline, id string) []string {
	gone := line.Displaced(id)
	for i := 0; i < len(gone); i++ {
		for _, id := range line.Displaced(gone[i]) {
			if !slices.Contains(gone, id) {
				gone = append(gone, id)
			}
		}
	}
	return gone
}

// A withdrawn statement is out of the fold: what it displaced holds longer
// then, if nothing was said to begin before it was said.
func TestDisplaced_HoldsAgainWhenWithdrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := drawSayings(t)
		for i := range drawn {
			drawn[i].Said[0].ValidFrom, drawn[i].Said[0].ValidTo = time.Time{}, time.Time{}
		}
		ss := arrive(drawn)
		line := New(ss, nil)
		for i, s := range ss {
			gone := line.Displaced(s.ID)
			without := New(slices.Delete(slices.Clone(ss), i, i+1), nil)
			for _, id := range gone {
				if !holdsLonger(id, line, without) {
					t.Fatalf("%s displaced %s, which gains nothing without it", s.ID, id)
				}
			}
		}
	})
}

// holdsLonger reports whether a statement is shown at a moment of the second
// timeline at which the first does not show it.
func holdsLonger(id string, first, second *Timeline) bool {
	for n := -1; n < 90; n++ {
		if slices.Contains(second.At(onDay(n)), id) && !slices.Contains(first.At(onDay(n)), id) {
			return true
		}
	}
	return false
}
