package extract

import (
	"time"

	"mcp-memory/internal/lazy"
)

// goal matches what is aimed at rather than what is.
var goal = lazy.MustCompile(`(?i)\b(?:goal|aim|target|objective|want to|hoping to|trying to|saving (?:up )?for|training for|resolution)\b|目标|想要|希望|争取|打算`)

// Urgency of what has an end, by how far that is from when it was said.
const (
	soon        = 3 * 24 * time.Hour
	near        = 14 * 24 * time.Hour
	urgencySoon = 0.9
	urgencyNear = 0.6
	urgencyFar  = 0.3
)

// situation fills a record of what goes on for a while: until when, and how it
// presses.
func situation(p *passage, m *Memory) {
	d := map[string]any{"situation": m.Text, "status": "ongoing"}
	if end := p.until(); !end.IsZero() && end.After(p.at) {
		d["urgency"] = urgency(end.Sub(p.at))
		switch {
		case goal.MatchString(p.text): // a goal outlives its day: it was met, or not
			d["deadline"] = end.UTC().Format(time.RFC3339)
		case m.ValidTo.IsZero():
			m.ValidTo = end
		}
	}
	if m.ValidFrom.IsZero() {
		m.ValidFrom = p.since()
	}
	m.Detail = detail(d)
	if m.Category == "" {
		m.Category = "fact"
		if goal.MatchString(p.text) {
			m.Category = "goal"
		}
	}
}

func urgency(left time.Duration) float64 {
	switch {
	case left <= soon:
		return urgencySoon
	case left <= near:
		return urgencyNear
	}
	return urgencyFar
}
