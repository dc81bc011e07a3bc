package dates

import "time"

// A reading is what a core means: the civil days [from, to), or with instant
// the moments.
type reading struct {
	from, to time.Time
	unit     Unit
	instant  bool
	role     Role // where the core itself says it ("for the past year")

	relative, inferred, duration, recurring bool
}

// isDateless reports whether a reading has no place in the calendar.
func (r *reading) isDateless() bool { return r.recurring || r.duration && r.role != Since }

// A verb evaluates the core of an expression. Not ok: it means nothing here, and
// another reading may be tried. ok without readings: it is no time.
type verb func(s *scene, e *expression) ([]reading, bool)

// verbs are the words after => in [rules].
//
//	calendar U N      the unit that lies N from the one we are in
//	away U N          N units from now: one day, for hours and minutes a moment
//	trail U N         the stretch between then and now; since: what began then
//	lasting           a duration; since, or with a perfect: what began then
//	weekday HOW       last, next, this, near; week N: of that week
//	date HOW          year, month, day, as far as they are there; last, next,
//	                  this; year N, month N: of that year or month
//	days              from day to day2 of a month
//	slash             5/13/2023 and 13/5/2023, where only one way is possible
//	season, quarter   likewise (quarter N: a fixed one)
//	stamp             an RFC 3339 time
//	recurring, none   no single time, no time
var verbs = map[string]verb{
	"calendar": readCalendar, "away": readAway, "trail": readTrail, "lasting": readLasting,
	"weekday": readWeekday, "date": readDate, "days": readDays, "slash": readSlash,
	"season": readSeason, "quarter": readQuarter, "stamp": readMoment,
	"recurring": readRecurring, "none": readNothing,
}

func one(r reading) ([]reading, bool) { return []reading{r}, true }

func readNothing(*scene, *expression) ([]reading, bool) { return nil, true }

func readRecurring(*scene, *expression) ([]reading, bool) { return one(reading{recurring: true}) }

// unitOf gives the unit of a core, fixed by the rule or captured, and how many
// of them one is (a fortnight is two weeks).
func (h *hit) unitOf() (Unit, int) {
	if h.rule.unit != 0 {
		return h.rule.unit, 1
	}
	u := h.values.or(slotUnit, 0)
	return Unit(u / unitScale), u % unitScale
}

func readCalendar(s *scene, e *expression) ([]reading, bool) {
	unit, factor := e.core.unitOf()
	if unit < Day || factor != 1 || unit == Day && e.edge != edgeWhole {
		return nil, false
	}
	from, to := period(unit, civil(s.ref), e.core.rule.by)
	return one(reading{from: from, to: to, unit: unit, relative: true})
}

// halvesOf gives the signed distance of a core in halves of its unit.
func (h *hit) halvesOf(factor int) int {
	n := h.values.or(slotN, 2)
	if h.rule.how == "half" {
		n++
	}
	return n * factor * h.rule.by
}

func readAway(s *scene, e *expression) ([]reading, bool) {
	unit, factor := e.core.unitOf()
	halves := e.core.halvesOf(factor)
	if unit < Day {
		from := s.ref.Add(time.Duration(halves) * unit.length() / 2)
		return one(reading{from: from, to: from.Add(unit.length()), unit: unit, instant: true, relative: true})
	}
	day, ok := moveBy(civil(s.ref), unit, halves)
	if !ok || halves == 0 {
		return nil, false
	}
	from, to := day, day.AddDate(0, 0, 1)
	if s.asking {
		from, to = period(unit, day, 0)
	}
	return one(reading{from: from, to: to, unit: unit, relative: true})
}

// length gives how long a minute or an hour is; other units have no fixed one.
func (u Unit) length() time.Duration {
	if u == Hour {
		return time.Hour
	}
	return time.Minute
}

func readTrail(s *scene, e *expression) ([]reading, bool) {
	unit, factor := e.core.unitOf()
	halves := e.core.halvesOf(factor)
	if e.core.rule.how == "since" {
		return s.began(unit, halves)
	}
	if unit < Day {
		then := s.ref.Add(time.Duration(halves) * unit.length() / 2)
		from, to := inOrder(then, s.ref)
		return one(reading{from: from, to: to, unit: unit, instant: true, relative: true})
	}
	today := civil(s.ref)
	then, ok := moveBy(today, unit, halves)
	from, to := inOrder(then, today)
	return []reading{{from: from, to: to.AddDate(0, 0, 1), unit: unit, relative: true}}, ok
}

func inOrder(a, b time.Time) (time.Time, time.Time) {
	if b.Before(a) {
		return b, a
	}
	return a, b
}

// began gives what began halves/2 units ago (halves < 0) and lasts.
func (s *scene) began(unit Unit, halves int) ([]reading, bool) {
	r := reading{unit: unit, relative: true, duration: true, role: Since}
	if unit < Day {
		r.instant = true
		r.from = s.ref.Add(time.Duration(halves) * unit.length() / 2)
		r.to = r.from.Add(unit.length())
		return one(r)
	}
	var ok bool
	r.from, ok = moveBy(civil(s.ref), unit, halves)
	r.to = r.from.AddDate(0, 0, 1)
	return []reading{r}, ok
}

func readLasting(s *scene, e *expression) ([]reading, bool) {
	rule := e.core.rule
	unit, factor := e.core.unitOf()
	halves := e.core.values.or(slotN, 2) * factor * max(rule.by, 1)
	if rule.how == "half" {
		halves += factor
	}
	if rule.how == "since" || s.lasts(e) {
		return s.began(unit, -halves)
	}
	return one(reading{unit: unit, duration: true})
}

func readMoment(s *scene, e *expression) ([]reading, bool) {
	value, _ := e.core.values.get(slotStamp)
	t := time.Unix(int64(value>>1), 0).UTC()
	if value&1 == 1 {
		t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, s.ref.Location())
	}
	return one(reading{from: t, to: t.Add(time.Minute), unit: Minute, instant: true})
}
