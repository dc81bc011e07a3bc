package structure

import (
	"time"

	"mcp-memory/internal/dates"
	"mcp-memory/internal/lazy"
)

// wasThen matches what held during the time that is said, where "quit" and the
// like tell only when it ended.
var wasThen = lazy.MustCompile(`(?i)\b(?:worked|lived|resided)\b`)

// atEnd matches a time that is the end of another: it is over when that is.
var atEnd = lazy.MustCompile(`(?i)\bend of\b|[年月]底|年末`)

// bound sets the bounds of what is said to have held at a time ("lived in Kobe
// in 2012"), from one to another, or until one to come ("until March").
func (d *draft) bound() {
	begin, end, at := d.s.bounds()
	switch {
	case d.Attribute == "" || d.rule.has("past"):
	case d.Ended && !begin.IsZero() && end.After(begin):
		d.ValidFrom, d.ValidTo = begin, end
	case d.Ended && at != nil && atEnd.MatchString(d.s.in.Text[at.cut.Start:at.cut.End]):
		d.ValidTo = at.Range.To
	case d.Ended && at != nil && d.ValidTo.Equal(at.Range.From) && wasThen.MatchString(d.outside):
		d.ValidFrom, d.ValidTo = at.Range.From, at.Range.To
	case !d.Ended && !end.IsZero() && d.ValidTo.IsZero() && d.Polarity == "":
		d.ValidTo = end
		d.Ended = !end.After(d.s.in.ObservedAt)
	}
}

// bounds returns where a sentence says that a stretch begins and ends, zero
// where it does not, and the one time it says otherwise, nil if there is none.
func (s *sentence) bounds() (begin, end time.Time, at *moment) {
	count := 0
	for i := range s.times {
		m := &s.times[i]
		if m.Range.IsZero() || m.Recurring {
			continue
		}
		count++
		switch m.Role {
		case dates.From, dates.Since:
			begin = m.Range.From
		case dates.Until:
			if !s.current(m) {
				end = m.Range.From
			}
		case dates.At:
			at = m
		}
	}
	if count > 1 {
		at = nil
	}
	return begin, end, at
}

// current reports whether a time holds the moment of speaking (到现在).
func (s *sentence) current(m *moment) bool {
	now := s.in.ObservedAt
	return !m.Range.From.After(now) && !m.Range.To.Before(now)
}
