package slot

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// day returns midnight of a date such as "2024-03-01", or of a month "2024-03".
func day(t testing.TB, s string) time.Time {
	t.Helper()
	for _, layout := range []string{time.DateOnly, "2006-01"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at
		}
	}
	t.Fatalf("no date: %q", s)
	return time.Time{}
}

// learned is when the n-th statement of a script was recorded: long after all
// that it tells of.
func learned(n int) time.Time {
	return time.Date(2030, 1, 1, 0, 0, n, 0, time.UTC)
}

// script reads statements and closes, one a line, in the order of arrival:
//
//	id=value obs [from F] [to T] [conf C] [beside] [forgotten]
//	+id obs [from F] [to T]             said again
//	id!ids obs [from F]                 closes ids (or *, whatever is current)
func script(t testing.TB, text string) ([]Statement, []Close) {
	t.Helper()
	var ss []Statement
	var cs []Close
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		words := strings.Fields(line)
		s := Statement{Said: []Saying{{ObservedAt: day(t, words[1]), RecordedAt: learned(n), Confidence: 0.8}}}
		said := &s.Said[0]
		for i := 2; i < len(words); i++ {
			switch words[i] {
			case "from":
				i++
				said.ValidFrom = day(t, words[i])
			case "to":
				i++
				said.ValidTo = day(t, words[i])
			case "conf":
				i++
				fmt.Sscan(words[i], &said.Confidence)
			case "beside":
				s.Beside = true
			case "forgotten":
				s.Tombstone = true
			}
		}
		if id, ok := strings.CutPrefix(words[0], "+"); ok {
			i := slices.IndexFunc(ss, func(s Statement) bool { return s.ID == id })
			ss[i].Said = append(ss[i].Said, *said)
		} else if by, ids, ok := strings.Cut(words[0], "!"); ok {
			c := Close{By: by, Said: s.Said, Tombstone: s.Tombstone}
			if ids != "*" {
				c.IDs = strings.Split(ids, ",")
			}
			cs = append(cs, c)
		} else {
			s.ID, s.Value, _ = strings.Cut(words[0], "=")
			s.None = s.Value == "none"
			ss = append(ss, s)
		}
	}
	return ss, cs
}

