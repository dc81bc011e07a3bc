package dates

import "time"

// A yearly gives the civil days [from, to) of something that each year has once,
// such as 3 May or spring; not ok where the year has none (29 February).
type yearly func(year int) (from, to time.Time, ok bool)

// inYear reads a core that names something yearly: in a year that was said, in
// one told from now (year ±n; last, next, this), or in one to be concluded.
func (s *scene) inYear(e *expression, unit Unit, of yearly) ([]reading, bool) {
	today := civil(s.ref)
	year, said := e.core.values.get(slotYear)
	switch rule := e.core.rule; {
	case said:
		return oneOf(of, year, reading{unit: unit})
	case rule.unit == Year:
		return oneOf(of, today.Year()+rule.by, reading{unit: unit, relative: true})
	case rule.how == "this":
		return oneOf(of, today.Year(), reading{unit: unit, relative: true})
	case rule.how == "last":
		return latest(of, today.Year(), func(_, to time.Time) bool { return !to.After(today) },
			reading{unit: unit, relative: true})
	case rule.how == "next":
		return earliest(of, today.Year(), func(from, _ time.Time) bool { return from.After(today) },
			reading{unit: unit, relative: true})
	}
	return s.concludeYear(e, unit, of)
}

func oneOf(of yearly, year int, r reading) ([]reading, bool) {
	var ok bool
	r.from, r.to, ok = of(year)
	return []reading{r}, ok
}

// yearsAround is how far a year is looked for: 29 February may be eight years
// off.
const yearsAround = 9

// latest gives the last that meets a condition, from some years around.
func latest(of yearly, year int, meets func(from, to time.Time) bool, r reading) ([]reading, bool) {
	for y := year + yearsAround; y >= year-yearsAround; y-- {
		if from, to, ok := of(y); ok && meets(from, to) {
			r.from, r.to = from, to
			return one(r)
		}
	}
	return nil, false
}

// earliest gives the first that meets a condition, from some years around.
func earliest(of yearly, year int, meets func(from, to time.Time) bool, r reading) ([]reading, bool) {
	for y := year - yearsAround; y <= year+yearsAround; y++ {
		if from, to, ok := of(y); ok && meets(from, to) {
			r.from, r.to = from, to
			return one(r)
		}
	}
	return nil, false
}

// concludeYear reads what was said without a year.
func (s *scene) concludeYear(e *expression, unit Unit, of yearly) ([]reading, bool) {
	r := reading{unit: unit, inferred: true}
	if s.asking && len(s.years) > 0 {
		return s.inYears(of, r)
	}
	today := civil(s.ref)
	begun := func(from, _ time.Time) bool { return !from.After(today) }
	open := func(_, to time.Time) bool { return to.After(today) }
	switch s.direction(e) {
	case cuePast:
		return latest(of, today.Year(), begun, r)
	case cueFuture:
		return earliest(of, today.Year(), open, r)
	}
	if unit != Day {
		return nil, false
	}
	before, _ := latest(of, today.Year(), begun, r)
	after, ok := earliest(of, today.Year(), open, r)
	if ok && (len(before) == 0 || after[0].from.Sub(today) <= today.Sub(before[0].from)) {
		return after, true
	}
	return before, len(before) > 0
}

func (s *scene) inYears(of yearly, r reading) ([]reading, bool) {
	var all []reading
	for _, y := range s.years {
		if from, to, ok := of(y); ok {
			r.from, r.to = from, to
			all = append(all, r)
		}
	}
	return all, len(all) > 0
}

// direction concludes from role and sentence whether an expression is of the
// past or the future, else unclear.
func (s *scene) direction(e *expression) cue {
	if e.role == Since {
		return cuePast
	}
	switch t := s.tense(e); {
	case t == cuePast || t == cueFuture:
		return t
	case e.role == Until || e.role == By || e.role == Before:
		return cueFuture
	case s.asking:
		return cuePast
	}
	return cueUnclear
}

// on gives the civil day d of month m in a year.
func on(m, d int) yearly {
	return func(y int) (from, to time.Time, ok bool) {
		from, ok = validDay(y, time.Month(m), d)
		return from, from.AddDate(0, 0, 1), ok
	}
}

// inMonths gives n months from month m of a year.
func inMonths(m, n int) yearly {
	return func(y int) (from, to time.Time, ok bool) {
		from, to = months(y, m, n)
		return from, to, true
	}
}
