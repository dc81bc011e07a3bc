package extract

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-memory/internal/dates"
)

// sayingDay reports whether a written time is the day on which it was said: from then
// on, or until then, needs no date.
func sayingDay(written string, spoken []*spokenTimes) (time.Time, bool) {
	for _, s := range spoken {
		if s.said.IsZero() {
			continue
		}
		if t, ok := parseModelTime(written, s.said.Location()); ok && t.unit <= dates.Day && sameDay(t.at, s.said) {
			y, m, d := s.said.Date()
			return time.Date(y, m, d, 0, 0, 0, 0, s.said.Location()), true
		}
	}
	return time.Time{}, false
}

// times takes the dates from which and until which a memory holds, where a turn
// supports them. An activity's own time goes into its detail, so its dates go there.
func (c *modelCheck) times(m *candidate) string {
	spoken := c.spokenNear(m)
	m.ValidFrom = c.validTime(m, "valid_from", begin, spoken)
	m.ValidTo = c.validTime(m, "valid_to", end, spoken)
	if !m.ValidFrom.IsZero() && !m.ValidTo.IsZero() && !m.ValidTo.After(m.ValidFrom) {
		m.note("valid_to is not after valid_from; both are left out")
		m.ValidFrom, m.ValidTo = time.Time{}, time.Time{}
	}
	return ""
}

func (c *modelCheck) validTime(m *candidate, name string, which edge, spoken []*spokenTimes) time.Time {
	written := m.word(name)
	if written == "" {
		return time.Time{}
	}
	if at, ok := supported(written, which, spoken); ok {
		return at.UTC()
	}
	if at, ok := sayingDay(written, spoken); ok {
		return at.UTC()
	}
	m.note("%s is left out: no turn says it", name)
	return time.Time{}
}

// yearPattern finds what is likely a year: of this age and the last by its look, of
// others by the words around it.
var yearPattern = regexp.MustCompile(`\b(?:19|20)\d\d\b|(?i:\b(?:in|since|until|till|by|around|before|after|year|born|anno) )1[0-8]\d\d\b|\b1[0-8]\d\d ?年`)

// writtenYears are the years in a text.
func writtenYears(s string) (years []string) {
	for _, found := range yearPattern.FindAllString(asciiDigits(s), -1) {
		years = append(years, strings.TrimFunc(found, func(r rune) bool { return r < '0' || r > '9' }))
	}
	return years
}

// writtenDates holds the dates in a memory's own text against the turns: one that none
// says was made up, and the memory with it. Relative ones get the date they mean beside
// them, since they are read later.
func (c *modelCheck) writtenDates(m *candidate) string {
	spoken := c.spokenNear(m)
	ref := c.in.saidAt(m.Turns[0])
	var resolved []dates.Found
	if !ref.IsZero() {
		for _, f := range dates.Find(m.Text, ref) {
			if f.Range.IsZero() {
				continue
			}
			if !overlapsAny(f.Range, spoken) {
				return "its text holds a time that no turn says: " + m.Text[f.Start:f.End]
			}
			if f.Relative {
				resolved = append(resolved, f)
			}
		}
	}
	for _, year := range writtenYears(m.Text) {
		if !yearSaid(year, spoken) {
			return "its text holds a year that no turn says: " + year
		}
	}
	c.datesBeside(m, resolved)
	return ""
}

// datesBeside puts the dates that relative times mean into a memory's text; where
// the text is the words as they were said they stay so, and the reason says what is
// meant.
func (c *modelCheck) datesBeside(m *candidate, resolved []dates.Found) {
	if len(resolved) == 0 {
		return
	}
	asSaid := false
	for _, turn := range m.Turns {
		asSaid = asSaid || strings.Contains(c.in.Talk.Turns[turn].Content, strings.TrimSpace(m.Text))
	}
	if asSaid {
		for _, f := range resolved {
			m.Reason = strings.TrimPrefix(m.Reason+"; "+m.Text[f.Start:f.End]+": "+dateOf(f.Range), "; ")
		}
		return
	}
	for _, f := range slices.Backward(resolved) {
		m.Text = m.Text[:f.End] + " (" + dateOf(f.Range) + ")" + m.Text[f.End:]
	}
}

func overlapsAny(r dates.Range, spoken []*spokenTimes) bool {
	for _, s := range spoken {
		if !s.said.IsZero() && sameDay(r.From, s.said) && r.To.Sub(r.From) <= day {
			return true // "today": the day on which it was said
		}
		for _, said := range s.ranges {
			if r.From.Before(said.To) && said.From.Before(r.To) {
				return true
			}
		}
		if s.literal(modelTime{at: r.From, unit: dates.Day}) {
			return true
		}
	}
	return false
}

// yearSaid reports whether turns hold a year, or speak of a time in it.
func yearSaid(year string, spoken []*spokenTimes) bool {
	for _, s := range spoken {
		if s.numbers[year] || !s.said.IsZero() && strconv.Itoa(s.said.Year()) == year {
			return true
		}
		for _, r := range s.ranges {
			if strconv.Itoa(r.From.Year()) == year {
				return true
			}
		}
	}
	return false
}

// dateOf writes a stretch of time as coarsely as it was said.
func dateOf(r dates.Range) string {
	switch {
	case r.To.Sub(r.From) < day:
		return r.From.Format("2006-01-02 15:04")
	case !r.From.AddDate(0, 0, 1).Before(r.To):
		return r.From.Format("2006-01-02")
	case r.From.AddDate(0, 1, 0).Equal(r.To):
		return r.From.Format("2006-01")
	case r.From.AddDate(1, 0, 0).Equal(r.To):
		return r.From.Format("2006")
	}
	return r.From.Format("2006-01-02") + " to " + r.To.AddDate(0, 0, -1).Format("2006-01-02")
}
