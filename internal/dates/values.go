package dates

// A slot is what a class of a pattern fills.
type slot uint8

const (
	slotN slot = iota
	slotN2
	slotUnit
	slotYear
	slotMonth
	slotDay
	slotDay2
	slotWeekday
	slotSeason
	slotQuarter
	slotHour
	slotMin
	slotStamp
	slotCount
	slotNone slot = slotCount // read, and not kept
)

// slotOf gives the slot of a class as a pattern names it. A second value that no
// rule looks at is read and dropped.
func slotOf(class string) (slot, bool) {
	switch class {
	case "n":
		return slotN, true
	case "unit", "period":
		return slotUnit, true
	case "year":
		return slotYear, true
	case "month", "fullmonth", "shortmonth", "clearmonth", "monthname", "m", "mm", "b":
		return slotMonth, true
	case "day", "d", "a":
		return slotDay, true
	case "day2", "d2":
		return slotDay2, true
	case "weekday", "wd":
		return slotWeekday, true
	case "season", "fall":
		return slotSeason, true
	case "q":
		return slotQuarter, true
	case "hour":
		return slotHour, true
	case "min":
		return slotMin, true
	case "stamp":
		return slotStamp, true
	case "n2", "weekday2", "wd2", "ed", "ing":
		return slotNone, true
	}
	return slotNone, false
}

// values are what the classes of a matched form have read.
type values struct {
	v   [slotCount]int
	has uint32 // bit s: v[s] was read
}

func (v values) with(s slot, value int) values {
	if s < slotCount {
		v.v[s] = value
		v.has |= 1 << s
	}
	return v
}

// get gives the value of a slot, and whether it was read.
func (v *values) get(s slot) (int, bool) { return v.v[s], v.has&(1<<s) != 0 }

// or gives the value of a slot, or another where it was not read.
func (v *values) or(s slot, other int) int {
	if value, ok := v.get(s); ok {
		return value
	}
	return other
}
