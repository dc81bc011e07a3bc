package structure

import (
	"mcp-memory/internal/dates"
	"mcp-memory/internal/text"
)

// moment is a time that a sentence tells, and the stretch of the text that is
// left out of its clauses.
type moment struct {
	dates.Found
	cut text.Span
}

// moments returns the times of a sentence.
func (l *language) moments(in *Input, at text.Span) []moment {
	found := dates.Find(in.Text[at.Start:at.End], in.ObservedAt)
	out := make([]moment, 0, len(found))
	for _, f := range found {
		if f.Duration && f.Range.IsZero() {
			continue // "ten years of experience"
		}
		cut := text.Span{Start: at.Start + f.Open, End: at.Start + f.Close}
		if l.code == japaneseCode {
			cut.End += len(hangsOnTime.FindString(in.Text[cut.End:at.End]))
		}
		out = append(out, moment{Found: f, cut: cut})
	}
	return out
}

// place settles when the statement holds. It reports false where the rule asks
// for a time and none was said, and where a time was said that makes an event
// of what the rule takes for a lasting state: "I played chess yesterday".
func (l *language) place(d *draft, s *sentence) bool {
	told := false
	if d.rule.timed {
		return true
	}
	last := s.at.End
	if end := l.pauseAfter(s.whole, d.span.End); d.span.End > 0 && end > 0 {
		last = end
	}
	for _, m := range s.times {
		if m.Range.IsZero() || m.Recurring || m.cut.Start >= last {
			continue
		}
		if d.rule.has("by") && m.Role != dates.By && m.Role != dates.Before || d.rule.has("since") && m.Role != dates.Since {
			continue
		}
		told = true
		if !d.put(m, s) {
			return false
		}
	}
	return told || !d.rule.has("dated") && !d.rule.has("by") && !d.rule.has("since")
}

// put enters one time, and reports whether it suits the rule.
func (d *draft) put(m moment, s *sentence) bool {
	r, from := d.rule, m.Range.From
	if m.Role == dates.After {
		from = m.Range.To
	}
	present := !from.After(s.in.ObservedAt) && m.Range.To.After(s.in.ObservedAt)
	switch {
	case r.has("past") || r.has("by"):
	case r.has("stop"), r.has("ended") && endsThen(m.Role):
		d.ValidTo = from
	case endsThen(m.Role):
		return m.Role == dates.By || m.Role == dates.Until
	case d.Ended:
	case present && m.Role == dates.At && !r.has("start"):
		return false // "this week I work in Lyon": it passes
	case r.has("start"), m.Role != dates.At, from.After(s.in.ObservedAt):
		if d.ValidFrom.IsZero() {
			d.ValidFrom = from
		}
	default:
		return false
	}
	return true
}

// endsThen reports whether a role bounds a stretch from above.
func endsThen(r dates.Role) bool {
	return r == dates.Until || r == dates.By || r == dates.Before
}
