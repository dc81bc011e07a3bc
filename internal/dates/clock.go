package dates

// A clock is what was said about the hour of a day.
type clock struct {
	said   bool // an hour was said
	hour   int  // 0 to 24 as it was said
	clear  bool // needs no half: 15, 09, noon
	minute int
	exact  bool   // minutes were said
	half   string // am, pm, noon, night, "" unknown
}

// take adds what a clock rule read. It is false, and nothing is taken, where the
// same was already said.
func (c *clock) take(h hit) bool {
	r := h.rule
	hour, said := h.values.get(slotHour)
	if !said && r.by > 0 {
		hour, said = r.by, true
	}
	if said && c.said || !said && c.half != "" {
		return false
	}
	if r.half != "" {
		c.half = r.half
	}
	if !said {
		return true
	}
	c.said, c.hour, c.clear = true, hour%clearHour, hour >= clearHour || hour > 12
	c.minute, c.exact = h.values.get(slotMin)
	if r.how == "half" {
		c.minute, c.exact = 30, true
	}
	return true
}

// resolve gives the hour of 24, if it is clear which it is. half is the part of
// the day that the core implies (tonight).
func (c *clock) resolve(half string) (hour int, ok bool) {
	if !c.said || c.hour > 23 {
		return 0, false
	}
	switch both := c.half; {
	case both == "":
		both = half
		fallthrough
	default:
		return hourOf(c.hour, c.clear, both)
	}
}

// hourOf reads an hour of 12 in a half of the day. Twelve and the small hours of
// a night belong to the next day: they are left open.
func hourOf(hour int, clear bool, half string) (int, bool) {
	if hour > 12 {
		return hour, true
	}
	switch half {
	case "am":
		return hour % 12, true
	case "pm":
		return hour%12 + 12, true
	case "noon":
		if hour >= 11 {
			return hour, true
		}
		return hour + 12, hour <= 2
	case "night":
		return hour + 12, hour >= 5 && hour < 12
	}
	return hour, clear
}
