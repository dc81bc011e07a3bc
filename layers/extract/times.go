package extract

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"time"

	"mcp-memory/internal/dates"
	"mcp-memory/storage"
)

// times are the times that a passage says, resolved against its turn's own time
// in the zone that time was given in. A passage of unknown time has only dates
// that are said in full: what is relative or left open is not guessed.
func (p *passage) times() []dates.Found {
	var out []dates.Found
	for _, f := range dates.Find(p.text, p.at) {
		if f.Range.IsZero() || f.Recurring || p.at.IsZero() && (f.Relative || f.Inferred) {
			continue
		}
		f.Range = p.nearest(f)
		out = append(out, f)
	}
	if len(out) == 0 && !p.at.IsZero() {
		out = p.dayOfMonth()
	}
	if len(out) == 0 && !p.at.IsZero() {
		out = p.openDay()
	}
	return out
}

// openDay returns a weekday or month that stands by itself ("Sunday's the race",
// 八月底考), of which dates.Find does not tell which is meant: the one to come, or
// where the passage tells what happened, the last.
func (p *passage) openDay() []dates.Found {
	year := p.at.Year()
	past := p.tellsPast()
	var best *dates.Found
	for _, f := range dates.Query(p.text, p.at, []int{year - 1, year, year + 1}) {
		switch {
		case f.Range.IsZero() || f.Recurring || f.Duration || best != nil && f.Start != best.Start || f.Range.Unit > dates.Month:
			continue
		case past && f.Range.From.After(p.at) || !past && !f.Range.To.After(p.at):
			continue
		}
		if best == nil || past == f.Range.From.After(best.Range.From) {
			best = &f
		}
	}
	if best == nil {
		return nil
	}
	return []dates.Found{*best}
}

// tellsPast reports whether a passage tells what happened rather than what is to
// come.
func (p *passage) tellsPast() bool {
	return (pastEn.MatchString(p.text) || pastZh.MatchString(p.text)) && !futureEn.MatchString(p.text) && !futureZh.MatchString(p.text)
}

// halfYear is some half of a year: a date without a year that lies further back
// is meant for the year after.
const halfYear = 183 * 24 * time.Hour

// nearest moves a day whose year was not said to the year in which it lies nearest
// to when it was said.
func (p *passage) nearest(f dates.Found) dates.Range {
	r := f.Range
	if f.Inferred && !f.Relative && r.Unit == dates.Day && p.at.Sub(r.From) > halfYear {
		r.From, r.To = r.From.AddDate(1, 0, 0), r.To.AddDate(1, 0, 0)
	}
	return r
}

// monthDay matches a day of the month without its month: "the 9th", 21号.
var monthDay = regexp.MustCompile(`(?i)\b(by |until |till |before )?the (\d{1,2})(?:st|nd|rd|th)\b|(?:^|[^\d月第])(\d{1,2})[号號日](之?前)?`)

// dayOfMonth returns a day that is named by its number alone: the next one, or
// where the passage tells what happened, the last.
func (p *passage) dayOfMonth() []dates.Found {
	m := monthDay.FindStringSubmatch(p.text)
	if m == nil {
		return nil
	}
	day, err := strconv.Atoi(m[2] + m[3])
	if err != nil || day < 1 || day > 31 {
		return nil
	}
	step := 1
	if p.tellsPast() && m[1]+m[4] == "" {
		step = -1
	}
	from, ok := nextDay(p.at, day, step)
	if !ok {
		return nil
	}
	f := dates.Found{Range: dates.Range{From: from, To: from.AddDate(0, 0, 1), Unit: dates.Day}, Inferred: true}
	if m[1]+m[4] != "" {
		f.Role = dates.By
	}
	return []dates.Found{f}
}

// nextDay returns the first date at or after (step 1), or at or before (-1), that
// has a day of the month.
func nextDay(at time.Time, day, step int) (time.Time, bool) {
	const months = 3 // at most two short ones follow each other
	today := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location())
	for k := range months {
		d := time.Date(at.Year(), at.Month()+time.Month(step*k), day, 0, 0, 0, 0, at.Location())
		if d.Day() == day && (step > 0 && !d.Before(today) || step < 0 && !d.After(today)) {
			return d, true
		}
	}
	return time.Time{}, false
}

// dueBy matches what makes the time in a passage an end.
var dueBy = regexp.MustCompile(`(?i)\b(?:due|deadline|runs? out|expires?|ends?|has to be|have to be|must be|needs? to be|gave us|closes|submit|hand in|release|launch|exam|finals)\b|截止|期限|到期|必须|之前|交|上线|提测|考|撤场|搬|开庭|答辩|约满`)

// until returns the end of what a passage says to hold to a time, zero for none.
func (p *passage) until() time.Time {
	for _, f := range p.times() {
		switch {
		case f.Role == dates.Until || f.Role == dates.By:
			return f.Range.To
		case f.Role == dates.Before:
			return f.Range.From
		case f.Role == dates.At && !f.Duration && f.Range.From.After(p.at) && dueBy.MatchString(p.text):
			return f.Range.To
		}
	}
	return time.Time{}
}

// since returns when what a passage says began, zero for none.
func (p *passage) since() time.Time {
	for _, f := range p.times() {
		if f.Role == dates.Since || f.Role == dates.From {
			return f.Range.From
		}
	}
	return time.Time{}
}

// timed are the fields of a detail that say when.
var timed = []string{"starts_at", "ends_at", "deadline", "since"}

// dated notes down beside a memory when its words say that it is, where its layer's
// extractor has not: words such as "this weekend" cannot be read later without it.
// When one likes something is no time of the liking.
func (p *passage) dated(m *Memory) {
	if m.Layer == storage.Preference || !m.ValidFrom.IsZero() || !m.ValidTo.IsZero() {
		return
	}
	d := map[string]any{}
	if len(m.Detail) > 0 && json.Unmarshal(m.Detail, &d) != nil {
		return
	}
	if p.statement != nil && len(dates.Find(p.statement.Value, p.at)) > 0 {
		return // the date is what is stated, as of a birthday
	}
	if slices.ContainsFunc(timed, func(name string) bool { return d[name] != nil }) {
		return
	}
	if end := p.until(); !end.IsZero() {
		d["deadline"] = stamp(end)
	} else if start, end := p.event(); !start.IsZero() {
		d["starts_at"] = stamp(start)
		if !end.IsZero() {
			d["ends_at"] = stamp(end)
		}
	}
	m.Detail = detail(d)
}

// stamp writes a time as answers do.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// detail encodes a record's detail; without fields there is none.
func detail(fields map[string]any) json.RawMessage {
	for k, v := range fields {
		if v == "" || v == nil {
			delete(fields, k)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	b, err := json.Marshal(fields)
	if err != nil { // strings, numbers and lists of strings
		return nil
	}
	return b
}
