package dates_test

import (
	"testing"
	"time"

	"mcp-memory/internal/dates"
)

func at(t *testing.T, s, zone string) time.Time {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	moment, err := time.ParseInLocation("2006-01-02T15:04", s, loc)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

// TestFind_KeepsToTheCalendar gives the begin and the length in hours at edges
// of the calendar and of the clocks.
func TestFind_KeepsToTheCalendar(t *testing.T) {
	for _, e := range []struct {
		text, ref, zone, from string
		hours                 float64
	}{
		// Clocks go forward on 31 March and back on 27 October 2024.
		{"yesterday", "2024-04-01T09:00", "Europe/Berlin", "2024-03-31T00:00:00+01:00", 23},
		{"today", "2024-10-27T12:00", "Europe/Berlin", "2024-10-27T00:00:00+02:00", 25},
		{"two days ago", "2024-04-01T00:10", "Europe/Berlin", "2024-03-30T00:00:00+01:00", 24},
		{"last week", "2024-04-03T12:00", "Europe/Berlin", "2024-03-25T00:00:00+01:00", 167},
		{"in 3 hours", "2024-03-31T01:00", "Europe/Berlin", "2024-03-31T05:00:00+02:00", 1},
		{"tomorrow at 3pm", "2024-03-30T12:00", "Europe/Berlin", "2024-03-31T15:00:00+02:00", 1},
		// Midnight was skipped.
		{"tomorrow", "2018-11-03T12:00", "America/Sao_Paulo", "2018-11-04T01:00:00-02:00", 23},
		// Half past midnight in the east: the local day before.
		{"yesterday", "2023-06-15T00:30", "Asia/Tokyo", "2023-06-14T00:00:00+09:00", 24},
		{"yesterday", "2023-06-14T23:30", "America/Los_Angeles", "2023-06-13T00:00:00-07:00", 24},
		{"昨天", "2024-01-01T00:10", "Asia/Kathmandu", "2023-12-31T00:00:00+05:45", 24},
		// Ends of the year and of February.
		{"tomorrow", "2024-02-28T23:59", "UTC", "2024-02-29T00:00:00Z", 24},
		{"tomorrow", "2023-02-28T12:00", "UTC", "2023-03-01T00:00:00Z", 24},
		{"in a month", "2023-01-31T12:00", "UTC", "2023-02-28T00:00:00Z", 24},
		{"in one month", "2024-01-31T12:00", "UTC", "2024-02-29T00:00:00Z", 24},
		{"三个月前", "2024-05-31T12:00", "UTC", "2024-02-29T00:00:00Z", 24},
		{"a year ago", "2024-02-29T12:00", "UTC", "2023-02-28T00:00:00Z", 24},
		{"last month", "2024-01-31T12:00", "UTC", "2023-12-01T00:00:00Z", 31 * 24},
		{"next month", "2024-12-31T12:00", "UTC", "2025-01-01T00:00:00Z", 31 * 24},
		{"last quarter", "2024-02-10T12:00", "UTC", "2023-10-01T00:00:00Z", 92 * 24},
		{"this week", "2025-01-01T12:00", "UTC", "2024-12-30T00:00:00Z", 7 * 24},
		{"这周", "2024-12-29T12:00", "UTC", "2024-12-23T00:00:00Z", 7 * 24},
		{"this winter", "2024-01-10T12:00", "UTC", "2024-12-01T00:00:00Z", 90 * 24},
		{"last winter", "2024-05-10T12:00", "UTC", "2023-12-01T00:00:00Z", 91 * 24},
		{"last summer", "2024-07-10T12:00", "UTC", "2023-06-01T00:00:00Z", 92 * 24},
		{"this Monday", "2024-05-19T12:00", "UTC", "2024-05-20T00:00:00Z", 24},
		{"this Sunday", "2024-05-19T12:00", "UTC", "2024-05-19T00:00:00Z", 24},
		{"I met her on December 30", "2025-01-02T12:00", "UTC", "2024-12-30T00:00:00Z", 24},
		{"I was born on February 29", "2023-05-01T12:00", "UTC", "2020-02-29T00:00:00Z", 24},
		{"the end of February 2024", "2024-05-01T12:00", "UTC", "2024-02-29T00:00:00Z", 24},
	} {
		found := dates.Find(e.text, at(t, e.ref, e.zone))
		if len(found) != 1 {
			t.Errorf("Find(%q) found %d", e.text, len(found))
			continue
		}
		r := found[0].Range
		if got := r.From.Format(time.RFC3339); got != e.from {
			t.Errorf("Find(%q) at %s %s begins at %s, want %s", e.text, e.ref, e.zone, got, e.from)
		}
		if got := r.To.Sub(r.From).Hours(); got != e.hours {
			t.Errorf("Find(%q) at %s %s lasts %v hours, want %v", e.text, e.ref, e.zone, got, e.hours)
		}
	}
}

func TestFind_LeavesTheCalendarsEndsAlone(t *testing.T) {
	for _, year := range []int{1, 2, 9999} {
		moment := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		if year == 9999 {
			moment = time.Date(year, 12, 31, 12, 0, 0, 0, time.UTC)
		}
		for _, text := range []string{"99 years ago", "last year", "next year", "in 999 decades", "tomorrow"} {
			for _, f := range dates.Find(text, moment) {
				if !f.Range.From.Before(f.Range.To) || f.Range.From.Year() < 1 || f.Range.To.Year() > 9999 {
					t.Errorf("Find(%q) in year %d = %v", text, year, f.Range)
				}
			}
		}
	}
}
