package layers

import (
	"encoding/json"
	"strings"
	"time"

	"mcp-memory/storage"
)

// timeForms are the accepted forms of a time, those with a zone first. Forms
// without one are read in the set zone.
var timeForms = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04Z07:00",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05.999999999",
	"2006-01-02T15:04",
	"2006-01-02 15:04:05",
	"2006-01-02 15:04",
	"2006-01-02",
}

// clockSkew is how far ahead of our clock observed_at may lie: clients' clocks
// differ, and what was said was said.
const clockSkew = 5 * time.Minute

// parseTime reads a time as a caller gives it; empty is the zero time. The
// result is UTC in microseconds.
func parseTime(field, s string, loc *time.Location) (time.Time, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return time.Time{}, nil
	}
	if t, ok := readTime(s, loc); ok {
		t = t.UTC().Truncate(time.Microsecond)
		if t.UnixMicro() == 0 { // 0 stands for no time
			t = t.Add(time.Microsecond)
		}
		if t.Year() >= 1 && t.Year() <= 9999 && !t.IsZero() {
			return t, nil
		}
	}
	return time.Time{}, invalid(field, "%s is not a time; give RFC 3339 such as 2024-05-01T09:30:00Z, or a date such as 2024-05-01", quoted(s))
}

// readTime reads a time in one of the accepted forms, in the zone written in it,
// else in loc.
func readTime(s string, loc *time.Location) (time.Time, bool) {
	for _, form := range timeForms {
		if t, err := time.ParseInLocation(form, s, loc); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// formatTime writes a time as answers give it: RFC 3339 UTC, "" for none.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// detailTime reads a time from a record's detail; the zero time where there is
// none. Stored details hold RFC 3339 UTC, see validator.detail.
func detailTime(detail json.RawMessage, name string) time.Time {
	if len(detail) == 0 {
		return time.Time{}
	}
	var d map[string]any
	if json.Unmarshal(detail, &d) != nil {
		return time.Time{}
	}
	s, _ := d[name].(string)
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// plannedActivity reports whether a record is an activity that is planned for a
// known time.
func plannedActivity(r *storage.Record) bool {
	if r.Layer != storage.Activity || len(r.Detail) == 0 {
		return false
	}
	var d struct {
		Status   string `json:"status"`
		StartsAt string `json:"starts_at"`
	}
	return json.Unmarshal(r.Detail, &d) == nil && d.StartsAt != "" && (d.Status == "" || d.Status == "planned")
}
