package extract

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-memory/internal/dates"
	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
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
var yearPattern = lazy.MustCompile(`\b(?:19|20)\d\d\b|(?i:\b(?:in|since|until|till|by|around|before|after|year|born|anno) )1[0-8]\d\d\b|\b1[0-8]\d\d ?年`)

// writtenYears are the years in a text.
func writtenYears(s string) (years []string) {
	for _, found := range yearPattern.FindAllString(asciiDigits(s), -1) {
		years = append(years, strings.TrimFunc(found, func(r rune) bool { return r < '0' || r > '9' }))
	}
	return years
}

// writtenDates holds the dates in a memory's own words against the turns: in its text one
// that none says was made up, and the memory with it; a value or a reason with one is left
// out. Relative ones of the text get the date they mean beside them, since they are read
// later.
func (c *modelCheck) writtenDates(m *candidate) string {
	if unsaid := c.unsaidTime(m, m.Text); unsaid != "" {
		return "its text holds " + unsaid
	}
	if unsaid := c.unsaidTime(m, m.Value); unsaid != "" {
		m.note("attribute and value are left out: the value holds %s", unsaid)
		m.Attribute, m.Value = "", ""
	}
	if unsaid := c.unsaidTime(m, m.Reason); unsaid != "" {
		m.note("reason is left out: it holds %s", unsaid)
		m.Reason = ""
	}
	c.datesBeside(m)
	return ""
}

// unsaidTime names the first time in words of a memory that no turn says, "" for none.
func (c *modelCheck) unsaidTime(m *candidate, words string) string {
	spoken := c.spokenNear(m)
	if day := noDay(words); day != "" && !c.saidSo(m, day) {
		return "a day that no calendar has: " + day
	}
	if ref := c.in.saidAt(m.Turns[0]); !ref.IsZero() {
		for _, f := range dates.Find(words, ref) {
			if !f.Range.IsZero() && !overlapsAny(f.Range, spoken) {
				return "a time that no turn says: " + words[f.Start:f.End]
			}
		}
	}
	for _, year := range writtenYears(words) {
		if !yearSaid(year, spoken) {
			return "a year that no turn says: " + year
		}
	}
	return ""
}

// saidSo reports whether a turn that is shown has the very words.
func (c *modelCheck) saidSo(m *candidate, words string) bool {
	words = text.Fold(words)
	return slices.ContainsFunc(m.window.turns(), func(turn int) bool { return strings.Contains(c.turns[turn].folded, words) })
}

// datesBeside puts the dates that relative times mean into a memory's text; where
// the text is the words as they were said they stay so, and the reason says what is
// meant.
func (c *modelCheck) datesBeside(m *candidate) {
	ref := c.in.saidAt(m.Turns[0])
	if ref.IsZero() {
		return
	}
	resolved := slices.DeleteFunc(dates.Find(m.Text, ref), func(f dates.Found) bool { return f.Range.IsZero() || !f.Relative })
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
			if r.From.Before(said.To) && said.From.Before(r.To) && (s.foreign || !finer(r, said)) {
				return true
			}
		}
		if s.bearsOut(r) || s.literal(modelTime{at: r.From, unit: dates.Day}) {
			return true
		}
	}
	return false
}

// finer reports whether a time is a day or a month of a longer stretch that was said: which
// one of it was made up. A clock time of a day that was said is of no such kind: midnight
// and noon are written for the day.
func finer(r, said dates.Range) bool {
	length := said.To.Sub(said.From)
	return length > 7*day && r.To.Sub(r.From) < length/2
}

// Days as they are written, by what they are made of.
var (
	isoDay     = lazy.MustCompile(`\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b`)
	hanDay     = lazy.MustCompile(`(?:(\d{4}) ?年 ?)?(\d{1,2}) ?月 ?(\d{1,2}) ?[日号號]`)
	dayOfMonth = lazy.MustCompile(`(?i)\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? ` + monthWord + `\b,?(?: (\d{4})\b)?`)
	dayInMonth = lazy.MustCompile(`(?i)\b` + monthWord + ` (\d{1,2})(?:st|nd|rd|th)?\b,?(?: (\d{4})\b)?`)
)

const monthWord = `(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|t?ember|ober)?`

var monthNames = strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")

// noDay is the first day in a text that no calendar has, such as 30 February; "" for none.
func noDay(s string) string {
	s = asciiDigits(s)
	for _, form := range []struct {
		pattern          *lazy.Regexp
		year, month, day int // groups
	}{{isoDay, 1, 2, 3}, {hanDay, 1, 2, 3}, {dayOfMonth, 3, 2, 1}, {dayInMonth, 3, 1, 2}} {
		for _, found := range form.pattern.FindAllStringSubmatch(s, -1) {
			if !isDay(found[form.year], found[form.month], found[form.day]) {
				return found[0]
			}
		}
	}
	return ""
}

// isDay reports whether a calendar has a day; without a year, whether some year has it.
func isDay(year, month, dayOf string) bool {
	y, _ := strconv.Atoi(cmp.Or(year, "2000"))
	mo, err := strconv.Atoi(month)
	if err != nil {
		mo = slices.Index(monthNames, strings.ToLower(month)) + 1
	}
	d, _ := strconv.Atoi(dayOf)
	t := time.Date(y, time.Month(mo), d, 0, 0, 0, 0, time.UTC)
	return mo >= 1 && mo <= 12 && d >= 1 && t.Day() == d
}

// yearSaid reports whether turns hold a year, or speak of a time in it.
func yearSaid(year string, spoken []*spokenTimes) bool {
	for _, s := range spoken {
		if s.numbers[year] || s.shortOf(year) || !s.said.IsZero() && strconv.Itoa(s.said.Year()) == year {
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
