package slot

import "time"

// Saying is one time a statement was said. A zero time is absent.
type Saying struct {
	ObservedAt time.Time // when it was said
	ValidFrom  time.Time // from when it is true in the world
	ValidTo    time.Time // until when, not included
	RecordedAt time.Time // when it was learned
	Confidence float64   // 0 to 1
	Trust      int       // higher wins
}

// Statement is a record in a slot: its own saying first, then those that
// reinforced it.
type Statement struct {
	ID string
	// Value is canonical, with the polarity folded in. It is only compared:
	// hashes do as well as words, if all of a slot's are of one kind. Of a
	// tombstone it is used to know again what the statement had ended; where
	// that is "", the forgotten statement ended nothing.
	Value     string
	None      bool // its value is "none": there is nothing, and that is current
	Beside    bool // kept beside what was current (keep_both)
	Tombstone bool // forgotten or erased: keeps its place, is never shown
	Said      []Saying
}

// Close ends statements of this slot from elsewhere: from another slot ("I
// prefer tea now" ends coffee), or by a "none" for all objects of a
// multi-valued attribute.
type Close struct {
	By        string   // id of the closing statement
	Tombstone bool     // the closing statement is forgotten: it still closes
	Said      []Saying // places in time at which it closes; ended ones close nothing
	IDs       []string // only these statements; empty: whatever is current
}

// observed is when it was said, as far as known.
func (s *Saying) observed() time.Time {
	if s.ObservedAt.IsZero() {
		return s.RecordedAt
	}
	return s.ObservedAt
}

// key is the saying's place in the order: the later of when it was said and
// from when it is true. What is announced for June is later than what is said
// in March.
func (s *Saying) key() time.Time {
	if s.ValidFrom.After(s.observed()) {
		return s.ValidFrom
	}
	return s.observed()
}

// start is from when the saying counts. Where it does not tell, that is when
// it was said, but never after it was recorded: a clock slightly ahead must not
// hide a new statement.
func (s *Saying) start() time.Time {
	if !s.ValidFrom.IsZero() {
		return s.ValidFrom
	}
	if !s.RecordedAt.IsZero() && s.RecordedAt.Before(s.observed()) {
		return s.RecordedAt
	}
	return s.observed()
}

// ended reports whether it was over when it was said.
func (s *Saying) ended() bool {
	return over(s.ValidTo, s.observed())
}

// over reports whether an end, if there is one, has come at a moment.
func over(end, at time.Time) bool {
	return !end.IsZero() && !end.After(at)
}
