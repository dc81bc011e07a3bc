package extract

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"mcp-memory/internal/dates"
	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
	"mcp-memory/storage"
)

// spokenTimes are the times that a turn speaks of.
type spokenTimes struct {
	said    time.Time // the turn's own; zero: not known
	ranges  []dates.Range
	short   []dates.Range   // what [inShort] finds
	numbers map[string]bool // in its text, without leading zeros
	foreign bool            // not surely in a language whose dates are all read
}

var digitRun = lazy.MustCompile(`[0-9０-９]+`)

// spokenOf reads a turn's times, once. A month or weekday without a year is taken in
// the years around, the last and the next: it was said, and which one was meant is
// the model's to say.
func (c *modelCheck) spokenOf(turn int) *spokenTimes {
	if s := c.spoken[turn]; s != nil {
		return s
	}
	s := &spokenTimes{said: c.in.saidAt(turn), numbers: map[string]bool{}}
	content := c.in.Talk.Turns[turn].Content
	language := cmp.Or(text.Language(content), c.in.Talk.Language)
	s.foreign = language != "en" && language != "zh"
	if !s.said.IsZero() {
		year := s.said.Year()
		found := append(dates.Find(content, s.said), dates.Query(content, s.said, []int{year - 1, year, year + 1})...)
		for _, f := range found {
			if !f.Range.IsZero() {
				s.ranges = append(s.ranges, f.Range)
			}
		}
		s.short = inShort(content, s.said, s.ranges)
	}
	for _, n := range digitRun.FindAllString(content, -1) {
		s.numbers[strings.TrimLeft(asciiDigits(n), "0")] = true
	}
	c.spoken[turn] = s
	return s
}

func asciiDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '０' && r <= '９' {
			return r - '０' + '0'
		}
		return r
	}, s)
}

// spokenNear are the times that may support those of a memory: of its turn and the one
// before, which it may answer; of all that is shown where no quote says which.
func (c *modelCheck) spokenNear(m *candidate) []*spokenTimes {
	turns := m.window.turns()
	if m.Trust != storage.Inferred {
		at := m.Turns[0]
		turns = []int{at}
		if at > 0 {
			turns = append(turns, at-1)
		}
	}
	all := make([]*spokenTimes, len(turns))
	for i, turn := range turns {
		all[i] = c.spokenOf(turn)
	}
	return all
}

// modelTime is a time as a model wrote it.
type modelTime struct {
	at    time.Time
	clock bool // with a time of the day
	unit  dates.Unit
}

// timeForms are the forms in which models write times, the longest first.
var timeForms = []struct {
	layout string
	clock  bool
	unit   dates.Unit
}{
	{time.RFC3339, true, dates.Minute},
	{"2006-01-02T15:04:05", true, dates.Minute}, {"2006-01-02T15:04", true, dates.Minute},
	{"2006-01-02 15:04:05", true, dates.Minute}, {"2006-01-02 15:04", true, dates.Minute},
	{"2006-01-02", false, dates.Day}, {"2006/01/02", false, dates.Day}, {"2006-1-2", false, dates.Day},
	{"2006-01", false, dates.Month}, {"2006", false, dates.Year},
}

// parseModelTime reads a time; one without a zone is in loc. Midnight in UTC is how
// models write a mere date.
func parseModelTime(s string, loc *time.Location) (modelTime, bool) {
	for _, f := range timeForms {
		at, err := time.ParseInLocation(f.layout, s, loc)
		if err != nil {
			continue
		}
		if f.clock && strings.Contains(s, "T00:00:00") {
			y, mo, d := at.Date()
			return modelTime{time.Date(y, mo, d, 0, 0, 0, 0, loc), false, dates.Day}, true
		}
		return modelTime{at.In(loc), f.clock, f.unit}, true
	}
	return modelTime{}, false
}

// edge says which end of a stretch a time is of.
type edge bool

const (
	begin edge = false
	end   edge = true
)

// supported returns the time that turns support for one that a model wrote: no finer
// than it was said, so that of "next month" the first day remains, whatever day the
// model chose.
func supported(written string, which edge, spoken []*spokenTimes) (time.Time, bool) {
	for _, s := range spoken {
		loc := time.UTC
		if !s.said.IsZero() {
			loc = s.said.Location()
		}
		for _, t := range readings(written, loc) {
			if at, ok := s.support(t, which); ok {
				return at, true
			}
		}
	}
	return time.Time{}, false
}

// readings are what a written time may mean: a clock time that ends in Z is often a
// local one that a model made look like RFC 3339.
func readings(written string, loc *time.Location) []modelTime {
	var all []modelTime
	for _, form := range []string{written, strings.TrimSuffix(written, "Z")} {
		if t, ok := parseModelTime(form, loc); ok {
			all = append(all, t)
		}
	}
	return all
}

// support returns what the turn says of a written time.
func (s *spokenTimes) support(t modelTime, which edge) (time.Time, bool) {
	if s.foreign && s.literal(t) { // its year alone may have been read
		return t.at, true
	}
	for _, r := range s.ranges {
		if at, ok := t.within(r, which); ok {
			return at, true
		}
	}
	return t.at, s.literal(t)
}

const day = 24 * time.Hour

// within holds a written time against a stretch that was said.
func (t modelTime) within(r dates.Range, which edge) (time.Time, bool) {
	from, to := r.From, r.To
	switch {
	case r.To.Sub(r.From) < day: // a clock time was said
		if sameDay(t.at, from) && (!t.clock || !t.at.Before(from.Add(-time.Minute)) && t.at.Before(to)) {
			return from, true
		}
		return time.Time{}, false
	case t.unit >= dates.Month: // no finer than a month: the stretch lies within
		if t.at.After(from) || t.span().Before(to) {
			return time.Time{}, false
		}
	case t.at.Before(from) || t.at.After(to):
		return time.Time{}, false
	case t.at.Equal(to) && which == begin:
		return time.Time{}, false
	}
	if which == end && !sameDay(t.at, from) {
		return to, true
	}
	return from, true
}

// span is the end of a written month or year.
func (t modelTime) span() time.Time {
	if t.unit == dates.Year {
		return t.at.AddDate(1, 0, 0)
	}
	return t.at.AddDate(0, 1, 0)
}

func sameDay(a, b time.Time) bool {
	y1, m1, d1 := a.In(b.Location()).Date()
	y2, m2, d2 := b.Date()
	return y1 == y2 && m1 == m2 && d1 == d2
}

// literal reports whether the turn's text holds the numbers of a date: the year and
// the day, the year for its first day. It is for languages whose dates are not read.
func (s *spokenTimes) literal(t modelTime) bool {
	y, mo, d := t.at.Date()
	if t.clock || !s.numbers[strconv.Itoa(y)] {
		return false
	}
	return s.numbers[strconv.Itoa(d)] || d == 1 && (mo == time.January || s.numbers[strconv.Itoa(int(mo))]) || t.unit == dates.Year
}
