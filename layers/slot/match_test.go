package slot

import (
	"strings"
	"testing"
	"time"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		name, script, said, want string
	}{
		{"the same value after", "a=x 2024-01", "s=x 2024-03", "a"},
		{"the same value before", "a=x 2024-03", "s=x 2024-01", "a"},
		{"another value", "a=x 2024-01", "s=y 2024-03", ""},
		{"an unknown value", "a=x 2024-01\nb=y 2024-02", "s=z 2024-03", ""},
		{"another value between", "a=x 2024-01\nb=y 2024-02", "s=x 2024-03", ""},
		{"in history, next to it", "a=x 2024-01\nb=y 2024-03", "s=x 2024-02", "a"},
		{"in the future, next to it", "a=x 2024-01 from 2025-01", "s=x 2024-02", "a"},
		{"an announcement of what is current", "a=x 2024-01", "s=x 2024-02 from 2025-01", "a"},
		{"before rather than after", "a=x 2024-01\nb=x 2024-05 to 2024-09", "s=x 2024-03", "a"},
		{"a tombstone is never reinforced", "a=x 2024-01 forgotten", "s=x 2024-03", ""},
		{"nor what stands behind one", "a=x 2024-01\nb=y 2024-02 forgotten", "s=x 2024-03", ""},
		{"current beside another", "a=x 2024-01\nb=y 2024-02 beside", "s=x 2024-03", "a"},
		{"the one beside", "a=x 2024-01\nb=y 2024-02 beside\n+a 2024-03", "s=y 2024-04", "b"},
		{"not next to it and not yet current", "a=x 2024-03\nb=y 2024-02 beside", "s=x 2024-01", ""},
		{"no end given", "a=x 2024-01 to 2024-06", "s=x 2024-03", "a"},
		{"the same end", "a=x 2024-01 to 2024-06", "s=x 2024-03 to 2024-06", "a"},
		{"another end", "a=x 2024-01 to 2024-06", "s=x 2024-03 to 2024-07", ""},
		{"an end where none was given", "a=x 2024-01", "s=x 2024-03 to 2024-07", ""},
		{"after its end", "a=x 2024-01 to 2024-06", "s=x 2024-07", ""},
		{"after it was ended", "a=x 2024-01\nend=x 2024-05 to 2024-04", "s=x 2024-06", ""},
		{"before it was ended", "a=x 2024-01\nend=x 2024-05 to 2024-04", "s=x 2024-03", "a"},
		{"after a close", "a=x 2024-01\nby!* 2024-02", "s=x 2024-03", ""},
		{"across a close of another", "a=x 2024-01\nby!z 2024-02", "s=x 2024-03", "a"},
		{"after a close, what follows it", "by!* 2024-01\na=x 2024-03", "s=x 2024-02", "a"},
		{"before a close", "by!* 2024-02\na=x 2024-03", "s=x 2024-01", ""},
		{"across a past period", "a=x 2024-01\np=y 2024-02 from 2020-01 to 2021-01", "s=x 2024-03", "a"},
		{"none after none", "a=none 2024-01", "s=none 2024-03", "a"},
		{"none after a value", "a=x 2024-01", "s=none 2024-03", ""},
		{"the same past period", "a=x 2024-01 from 2020-01 to 2021-01", "s=x 2024-03 from 2020-01 to 2021-01", "a"},
		{"the same past period learned before", "a=x 2024-03 from 2020-01 to 2021-01", "s=x 2024-01 from 2020-01 to 2021-01", "a"},
		{"another past period", "a=x 2024-01 from 2020-01 to 2021-01", "s=x 2024-03 from 2022-01 to 2023-01", ""},
		{"a past period of another value", "a=x 2024-01 from 2020-01 to 2021-01", "s=y 2024-03 from 2020-01 to 2021-01", ""},
		{"the same past period across one that does not overlap", "a=x 2024-01 from 2020-01 to 2021-01\nb=y 2024-02 from 2021-01 to 2022-01", "s=x 2024-03 from 2020-01 to 2021-01", "a"},
		{"the same past period across one that overlaps", "a=x 2024-01 from 2020-01 to 2021-01\nb=y 2024-02 from 2020-06 to 2022-01", "s=x 2024-03 from 2020-01 to 2021-01", ""},
		{"a forgotten past period", "a=x 2024-01 from 2020-01 to 2021-01 forgotten", "s=x 2024-03 from 2020-01 to 2021-01", ""},
		{"an ending does not reinforce what it ends", "a=x 2024-01", "s=x 2024-05 to 2024-03", ""},
		{"the same ending", "a=x 2024-01\ne=x 2024-05 to 2024-03", "s=x 2024-06 to 2024-03", "e"},
		{"a forgotten statement reinforces nothing", "a=x 2024-01", "s=x 2024-03 forgotten", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ss, closings := script(t, c.script)
			said, _ := script(t, c.said)
			s := said[0]
			s.Said[0].RecordedAt = learned(len(strings.Split(c.script, "\n")))
			if got := New(ss, closings).Match(s); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// What is said again of an ended period is that period, although the store
// keeps no bounds of a reinforcement.
func TestNew_ReinforcedPeriodKeepsItsBounds(t *testing.T) {
	line := New(script(t, "a=x 2024-01 from 2020-01 to 2021-01\n+a 2024-03"))
	if got := line.At(day(t, "2024-06")); len(got) != 0 {
		t.Errorf("at 2024-06: got %v, want none", got)
	}
	if got := line.At(day(t, "2020-06")); len(got) != 1 {
		t.Errorf("at 2020-06: got %v, want a", got)
	}
}

func TestTimeline_ClockAheadHidesNothing(t *testing.T) {
	now := day(t, "2024-01-01")
	s := Statement{ID: "a", Value: "x", Said: []Saying{{ObservedAt: now.AddDate(0, 0, 1), RecordedAt: now}}}
	if got := New([]Statement{s}, nil).At(now); len(got) != 1 {
		t.Errorf("at the time of record: got %v, want a", got)
	}
}

func TestTimeline_ObservedDefaultsToRecorded(t *testing.T) {
	now := day(t, "2024-01-01")
	ss := []Statement{
		{ID: "a", Value: "x", Said: []Saying{{RecordedAt: now, Confidence: 0.9}}},
		{ID: "b", Value: "y", Said: []Saying{{RecordedAt: now.Add(time.Microsecond), Confidence: 0.2}}},
	}
	if got := New(ss, nil).At(now.Add(time.Microsecond)); len(got) != 1 || got[0] != "b" {
		t.Errorf("got %v, want b", got)
	}
}

func TestTimeline_EmptyHasNothing(t *testing.T) {
	line := New(nil, nil)
	at := day(t, "2024-01")
	if got := line.At(at); len(got) != 0 {
		t.Errorf("at: got %v", got)
	}
	if got := line.Next(at); !got.IsZero() {
		t.Errorf("next: got %v", got)
	}
	if got := line.Intervals(); len(got) != 0 {
		t.Errorf("intervals: got %v", got)
	}
	if got := line.Displaced("x"); got != nil {
		t.Errorf("displaced: got %v", got)
	}
	if got := line.Successor("x"); got != "" {
		t.Errorf("successor: got %v", got)
	}
	if line.Ended("x", at) {
		t.Errorf("ended: got true")
	}
	if got := line.Match(Statement{Value: "x", Said: []Saying{{ObservedAt: at}}}); got != "" {
		t.Errorf("match: got %q", got)
	}
	if got := line.Match(Statement{Value: "x"}); got != "" {
		t.Errorf("match of nothing said: got %q", got)
	}
}

func TestEnded_NotBeforeItsTime(t *testing.T) {
	for _, c := range []struct {
		script, at string
		want       bool
	}{
		{"a=x 2024-01 to 2024-06", "2024-05", false},
		{"a=x 2024-01 to 2024-06", "2024-06", true},
		{"a=x 2024-01 from 2024-03", "2024-02", false},
		{"a=x 2024-01\nby!* 2024-03", "2024-02", false},
		{"a=x 2024-01\nby!* 2024-03", "2024-03", true},
		{"a=x 2024-01\nb=y 2024-03", "2024-04", false},
		{"a=x 2024-01\nend=x 2024-05 to 2024-04", "2024-03", false},
		{"a=x 2024-01\nend=x 2024-05 to 2024-04", "2024-04", true},
	} {
		if got := New(script(t, c.script)).Ended("a", day(t, c.at)); got != c.want {
			t.Errorf("%q at %s: got %v, want %v", c.script, c.at, got, c.want)
		}
	}
}

func TestNext(t *testing.T) {
	line := New(script(t, "a=x 2024-01\nb=y 2024-02 from 2024-06 to 2024-09\np=z 2024-02 from 2020-01 to 2021-01"))
	var got []string
	for at := line.Next(day(t, "2000-01")); !at.IsZero(); at = line.Next(at) {
		got = append(got, at.Format("2006-01"))
	}
	if got, want := strings.Join(got, " "), "2020-01 2021-01 2024-01 2024-06 2024-09"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestIntervals(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"one after the other", "a=x 2024-01\nb=y 2024-03", "2024-01..2024-03 a; 2024-03.. b"},
		{"a gap is not listed", "a=x 2024-01 to 2024-02\nb=y 2024-05", "2024-01..2024-02 a; 2024-05.. b"},
		{"beside", "a=x 2024-01\nb=y 2024-03 beside", "2024-01..2024-03 a; 2024-03.. b,a"},
		{"said again is one", "a=x 2024-01\n+a 2024-02\nb=y 2024-03", "2024-01..2024-03 a; 2024-03.. b"},
		{"an unknown beginning", "a=x 2024-01 to 2020-01", "..2020-01 a"},
		{"a past period within", "a=x 2019-01\nb=y 2024-01 from 2020-01 to 2021-01", "2019-01..2020-01 a; 2020-01..2021-01 b; 2021-01.. a"},
		{"an early beginning said late", "a=x 2022-01\nb=y 2024-01 from 2023-01\nc=z 2023-06", "2022-01..2023-01 a; 2023-01.. b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, i := range New(script(t, c.script)).Intervals() {
				got = append(got, month(i.From)+".."+month(i.To)+" "+strings.Join(i.IDs, ","))
			}
			if got := strings.Join(got, "; "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func month(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format("2006-01")
}
