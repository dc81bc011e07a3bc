package dates

import "time"

func readDate(s *scene, e *expression) ([]reading, bool) {
	v := &e.core.values
	day, hasDay := v.get(slotDay)
	if e.core.rule.unit == Month {
		first, _ := period(Month, civil(s.ref), e.core.rule.by)
		from, ok := validDay(first.Year(), first.Month(), day)
		return []reading{{from: from, to: from.AddDate(0, 0, 1), unit: Day, relative: true}}, ok
	}
	month, hasMonth := v.get(slotMonth)
	switch {
	case hasMonth && hasDay:
		return s.inYear(e, Day, on(month, day))
	case hasMonth:
		return s.inYear(e, Month, inMonths(month, 1))
	}
	return s.inYear(e, Year, inMonths(1, 12))
}

func readDays(s *scene, e *expression) ([]reading, bool) {
	v := &e.core.values
	month, first, last := v.or(slotMonth, 0), v.or(slotDay, 0), v.or(slotDay2, 0)
	return s.inYear(e, Day, func(y int) (from, to time.Time, ok bool) {
		from, ok = validDay(y, time.Month(month), first)
		until, okLast := validDay(y, time.Month(month), last)
		return from, until.AddDate(0, 0, 1), ok && okLast && first < last
	})
}

// readSlash takes day/month/year and month/day/year apart by which is possible.
func readSlash(s *scene, e *expression) ([]reading, bool) {
	first, second := e.core.values.or(slotDay, 0), e.core.values.or(slotMonth, 0)
	switch {
	case first > 12 && second <= 12, first == second:
		return s.inYear(e, Day, on(second, first))
	case second > 12 && first <= 12:
		return s.inYear(e, Day, on(first, second))
	}
	return nil, false
}

func readSeason(s *scene, e *expression) ([]reading, bool) {
	return s.inYear(e, Season, inMonths(3*e.core.values.or(slotSeason, 0), 3))
}

func readQuarter(s *scene, e *expression) ([]reading, bool) {
	n := e.core.values.or(slotQuarter, e.core.rule.by)
	return s.inYear(e, Quarter, inMonths(3*n-2, 3))
}

func readWeekday(s *scene, e *expression) ([]reading, bool) {
	day := e.core.values.or(slotWeekday, 0)
	today := civil(s.ref)
	anchor, anchored := e.core.anchor()
	if anchored {
		today = anchor
	}
	inWeek := func(weeks int) time.Time { return monday(today).AddDate(0, 0, 7*weeks+day-1) }
	last, next := inWeek(0), inWeek(0)
	if !last.Before(today) {
		last = inWeek(-1)
	}
	if !next.After(today) {
		next = inWeek(1)
	}
	switch e.core.rule.how {
	case "last":
		return oneDay(!anchored, last)
	case "next":
		return oneDay(!anchored, next)
	case "this":
		if isoWeekday(today) >= 6 && inWeek(0).Before(today) {
			return oneDay(!anchored, next)
		}
		return oneDay(!anchored, inWeek(0))
	case "near":
		return s.nearWeekday(e, last, next)
	}
	return oneDay(!anchored, inWeek(e.core.rule.by))
}

func oneDay(relative bool, d time.Time) ([]reading, bool) {
	return one(reading{from: d, to: d.AddDate(0, 0, 1), unit: Day, relative: relative})
}

// anchor gives the date that a core is told from ("the Sunday before 25 October
// 2022").
func (h *hit) anchor() (time.Time, bool) {
	year, said := h.values.get(slotYear)
	if !said {
		return time.Time{}, false
	}
	return validDay(year, time.Month(h.values.or(slotMonth, 0)), h.values.or(slotDay, 0))
}

// nearWeekday reads a weekday alone: the last or the next one, in a question
// both, in a statement only if it shows which.
func (s *scene) nearWeekday(e *expression, last, next time.Time) ([]reading, bool) {
	r := reading{unit: Day, relative: true, inferred: true}
	before, after := r, r
	before.from, before.to = last, last.AddDate(0, 0, 1)
	after.from, after.to = next, next.AddDate(0, 0, 1)
	t := s.tense(e)
	switch {
	case t == cueHabit && !s.asking:
		return nil, false
	case e.role == Since:
		return one(before)
	case e.role == Until || e.role == By || e.role == Before:
		return one(after)
	case s.asking:
		return []reading{before, after}, true
	case t == cuePast:
		return one(before)
	case t == cueFuture:
		return one(after)
	}
	return nil, false
}
