package extract

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"mcp-memory/internal/dates"
	"mcp-memory/internal/lazy"
	"mcp-memory/storage"
)

// times are the times that a passage says, resolved against its turn's own time
// in the zone that time was given in. A passage of unknown time has only dates
// that are said in full: what is relative or left open is not guessed. Nor is one
// in a language that is not read by rules: its "September" may be since when.
func (p *passage) times() []dates.Found {
	if p.meant > 0 {
		return nil
	}
	text, often := withoutFormerDay(p.text), habit.MatchString(p.text)
	var out []dates.Found
	for _, f := range dates.Find(text, p.at) {
		open := f.Relative && f.Inferred
		if f.Range.IsZero() || f.Recurring || open && often || p.at.IsZero() && (f.Relative || f.Inferred) {
			continue
		}
		f.Range = p.nearest(f)
		out = append(out, f)
	}
	if len(out) == 0 && !p.at.IsZero() {
		out = p.dayOfMonth()
	}
	if len(out) == 0 && !p.at.IsZero() && !often {
		out = p.openDay(text)
	}
	return out
}

// habit matches what is done again and again on the weekday that is named
// (金曜に通っています, 周六一般在家): it is of no single day.
var habit = lazy.MustCompile(`(?i)\b(?:usually|always|normally|typically|generally)\b|一般|通常|平时|总是|往往|(?:通って|習って|働いて|教えて|走って|泳いで|(?:練習|勉強|運動|勤務|出社|バイト)して)い?(?:ます|る)`)

// formerDay matches the day that something is moved away from.
var formerDay = []*lazy.Regexp{
	lazy.MustCompile(`(?i)\b(?:mov|push|shift|postpon|reschedul|chang|switch|brought|bring|delay|slip)\w*\b[^.!?]*?\b(from [^.!?,;]*? )to\b`),
	lazy.MustCompile(`(从[^，。！？]{1,12}?)(?:改期?|推迟|推|延期?|延后|提前|挪|顺延|调整?|换)[到至为成]`),
	lazy.MustCompile(`([^、。！？はが]{1,12}から)[^、。！？]{1,12}(?:に|へ)(?:変更|延期|移|ずら|ずれ)`),
}

// movedTo matches what was moved to a weekday, which is to come.
var movedTo = lazy.MustCompile(`(?i)\b(?:moved|pushed|shifted|postponed|rescheduled|delayed|changed|switched|slipped|brought forward) (?:back )?(?:to|until|till) (?:next |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b`)

// withoutFormerDay takes the day out that something is moved away from: "moved from
// Thursday to Friday" is of Friday.
func withoutFormerDay(text string) string {
	for _, re := range formerDay {
		if at := re.FindStringSubmatchIndex(text); at != nil {
			return text[:at[2]] + text[at[3]:]
		}
	}
	return text
}

// openDay returns a weekday or month that stands by itself ("Sunday's the race",
// 八月底考), of which dates.Find does not tell which is meant: the one to come, or
// where the passage tells what happened, the last.
func (p *passage) openDay(text string) []dates.Found {
	year := p.at.Year()
	past := p.tellsPast() && !movedTo.MatchString(text)
	var best *dates.Found
	for _, f := range dates.Query(text, p.at, []int{year - 1, year, year + 1}) {
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
var monthDay = lazy.MustCompile(`(?i)\b(by |until |till |before )?the (\d{1,2})(?:st|nd|rd|th)\b|(?:^|[^\d月第])(\d{1,2})[号號日](之?前)?`)

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
var dueBy = lazy.MustCompile(`(?i)\b(?:due|deadline|runs? out|expires?|ends?|has to be|have to be|must be|needs? to be|gave us|closes|submit|hand in|release|launch|exam|finals)\b|截止|期限|到期|必须|之前|交|上线|提测|考|撤场|搬|开庭|答辩|约满`)

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