// timelineCases are the rules of the fold. holds is "month:ids" at the 15th;
// displaced and successor are "id:ids".
var timelineCases = []struct {
	name      string
	script    string
	holds     string
	displaced string
	successor string
	ended     string // ids whose own time is over in 2029
}{
	{
		name:   "the later said is current, the other is history",
		script: "a=x 2024-01\nb=y 2024-03",
		holds:  "2023-12: 2024-01:a 2024-02:a 2024-03:b 2029-01:b", displaced: "a: b:a", successor: "a:b b:",
	},
	{
		name:   "a late arrival takes its place in history",
		script: "b=y 2024-03\na=x 2024-01",
		holds:  "2024-02:a 2024-04:b", displaced: "a: b:a", successor: "a:b b:",
	},
	{
		name:   "a late arrival splits what was said twice",
		script: "tea=tea 2024-01\n+tea 2024-06\ncoffee=coffee 2024-03",
		holds:  "2023-12: 2024-02:tea 2024-04:coffee 2024-07:tea", displaced: "tea:coffee coffee:tea", successor: "tea: coffee:tea",
	},
	{
		name:   "there and back are three statements",
		script: "a=x 2024-01\nb=y 2024-02\nc=x 2024-03",
		holds:  "2024-01:a 2024-02:b 2024-03:c", displaced: "a: b:a c:b", successor: "a:b b:c c:",
	},
	{
		name:   "at one time the higher confidence wins",
		script: "a=43 2024-01 conf 0.9\nb=44 2024-01 conf 0.4",
		holds:  "2024-02:a", displaced: "a:b b:", successor: "a: b:a",
	},
	{
		name:   "at one time and confidence the later recorded wins",
		script: "b=44 2024-01\na=43 2024-01",
		holds:  "2024-02:a", successor: "b:a",
	},
	{
		name:   "valid_from in the future displaces nothing until then",
		script: "a=x 2024-01\nb=y 2024-02 from 2024-06",
		holds:  "2024-03:a 2024-06:b", displaced: "b:a", successor: "a:b",
	},
	{
		name:   "what is announced for June is later than what is said in March",
		script: "aarhus=aarhus 2024-01 from 2024-06\nodense=odense 2024-03",
		holds:  "2024-02: 2024-04:odense 2024-07:aarhus", displaced: "aarhus:odense odense:", successor: "odense:aarhus aarhus:",
	},
	{
		name:   "valid_from before the saying counts from then",
		script: "oulu=oulu 2022-01\nvaasa=vaasa 2024-06 from 2023-03",
		holds:  "2022-06:oulu 2023-02:oulu 2023-03:vaasa 2024-07:vaasa", displaced: "vaasa:oulu", successor: "oulu:vaasa",
	},
	{
		name:   "said later with an early valid_from it displaces all that held since",
		script: "a=x 2024-01\nc=z 2024-02\nb=y 2024-03 from 2024-01-02",
		holds:  "2024-01:b 2024-02:b 2024-04:b", displaced: "b:a,c c:a", successor: "a:b c:b",
	},
	{
		name:   "it displaces nothing that was over by then",
		script: "a=x 2024-01 to 2024-03\nb=y 2024-05",
		holds:  "2024-02:a 2024-03: 2024-04: 2024-06:b", displaced: "b:", successor: "a:", ended: "a",
	},
	{
		name:   "a past period fills its own interval and displaces nothing",
		script: "a=x 2023-01\nb=y 2024-05 from 2018-01 to 2020-01",
		holds:  "2017-12: 2019-01:b 2020-01: 2023-02:a 2024-06:a", displaced: "a: b:", successor: "a: b:", ended: "b",
	},
	{
		name:   "a past period goes over what open statements tell",
		script: "a=x 2018-01\nb=y 2024-05 from 2019-01 to 2020-01",
		holds:  "2018-06:a 2019-06:b 2020-01:a 2024-06:a", displaced: "b:", successor: "a:", ended: "b",
	},
	{
		name:   "of two overlapping periods the later said wins",
		script: "a=x 2024-01 from 2010-01 to 2014-01\nb=y 2024-02 from 2012-01 to 2016-01",
		holds:  "2011-01:a 2013-01:b 2015-01:b 2016-01:", displaced: "b:", ended: "a b",
	},
	{
		name:   "a past period without beginning fills only what is empty",
		script: "a=x 2018-01\nb=y 2024-05 to 2020-01",
		holds:  "2015-01:b 2017-12:b 2018-06:a 2020-06:a", ended: "b",
	},
	{
		name:   "of two without beginning the one that ended first",
		script: "oslo=oslo 2024-01 to 2010-01\nbergen=bergen 2024-01 to 2020-01",
		holds:  "2005-01:oslo 2015-01:bergen 2020-06:", ended: "oslo bergen",
	},
	{
		name:   "two periods of one value are two statements",
		script: "a=x 2024-01 from 2008-01 to 2011-01\nb=x 2024-01-02 from 2018-01 to 2021-01",
		holds:  "2007-01: 2009-06:a 2015-06: 2019-06:b 2022-01:", ended: "a b",
	},
	{
		name:   "the current value said with an end is ended, and the slot is empty",
		script: "a=x 2023-01\nb=y 2024-01\nend=y 2024-05 to 2024-03",
		holds:  "2022-12: 2023-02:a 2024-02:b 2024-03: 2024-06:", displaced: "end:b b:a", successor: "b:end a:b end:", ended: "b end",
	},
	{
		name:   "an ending that reaches further back holds there",
		script: "b=y 2024-01\nend=y 2024-05 from 2020-01 to 2024-03",
		holds:  "2019-12: 2021-01:end 2024-02:b 2024-03:", displaced: "end:b", ended: "b end",
	},
	{
		name:   "an ending holds only before the earliest beginning of what it ends",
		script: "b=y 2024-02\n+b 2024-03 from 2023-06\nend=y 2024-05 from 2023-01 to 2024-04",
		holds:  "2022-12: 2023-03:end 2023-08:b 2024-03:b 2024-04:", displaced: "end:b", ended: "b end",
	},
	{
		name:   "an ending ends all that said the same until then",
		script: "a=x 2024-01\nb=x 2024-03 to 2024-09\nend=x 2024-05 to 2024-02",
		holds:  "2023-12: 2024-01:a 2024-02: 2024-04:", displaced: "end:a,b", successor: "a:end", ended: "a b end",
	},
	{
		name:   "an ended value said again later holds anew",
		script: "a=x 2024-01\nend=x 2024-05 to 2024-03\nb=x 2024-07",
		holds:  "2024-02:a 2024-04: 2024-06: 2024-08:b", displaced: "end:a b:", successor: "a:end end: b:", ended: "a end",
	},
	{
		name:   "an ending learned late leaves what was said after it",
		script: "a=x 2024-01\n+a 2024-06\nend=x 2024-04 to 2024-03",
		holds:  "2024-02:a 2024-04: 2024-07:a", displaced: "end:a", successor: "a:", ended: "end",
	},
	{
		name:   "a later end corrects an earlier one",
		script: "a=x 2024-01\ne1=x 2024-05 to 2024-03\ne2=x 2024-07 to 2024-05",
		holds:  "2024-02:a 2024-04:a 2024-05: 2024-08:", displaced: "e1:a e2:e1", successor: "a:e2 e1:e2 e2:", ended: "a e1 e2",
	},
	{
		name:   "another value's end leaves what is current",
		script: "a=x 2023-01\nb=y 2024-01\nend=x 2024-05 from 2023-01 to 2023-06",
		holds:  "2023-02:end 2023-07:a 2024-02:b 2024-06:b", displaced: "end:", ended: "end",
	},
	{
		name:   "a period before the current one is known to have begun is no end",
		script: "now=bergen 2024-01 from 2022-01\nthen=bergen 2024-05 from 2008-01 to 2011-01",
		holds:  "2009-01:then 2012-01: 2023-01:now 2024-06:now", displaced: "then:", successor: "now:", ended: "then",
	},
	{
		name:   "an open statement leaves when its end comes",
		script: "a=x 2024-01\nb=y 2024-02 to 2024-06",
		holds:  "2024-01:a 2024-03:b 2024-06: 2024-08:", successor: "a:b b:", ended: "b",
	},
	{
		name:   "said again without an end the end stays",
		script: "a=x 2024-01 to 2024-06\n+a 2024-03",
		holds:  "2024-04:a 2024-06:", ended: "a",
	},
	{
		name:   "the same value with another end takes over",
		script: "a=x 2024-01\nb=x 2024-02 to 2024-06",
		holds:  "2024-01:a 2024-03:b 2024-06:", displaced: "b:a", successor: "a:b", ended: "a b",
	},
	{
		name:   "keep_both holds beside",
		script: "a=x 2024-01\nb=y 2024-02 beside",
		holds:  "2024-01:a 2024-03:b,a", displaced: "a: b:", successor: "a: b:",
	},
	{
		name:   "saying either again displaces neither",
		script: "a=x 2024-01\nb=y 2024-02 beside\n+a 2024-03\n+b 2024-04",
		holds:  "2024-02:b,a 2024-03:a,b 2024-05:b,a", displaced: "a: b:",
	},
	{
		name:   "the next ordinary statement displaces both",
		script: "a=x 2024-01\nb=y 2024-02 beside\nc=z 2024-03",
		holds:  "2024-02:b,a 2024-04:c", displaced: "c:a,b", successor: "a:c b:c c:",
	},
	{
		name:   "said again after its time was over it displaces what was beside",
		script: "a=x 2024-01 to 2024-03\nb=y 2024-02 beside\nc=x 2024-05",
		holds:  "2024-02:b,a 2024-04:b 2024-06:c", displaced: "c:b", successor: "a: b:c", ended: "a",
	},
	{
		name:   "kept beside again after its time was over",
		script: "a=x 2024-01 to 2024-03\nb=y 2024-02 beside\nc=x 2024-05 beside",
		holds:  "2024-04:b 2024-06:c,b", displaced: "c:", ended: "a",
	},
	{
		name:   "an ending ends one of two",
		script: "a=x 2024-01\nb=y 2024-02 beside\nend=x 2024-05 to 2024-04",
		holds:  "2024-03:b,a 2024-06:b", displaced: "end:a", successor: "a:end b:", ended: "a end",
	},
	{
		name:   "a past period beside another",
		script: "a=x 2018-01\nb=y 2024-01 from 2019-01 to 2020-01 beside",
		holds:  "2018-06:a 2019-06:b,a 2020-06:a", ended: "b",
	},
	{
		name:   "a tombstone keeps its place and no predecessor comes back",
		script: "a=x 2024-01\nb=y 2024-03 forgotten",
		holds:  "2024-02:a 2024-04:", displaced: "b:a", successor: "a: b:",
	},
	{
		name:   "nor does an older late arrival pass a tombstone",
		script: "a=x 2024-01\nb=y 2024-03 forgotten\nc=z 2024-02",
		holds:  "2024-01:a 2024-02:c 2024-04:", displaced: "b:c", successor: "a:c c:",
	},
	{
		name:   "a tombstone's value is unknown: the same said again is new",
		script: "a=x 2024-01 forgotten\nb=x 2024-03",
		holds:  "2024-02: 2024-04:b", displaced: "b:a", successor: "a:b",
	},
	{
		name:   "behind a tombstone stands its successor",
		script: "a=x 2024-01\nb=y 2024-02 forgotten\nc=z 2024-03",
		holds:  "2024-01:a 2024-02: 2024-03:c", displaced: "b:a c:b", successor: "a:c b:c",
	},
	{
		name:   "a forgotten ending still ends",
		script: "a=x 2024-01\nend=x 2024-05 to 2024-03 forgotten",
		holds:  "2024-02:a 2024-04:", displaced: "end:a", successor: "a:", ended: "a end",
	},
	{
		name:   "a forgotten period hides what it hid",
		script: "a=x 2018-01\nb=y 2024-05 from 2019-01 to 2020-01 forgotten",
		holds:  "2018-06:a 2019-06: 2020-06:a", ended: "b",
	},
	{
		name:   "none is current",
		script: "a=x 2024-01\nno=none 2024-03",
		holds:  "2024-02:a 2024-04:no", displaced: "no:a", successor: "a:no",
	},
	{
		name:   "after none the next value holds",
		script: "a=x 2024-01\nno=none 2024-03\nb=y 2024-05",
		holds:  "2024-04:no 2024-06:b", displaced: "b:no", successor: "no:b",
	},
	{
		name:   "a close ends what is current",
		script: "a=x 2024-01\nby!* 2024-03",
		holds:  "2024-02:a 2024-04:", displaced: "by:a", successor: "a:by", ended: "a",
	},
	{
		name:   "a close ends only what was before it",
		script: "a=x 2024-01\nby!* 2024-03\nb=x 2024-05",
		holds:  "2024-02:a 2024-04: 2024-06:b", displaced: "by:a b:", successor: "a:by b:", ended: "a",
	},
	{
		name:   "a close learned late leaves what was said after it",
		script: "a=x 2024-01\n+a 2024-05\nby!* 2024-03",
		holds:  "2024-02:a 2024-04: 2024-06:a", displaced: "by:a", successor: "a:",
	},
	{
		name:   "a close with ids ends those",
		script: "a=x 2024-01\nb=y 2024-02 beside\nby!a 2024-03",
		holds:  "2024-02:b,a 2024-04:b", displaced: "by:a", successor: "a:by b:", ended: "a",
	},
	{
		name:   "a close with other ids ends nothing",
		script: "a=x 2024-01\nby!z 2024-03",
		holds:  "2024-04:a", displaced: "by:", successor: "a:",
	},
	{
		name:   "a forgotten close still closes and is no successor",
		script: "a=x 2024-01\nby!* 2024-03 forgotten",
		holds:  "2024-02:a 2024-04:", displaced: "by:a", successor: "a:", ended: "a",
	},
	{
		name:   "a statement does not close itself",
		script: "a=x 2024-01\nb=y 2024-03\nb!a 2024-03",
		holds:  "2024-02:a 2024-04:b", displaced: "b:a", successor: "a:b",
	},
	{
		name:   "a close that was over when said closes nothing",
		script: "a=x 2024-01\nby!* 2024-05 from 2024-02 to 2024-03",
		holds:  "2024-02:a 2024-06:a", displaced: "by:", successor: "a:",
	},
	{
		name:   "a close in the future waits",
		script: "a=x 2024-01\nby!* 2024-02 from 2024-06",
		holds:  "2024-03:a 2024-07:", displaced: "by:a", successor: "a:by", ended: "a",
	},
}

func TestTimeline(t *testing.T) {
	for _, c := range timelineCases {
		t.Run(c.name, func(t *testing.T) {
			line := New(script(t, c.script))
			check := func(what, want string, got func(string) string) {
				for pair := range strings.FieldsSeq(want) {
					key, want, _ := strings.Cut(pair, ":")
					if got := got(key); got != want {
						t.Errorf("%s %s: got %q, want %q", what, key, got, want)
					}
				}
			}
			check("holds at", c.holds, func(month string) string {
				return strings.Join(line.At(day(t, month).AddDate(0, 0, 14)), ",")
			})
			check("displaced by", c.displaced, func(id string) string {
				return strings.Join(line.Displaced(id), ",")
			})
			check("successor of", c.successor, line.Successor)
			ss, _ := script(t, c.script)
			for _, s := range ss {
				want := slices.Contains(strings.Fields(c.ended), s.ID)
				if got := line.Ended(s.ID, day(t, "2029-01")); got != want {
					t.Errorf("ended %s: got %v, want %v", s.ID, got, want)
				}
			}
		})
	}
}
