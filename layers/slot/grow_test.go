package slot

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// told writes down all that a timeline tells of the statements.
func told(line *Timeline, ss []Statement, cs []Close, probes []Statement) string {
	out := fmt.Sprintln(line.Intervals())
	for n := -5; n < 95; n++ {
		out += fmt.Sprintln(n, line.At(onDay(n)), line.Next(onDay(n)))
	}
	ids := make([]string, 0, len(ss)+len(cs))
	for _, s := range ss {
		ids = append(ids, s.ID)
	}
	for _, c := range cs {
		ids = append(ids, c.By)
	}
	for _, id := range ids {
		out += fmt.Sprintln(id, line.Displaced(id), line.Successor(id), line.Ended(id, onDay(30)), line.Ended(id, onDay(90)))
	}
	for _, p := range probes {
		out += fmt.Sprintln(line.Match(p))
	}
	return out
}

// part is one saying of one of several statements.
type part struct{ statement, saying int }

// oneByOne splits statements into what each said, in the order in which it was
// learned.
func oneByOne(ss []Statement) (said []part) {
	for i, s := range ss {
		for n := range s.Said {
			said = append(said, part{i, n})
		}
	}
	slices.SortFunc(said, func(a, b part) int {
		return ss[a.statement].Said[a.saying].RecordedAt.Compare(ss[b.statement].Said[b.saying].RecordedAt)
	})
	return said
}

// A timeline that grew saying by saying, folded anew only where it had to be,
// tells the same as one that was folded at once; so does every one on the way,
// also when others were made of it.
func TestTimeline_GrownTellsTheSame(t *testing.T) {
	grown, folded := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		ss, cs := drawAll(t)
		inOrder := rapid.Bool().Draw(t, "in order")
		probes := drawSayings(t)
		for i := range probes {
			probes[i].ID = ""
		}
		type step struct {
			line *Timeline
			ss   []Statement
		}
		steps := []step{{New(nil, cs), nil}}
		order := oneByOne(ss)
		if inOrder {
			slices.SortStableFunc(order, func(a, b part) int {
				return ss[a.statement].Said[a.saying].key().Compare(ss[b.statement].Said[b.saying].key())
			})
			next := map[int]int{} // of one statement its own saying comes first
			for i, o := range order {
				order[i].saying = next[o.statement]
				next[o.statement]++
			}
		}
		for _, o := range order {
			from := steps[len(steps)-1]
			if rapid.IntRange(0, 3).Draw(t, "asked") == 0 {
				told(from.line, from.ss, cs, probes) // what it found out is what goes on
			}
			s, now := ss[o.statement], slices.Clone(from.ss)
			said := s.Said[o.saying]
			i := slices.IndexFunc(now, func(have Statement) bool { return have.ID == s.ID })
			var line *Timeline
			if i < 0 {
				s.Said = []Saying{said}
				now = append(now, s)
				line = from.line.With(s)
				other := s
				other.ID += "'"
				from.line.With(other) // another one goes on from the same
				if again := from.line.With(s); line != nil && told(again, now, cs, probes) != told(line, now, cs, probes) {
					t.Fatal("the same added twice tells two things")
				}
			} else {
				now[i].Said = append(slices.Clone(now[i].Said), said)
				line = from.line.Again(s, said)
			}
			if line != nil {
				grown++
			} else {
				folded++
				line = New(now, cs)
			}
			steps = append(steps, step{line, now})
		}
		for n, s := range steps {
			if got, want := told(s.line, s.ss, cs, probes), told(New(s.ss, cs), s.ss, cs, probes); got != want {
				t.Fatalf("after %d of %d: %+v %+v\ngrown:\n%s\nfolded:\n%s", n, len(order), s.ss, cs, got, want)
			}
		}
	})
	t.Logf("%d sayings were added, %d folded", grown, folded)
	if grown < folded/4 {
		t.Errorf("%d sayings were added, %d folded: too few to tell", grown, folded)
	}
}

// What is said in the order of its times is never folded anew, whether it is
// another value, the same, one kept beside, or one announced; and past periods
// and late arrivals are, since they change what was settled.
func TestTimeline_GrowsByWhatIsSaidInOrder(t *testing.T) {
	line := New(nil, nil)
	for day := range 50 {
		said := Saying{ObservedAt: onDay(day), RecordedAt: onDay(day), Confidence: .8}
		s := Statement{ID: fmt.Sprint(day), Value: fmt.Sprint(day), Beside: day%7 == 1, Said: []Saying{said}}
		if line = line.With(s); line == nil {
			t.Fatalf("day %d is folded", day)
		}
		said.ObservedAt = said.ObservedAt.Add(time.Hour)
		if line = line.Again(s, said); line == nil {
			t.Fatalf("day %d said again is folded", day)
		}
	}
	if got := line.At(onDay(60)); !slices.Equal(got, []string{"49"}) {
		t.Errorf("holds %v", got)
	}
	for name, said := range map[string]Saying{
		"a late arrival": {ObservedAt: onDay(3), RecordedAt: onDay(60)},
		"a past period":  {ObservedAt: onDay(60), ValidFrom: onDay(2), ValidTo: onDay(4), RecordedAt: onDay(60)},
	} {
		if line.With(Statement{ID: "x", Value: "x", Said: []Saying{said}}) != nil {
			t.Errorf("%s is not folded", name)
		}
	}
}
