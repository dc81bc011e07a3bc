package conversation

import (
	"strconv"
	"strings"
	"time"

	"mcp-memory/internal/lazy"
)

// Stamps are the dates and times that exports of chats put on their lines.
const (
	month      = `(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?`
	weekday    = `(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?`
	nearDay    = `(?i:(?:(?:today|yesterday|heute|gestern|` + weekday + `)(?:,? (?:at|um))?|今天|昨天|前天|今日|昨日|(?:星期|周|週|礼拜)\p{Han}|\d{1,2}[/月]\d{1,2}日?|` + month + ` \d{1,2}),?(?: at| um)?[, ] ?)?`
	day        = `(?:` + month + ` \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{1,2}\.? ` + month + `,? \d{4}|\d{4}[-/.年년] ?\d{1,2}[-/.月월] ?\d{1,2}[.日일]?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})`
	half12     = `[AaPp](?:\. ?)?[Mm]\b\.?` // "a. m." in Spanish; and "10:02 Amy" is no half of a day
	halfBefore = `上午|下午|凌晨|晚上|午前|午後|오전|오후`
	clock      = `(?:(?:` + halfBefore + `) ?)?\d{1,2}:\d\d(?::\d\d)?(?:\.\d{1,9})?(?: ?` + half12 + `)?(?:Z| ?[+-]\d\d:?\d\d)?`
	clock12    = `\d{1,2}:\d\d(?::\d\d)? ?` + half12
	between    = `(?:,|T| à| um| at)?\s*` // date and clock
	datedStamp = day + between + clock
	stamp      = `(?:` + datedStamp + `|` + day + `|` + clock + `)`
)

// stampParts takes a stamp apart: three numbers of the date, hour, minute, second,
// half of the day, offset.
var stampParts = lazy.MustCompile(`^(\d{1,4})[-/.年년] ?(\d{1,2})[-/.月월] ?(\d{1,4})[.日일]?` + between + `(?:(` + halfBefore + `)? ?(\d{1,2}):(\d\d)(?::(\d\d))?(?:\.\d+)? ?(?:([AaPp])\.? ?[Mm]\.?)?)? ?(Z|[+-]\d\d:?\d\d)?$`)

// order says which number of a short date is the day.
type order int

const (
	unknownOrder order = iota
	dayFirst
	monthFirst
)

// dayOrder tells from all stamps of a text which number of their dates is the day: the
// one that is no month. Dates with full stops have it first.
func dayOrder(heads []*head) order {
	for _, h := range heads {
		if h == nil {
			continue
		}
		m := stampParts.FindStringSubmatch(h.stamp)
		if m == nil || len(m[1]) == 4 {
			continue
		}
		first, second := number(m[1]), number(m[2])
		switch {
		case first > 12 || strings.Contains(h.stamp[:len(m[1])+1], "."):
			return dayFirst
		case second > 12:
			return monthFirst
		}
	}
	return unknownOrder
}

// stampTime is the moment that a stamp names, seen from loc where it has no offset;
// zero where it has no date, or one that can be read in two ways.
func stampTime(stamp string, o order, loc *time.Location) time.Time {
	m := stampParts.FindStringSubmatch(isoMonth(stamp))
	if m == nil {
		return time.Time{}
	}
	y, mon, d := number(m[1]), number(m[2]), number(m[3])
	switch {
	case len(m[1]) == 4:
	case o == dayFirst:
		y, d = d, y
	case o == monthFirst:
		y, mon, d = d, y, mon
	default:
		return time.Time{}
	}
	if y < 100 {
		y += 2000
	}
	hour := hourOf(m[5], m[4], m[8])
	if m[9] != "" {
		loc = offset(m[9])
	}
	t := time.Date(y, time.Month(mon), d, hour, number(m[6]), number(m[7]), 0, loc)
	if t.Day() != d || int(t.Month()) != mon { // the 31st of April
		return time.Time{}
	}
	return t
}

// hourOf is the hour of a clock of twelve or twenty-four hours, with what says the half
// of the day before or after it.
func hourOf(digits, before, after string) int {
	hour := number(digits)
	switch half := strings.ToLower(before + after); {
	case (half == "p" || half == "下午" || half == "晚上" || half == "午後" || half == "오후") && hour < 12:
		hour += 12
	case (half == "a" || half == "오전") && hour == 12:
		hour = 0
	}
	return hour
}

var monthDay = lazy.MustCompile(`^(?:(` + month + `) (\d{1,2})(?:st|nd|rd|th)?|(\d{1,2})\.? (` + month + `)),? (\d{4})`)

// isoMonth writes a stamp that names its month with the month's number.
func isoMonth(stamp string) string {
	m := monthDay.FindStringSubmatch(stamp)
	if m == nil {
		return stamp
	}
	at := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower((m[1] + m[4])[:3]))
	return m[5] + "-" + strconv.Itoa(at/3+1) + "-" + m[2] + m[3] + stamp[len(m[0]):]
}

// offset reads Z and +08:00.
func offset(s string) *time.Location {
	if s == "Z" {
		return time.UTC
	}
	digits := strings.ReplaceAll(s[1:], ":", "")
	seconds := number(digits[:2])*60*60 + number(digits[2:])*60
	if s[0] == '-' {
		seconds = -seconds
	}
	return time.FixedZone("", seconds)
}

// number reads digits; 0 for none.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
