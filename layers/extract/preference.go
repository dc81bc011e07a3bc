package extract

import (
	"strings"

	"mcp-memory/internal/lazy"
)

var (
	strong = lazy.MustCompile(`(?i)\b(?:always|never|hate|can't stand|cannot stand|love|loathe|detest|adore|only|every time|from now on|no more|won't)\b|一律|永远|从不|绝不|坚决|讨厌|受不了|最爱|只|每次|千万`)
	// when matches the case that a wish is for.
	when = lazy.MustCompile(`(?i)\b(?:when(?:ever)?|if|for) ((?:i|you|we|my|it's|there)\b[^,.;!?]{3,80})|^(?:每次|只要)?(.{2,20}?)的?时候?(?:，|都|请|要|别)|给(.{2,10}?)(?:写|回|发)`)
)

// Strengths of a preference, 0 to 1.
const (
	strengthStrong = 0.9
	strengthPlain  = 0.6
)

// preference fills a record of what somebody likes, or wants done from now on.
func preference(p *passage, m *Memory) {
	d := map[string]any{"directive": m.Text, "strength": strengthPlain}
	if strong.MatchString(p.text) {
		d["strength"] = strengthStrong
	}
	if c := when.FindStringSubmatch(p.text); c != nil {
		d["applies_when"] = strings.TrimSpace(c[1] + c[2] + c[3])
	}
	m.Detail = detail(d)
	if m.Category == "" {
		m.Category = "preference"
	}
	if since := p.since(); m.ValidFrom.IsZero() && p.statement != nil {
		m.ValidFrom = since
	}
}
