package dates

import "time"

// A civil day is held as its midnight in UTC, where every day has 24 hours;
// only Range carries the location. So no sum of days can slip over a change of
// the clocks.

// civil gives the calendar day of a moment in its location.
func civil(t time.Time) time.Time {
	y, m, d := t.Date()
	return ymd(y, m, d)
}

func ymd(y int, m time.Month, d int) time.Time {
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// validDay gives the day if the calendar has it.
func validDay(y int, m time.Month, d int) (time.Time, bool) {
	t := ymd(y, m, d)
	return t, t.Month() == m && t.Day() == d
}

// dayStart gives the first moment of a civil day in a location. Where the clocks
// skip midnight that is later than 00:00.
func dayStart(c time.Time, loc *time.Location) time.Time {
	y, m, d := c.Date()
	t := time.Date(y, m, d, 0, 0, 0, 0, loc)
	for half := 1; t.Day() != d && half <= 4; half++ {
		t = time.Date(y, m, d, 0, 30*half, 0, 0, loc)
	}
	return t
}

// monday gives the first day of the ISO week of c.
func monday(c time.Time) time.Time { return c.AddDate(0, 0, -isoWeekday(c)+1) }

// isoWeekday counts from Monday, 1, to Sunday, 7.
func isoWeekday(c time.Time) int { return (int(c.Weekday())+6)%7 + 1 }

// addMonths moves by whole months and stays within the month it comes to: 31
// January and one month is the last of February.
func addMonths(c time.Time, n int) time.Time {
	y, m, d := c.Date()
	first := ymd(y, m+time.Month(n), 1)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(d, last)-1)
}

// period gives the stretch of civil days [from, to) of the unit that lies n
// units from the one c is in. Units finer than a day count as the day.
func period(u Unit, c time.Time, n int) (from, to time.Time) {
	y, m, _ := c.Date()
	switch u {
	case Week:
		from = monday(c).AddDate(0, 0, 7*n)
		return from, from.AddDate(0, 0, 7)
	case Weekend:
		from = monday(c).AddDate(0, 0, 7*n+5)
		return from, from.AddDate(0, 0, 2)
	case Month:
		return months(y, int(m)+n, 1)
	case Quarter:
		return months(y, int(m-1)/3*3+1+3*n, 3)
	case Season:
		return months(y, int(m)/3*3+3*n, 3)
	case Year:
		return months(y+n, 1, 12)
	}
	from = c.AddDate(0, 0, n)
	return from, from.AddDate(0, 0, 1)
}

// months gives the stretch of n months from month m of year y; m may be out of
// 1 to 12.
func months(y, m, n int) (from, to time.Time) {
	return ymd(y, time.Month(m), 1), ymd(y, time.Month(m+n), 1)
}

// moveBy gives the day that lies halves/2 units from c. It is not ok where half
// a unit is no whole number of days.
func moveBy(c time.Time, u Unit, halves int) (time.Time, bool) {
	whole, half := halves/2, halves%2
	switch u {
	case Day, Week:
		if half != 0 {
			return c, false
		}
		days := whole
		if u == Week {
			days *= 7
		}
		return c.AddDate(0, 0, days), true
	case Month:
		return addMonths(c, whole).AddDate(0, 0, 15*half), true
	case Quarter:
		return addMonths(c, 3*whole), half == 0
	case Year:
		return addMonths(c, 12*whole+6*half), true
	}
	return c, false
}
