package layers

import (
	"testing"
	"time"
)

func TestParseTime_ReadsZonesAsGivenAndTheSetOneElse(t *testing.T) {
	tokyo := time.FixedZone("", 9*3600)
	for given, want := range map[string]string{
		"2024-05-01T09:30:00Z":             "2024-05-01T09:30:00Z",
		"2024-05-01T09:30:00+02:00":        "2024-05-01T07:30:00Z",
		"2024-05-01T09:30:00.1234567Z":     "2024-05-01T09:30:00.123456Z",
		"2024-05-01T09:30":                 "2024-05-01T00:30:00Z",
		"2024-05-01 09:30:15":              "2024-05-01T00:30:15Z",
		" 2024-05-01 ":                     "2024-04-30T15:00:00Z",
		"1970-01-01T00:00:00Z":             "1970-01-01T00:00:00.000001Z",
		"":                                 "",
		"9999-12-31T23:59:59Z":             "9999-12-31T23:59:59Z",
		"0001-01-01T00:00:00Z":             "error",
		"2024-13-01":                       "error",
		"2024-02-30":                       "error",
		"yesterday":                        "error",
		"2024":                             "error",
		"2024-05-01T09:30:00+02:00 or so":  "error",
		"99999999999999-05-01T09:30:00":    "error",
		"2024-05-01T24:00:00Z":             "error",
		"２０２４-05-01":                       "error",
		"2024-05-01T09:30:00[Asia/Tokyo]":  "error",
		"2024-05-01T09:30:00 Europe/Paris": "error",
	} {
		got, err := parseTime("valid_from", given, tokyo)
		if shown := formatTime(got); err == nil && shown != want || err != nil && want != "error" {
			t.Errorf("%q: %q, %v; want %q", given, shown, err, want)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2024-05-01T09:30:00Z", "2024-05-01", "2024-05-01 09:30", "9999-12-31T23:59:59-12:00", "0000-01-01", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseTime("valid_from", s, time.UTC)
		if err != nil || got.IsZero() {
			return
		}
		again, err := parseTime("valid_from", formatTime(got), time.UTC)
		if err != nil || !again.Equal(got) || got.Year() < 1 || got.Year() > 9999 {
			t.Errorf("%q is %s, which reads as %s (%v)", s, got, again, err)
		}
	})
}
