package dates

import "time"

// An edge is a part of a stretch.
type edge int

const (
	edgeWhole edge = iota
	edgeStart
	edgeEarly
	edgeMid
	edgeLate
	edgeEnd
)

var edgeNames = [...]string{"whole", "start", "early", "mid", "late", "end"}

// found makes the public form of a reading.
func (s *scene) found(e *expression, r reading) Found {
	f := Found{
		Start: s.tokens[e.start].start, End: s.tokens[e.end-1].end,
		Open: s.tokens[e.open].start, Close: s.tokens[e.close-1].end,
		Role: e.role, Relative: r.relative, Inferred: r.inferred, Duration: r.duration, Recurring: r.recurring,
	}
	if r.role != At {
		f.Role = r.role
	}
	f.Range = s.rangeOf(e, r)
	return f
}

// isSane reports whether a stretch is not empty, and of years with four digits.
func (r Range) isSane() bool {
	return r.From.Before(r.To) && r.From.Year() > 1 && r.To.Year() <= 9999
}

// rangeOf brings a reading into the location of the reference, with the part
// and the hour that were said.
func (s *scene) rangeOf(e *expression, r reading) Range {
	loc := s.ref.Location()
	if r.instant {
		return Range{From: r.from.In(loc), To: r.to.In(loc), Unit: r.unit}
	}
	if r.isDateless() {
		return Range{Unit: r.unit}
	}
	from, to, unit := partOf(s.soften(e.edge), r)
	if hour, ok := e.clock.resolve(e.core.rule.half); ok && to.Sub(from) == 24*time.Hour {
		return hourRange(from, hour, &e.clock, loc)
	}
	return Range{From: dayStart(from, loc), To: dayStart(to, loc), Unit: unit}
}

// soften reads "the end of June" in a question as its last third.
func (s *scene) soften(part edge) edge {
	switch {
	case s.asking && part == edgeStart:
		return edgeEarly
	case s.asking && part == edgeEnd:
		return edgeLate
	}
	return part
}

func hourRange(day time.Time, hour int, c *clock, loc *time.Location) Range {
	y, m, d := day.Date()
	from := time.Date(y, m, d, hour, c.minute, 0, 0, loc)
	unit := Hour
	if c.exact {
		unit = Minute
	}
	return Range{From: from, To: from.Add(unit.length()), Unit: unit}
}

// partOf gives the part of a stretch that an edge means, and its unit.
func partOf(part edge, r reading) (from, to time.Time, unit Unit) {
	switch {
	case part == edgeWhole || r.unit < Week:
		return r.from, r.to, r.unit
	case part == edgeStart || part == edgeEnd:
		return outerPart(part, r)
	}
	third := int(part - edgeEarly)
	if r.unit <= Month {
		return dayThird(third, r)
	}
	// Longer units have whole months, a multiple of three of them.
	months := int(r.to.Sub(r.from).Hours()/24/30+0.5) / 3
	from = addMonths(r.from, months*third)
	return from, addMonths(from, months), Month
}

// outerPart gives the first or the last day of a week or month, the first or the
// last month of what is longer.
func outerPart(part edge, r reading) (from, to time.Time, unit Unit) {
	unit, days, wholeMonths := Day, 1, 0
	if r.unit > Month {
		unit, days, wholeMonths = Month, 0, 1
	}
	if part == edgeStart {
		return r.from, r.from.AddDate(0, wholeMonths, days), unit
	}
	return r.to.AddDate(0, -wholeMonths, -days), r.to, unit
}

// dayThird gives a third of a week or month: of a month the days 1 to 10, 11 to
// 20 and the rest (上旬, 中旬, 下旬).
func dayThird(third int, r reading) (from, to time.Time, unit Unit) {
	days := 10
	if r.unit != Month {
		days = 2
	}
	from, to = r.from.AddDate(0, 0, days*third), r.from.AddDate(0, 0, days*(third+1))
	if third == 2 || to.After(r.to) {
		to = r.to
	}
	return from, to, Day
}
