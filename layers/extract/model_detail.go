package extract

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers/llm"
	"mcp-memory/storage"
)

// Limits of a detail, in bytes unless said otherwise.
const (
	maxDetailText = 1000
	maxDetailItem = 200
	maxDetailList = 16 // number
)

// detail takes the layer's own fields: those it has, of their kinds, with dates that
// turns support.
func (c *modelCheck) detail(m *candidate) string {
	given, _ := m.fields["detail"].(map[string]any)
	taken := map[string]any{}
	for _, f := range detailFields[m.Layer] {
		if v := c.detailValue(m, &f, given[f.name]); v != nil {
			taken[f.name] = v
		}
	}
	if m.Layer == storage.Activity {
		m.eventTimes(taken)
		c.eventSaid(m, taken)
	}
	if len(taken) > 0 {
		m.Detail = marshalPlain(taken)
	}
	return ""
}

// detailValue is a field's value, nil where there is none of use.
func (c *modelCheck) detailValue(m *candidate, f *detailField, given any) any {
	switch f.kind {
	case detailUnit:
		if x, ok := llm.AsNumber(given); ok {
			return min(max(x, 0), 1)
		}
		return nil
	case detailList:
		return detailItems(given)
	}
	s, _ := llm.AsString(given)
	if s = text.Shorten(oneLineOf(s), maxDetailText); s == "" || strings.EqualFold(s, "null") {
		return nil
	}
	switch f.kind {
	case detailTime:
		return c.detailTime(m, f, s)
	case detailSince:
		if _, isDate := parseModelTime(s, time.UTC); isDate {
			return c.detailTime(m, f, s)
		}
	}
	if unsaid := c.unsaidTime(m, s); unsaid != "" {
		m.note("detail.%s is left out: it holds %s", f.name, unsaid)
		return nil
	}
	if len(f.choices) > 0 {
		s = strings.ReplaceAll(strings.ToLower(s), " ", "_")
		if !slices.Contains(f.choices, s) {
			return nil
		}
	}
	return s
}

func detailItems(given any) any {
	var items []string
	for _, s := range llm.AsStrings(given) {
		s = text.Shorten(oneLineOf(s), maxDetailItem)
		if s != "" && len(items) < maxDetailList && !slices.Contains(items, s) {
			items = append(items, s)
		}
	}
	if items == nil {
		return nil
	}
	return items
}

func (c *modelCheck) detailTime(m *candidate, f *detailField, written string) any {
	which := begin
	if f.name == "ends_at" {
		which = end
	}
	at, ok := supported(written, which, c.spokenNear(m))
	if !ok {
		m.note("detail.%s is left out: no turn says it", f.name)
		return nil
	}
	return formatUTC(at)
}

func formatUTC(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// eventTimes puts an activity's time where it belongs, into its detail, and keeps its
// end after its begin.
func (m *candidate) eventTimes(taken map[string]any) {
	move := func(name string, from *time.Time) {
		if _, given := taken[name]; !given && !from.IsZero() {
			taken[name] = formatUTC(*from)
		}
		*from = time.Time{}
	}
	move("starts_at", &m.ValidFrom)
	move("ends_at", &m.ValidTo)
	starts, _ := taken["starts_at"].(string)
	ends, given := taken["ends_at"].(string)
	if given && starts != "" && ends <= starts { // both in UTC, of one length
		delete(taken, "ends_at")
	}
}

// marshalPlain writes <, > and & as they are.
func marshalPlain(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // strings, numbers and lists of strings
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

// eventSaid fills in what a model left out of an activity though its words tell: when
// it is, by the time of the turn, and whether it is still to come. Without them a plan
// would not come up when it falls due.
func (c *modelCheck) eventSaid(m *candidate, taken map[string]any) {
	said := c.in.saidAt(m.Turns[0])
	if _, given := taken["starts_at"]; given || said.IsZero() {
		return
	}
	for _, words := range []string{m.Text, m.Quote} {
		p := passage{text: words, at: said}
		start, end := p.event()
		if start.IsZero() {
			continue
		}
		taken["starts_at"] = formatUTC(start)
		if _, given := taken["ends_at"]; !given && !end.IsZero() {
			taken["ends_at"] = formatUTC(end)
		}
		if _, given := taken["status"]; !given {
			if status := p.status(start); status != "" {
				taken["status"] = status
			}
		}
		return
	}
}
