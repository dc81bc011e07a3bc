// Package dates finds the expressions of time in a text ("next month", 上周三,
// "since 2019", "12 mai 2023") and says which stretch of the calendar each
// means, seen from a given moment. It is pure: no clock, no file is read, the
// same text and moment give the same answer, and any bytes are taken.
//
// How a text is read:
//
//	text ── scan ──> tokens ── parse ──> [role] [part] [clock] core [clock] [part] [role]
//	                              │       since  end of  3pm   tuesday  早上   底    前
//	                              └── evaluate(core, ref) ──> Range
//
// What a core may be and means is written in rules/*.txt, one file a language;
// a further language is a further file. English, Chinese and Japanese are known
// whole; of German, French, Spanish, Italian, Portuguese, Dutch, Russian and
// Korean the full dates.
//
// Precision goes first: what is vague ("a few days ago", 前几天), or could be
// something else ("may", a port, a version), gives nothing.
//
// Conventions, where people differ:
//   - Weeks begin on Monday (ISO 8601). A weekend is Saturday and Sunday.
//   - "last Tuesday" is the latest before today, "next Tuesday" the first after
//     today, "this Friday" that of this week, or on a Saturday or Sunday the
//     coming one where that of the week is past. 上周三 and 下周一 are of the
//     week before and after.
//   - Seasons begin on the first of March, June, September and December.
//   - "three weeks ago" is one day; its Unit says that it was said in weeks. In
//     a question it is the whole week.
//   - A date without a year ("June 3rd") is in the past or the future as the
//     sentence is, else the nearest; a month, quarter or weekday alone is found
//     only where role or sentence tell ("by October", "I met her on Friday").
//   - A part of the day (tonight, 昨晚, "tomorrow morning") is the whole day; an
//     hour counts where it is clear which half of the day it is in.
//   - "end of" is the last day of a week or month and the last month of what is
//     longer; "start of" likewise the first; early, mid and late are thirds.
//   - 31 January and a month is the last day of February.
//
// What it does not promise: holidays, lunar dates, decades, time zones named by
// letters, and dates told from another date ("two days before the wedding").
package dates

import (
	"slices"
	"time"
)

// Unit is how coarsely a time was said.
type Unit int

// The units, from fine to coarse. Weekend and Season have no fixed length.
const (
	Minute Unit = iota + 1
	Hour
	Day
	Week
	Weekend
	Month
	Season
	Quarter
	Year
)

var unitNames = [...]string{"none", "minute", "hour", "day", "week", "weekend", "month", "season", "quarter", "year"}

// String gives the unit's name in lower case, "none" for the zero Unit.
func (u Unit) String() string {
	if u < 0 || int(u) >= len(unitNames) {
		return "invalid"
	}
	return unitNames[u]
}

// Role is how a statement hangs on its time.
type Role int

// The roles. With Since and From the statement holds from Range.From on; with
// Until and By up to Range.To at the latest; with Before it ends at Range.From,
// with After it begins at Range.To. A stretch ("from May to June", "between
// 2018 and 2020") is a From followed by an Until.
const (
	At     Role = iota // "on May 3", "in 2019", or no role word
	Since              // "since 2019", 自从, 以来: began then, still holds
	From               // "from next Monday", 从…起, 明天开始
	Until              // "until June", 到…为止
	By                 // "by Friday", 年底前
	Before             // "before 2019", 2019年以前
	After              // "after the summer of 2020", 5月3日之后
)

var roleNames = [...]string{"at", "since", "from", "until", "by", "before", "after"}

// String gives the role's name in lower case.
func (r Role) String() string {
	if r < 0 || int(r) >= len(roleNames) {
		return "invalid"
	}
	return roleNames[r]
}

// Range is the stretch of time an expression means, [From, To), in the location
// of the reference. Days begin where the calendar day begins there. Unit says
// how coarsely it was said.
type Range struct {
	From, To time.Time
	Unit     Unit
}

// IsZero reports whether there is no stretch: the expression recurs, or is a
// duration whose begin was not said.
func (r Range) IsZero() bool { return r.From.IsZero() && r.To.IsZero() }

// Found is an expression of time in a text.
type Found struct {
	// Start and End are the bytes [Start, End) of the expression alone; Open
	// and Close, Open ≤ Start < End ≤ Close, take in its role words.
	Start, End  int
	Open, Close int

	// Range is what it means; zero for what recurs and for a Duration whose
	// begin is not known.
	Range Range
	Role  Role

	// Relative: said from the moment of speaking ("next month", 三天前).
	Relative bool
	// Inferred: the year, or which of the weekdays, was not said but concluded.
	Inferred bool
	// Duration: a length ("for three years", 三年了). With Role Since it still
	// lasts and Range is the day it began.
	Duration bool
	// Recurring: again and again ("every Friday", 每周五).
	Recurring bool
}

// Find gives the times that are said in a statement, in order, not overlapping.
// ref is the moment it was made, in the location (or offset) where its days
// begin. It gives nothing rather than a guess.
func Find(text string, ref time.Time) []Found {
	return newScene(text, ref).find()
}

// Query gives the times that a question asks about. Beyond what Find takes, it
// takes months, seasons, quarters, years and weekdays by themselves ("the June
// meeting", 去年夏天, "in May", "on Friday"), and reads "two months ago" as the
// whole month. What the question leaves open is answered by alternatives: one
// Found for each of years (those the memories are from, in any order) where no
// year was said, and both the last and the next weekday. Alternatives have the
// same span and are in order of time; other spans do not overlap. Without years
// the latest that has begun is taken.
func Query(text string, ref time.Time, years []int) []Found {
	years = slices.Clone(years)
	slices.Sort(years)
	s := newScene(text, ref)
	s.years, s.asking = slices.Compact(years), true
	return s.find()
}
