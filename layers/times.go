package layers

import (
	"encoding/json"
	"math"
	"strconv"
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
	"2006-01-02T15:04:05Z0700", // ISO 8601 without the colon, as strftime's %z has it
	"2006-01-02 15:04:05Z0700",
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
	if t, ok := readUnix(s, time.UTC); ok {
		return time.Time{}, invalid(field, "%s is not a time; give RFC 3339, for those seconds since 1970 %s", quoted(s), formatTime(t))
	}
	return time.Time{}, invalid(field, "%s is not a time; give RFC 3339 such as 2024-05-01T09:30:00Z, or a date such as 2024-05-01", quoted(s))
}

// readTime reads a time in one of the accepted forms, in the zone written in it,
// else in loc. RFC 3339 takes t and z for T and Z.
func readTime(s string, loc *time.Location) (time.Time, bool) {
	s = strings.ToUpper(s)
	for _, form := range timeForms {
		if t, err := time.ParseInLocation(form, s, loc); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// Bounds of seconds since 1970 that are taken for a time, from 1990 to 2100.
// Thousandfold they are milliseconds.
const minUnix, maxUnix = 631_152_000, 4_102_444_800

// readUnix reads seconds or milliseconds since 1970 as exports of chats have them.
// They name a moment and no zone, so whose days count is left to loc.
func readUnix(s string, loc *time.Location) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if strings.Trim(s, "0123456789.eE+") != "" {
		return time.Time{}, false
	}
	n, err := strconv.ParseFloat(s, 64)
	if err == nil && n >= minUnix*1000 && n <= maxUnix*1000 {
		n /= 1000
	}
	if err != nil || !(n >= minUnix && n <= maxUnix) {
		return time.Time{}, false
	}
	seconds, part := math.Modf(n)
	return time.Unix(int64(seconds), int64(math.Round(part*1e6))*1000).In(loc), true
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
