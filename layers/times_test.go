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
		"2024-05-01t09:30:00z":             "2024-05-01T09:30:00Z",
		"2024-05-01T09:30:00+0200":         "2024-05-01T07:30:00Z",
		"2024-05-01 09:30:00-0730":         "2024-05-01T17:00:00Z",
		"1714555800":                       "error", // a number of seconds is a guess but where chats have it
		"2024-05-01T09:30:00[Asia/Tokyo]":  "error",
		"2024-05-01T09:30:00 Europe/Paris": "error",
	} {
		got, err := parseTime("valid_from", given, tokyo)
		if shown := formatTime(got); err == nil && shown != want || err != nil && want != "error" {
			t.Errorf("%q: %q, %v; want %q", given, shown, err, want)
		}
	}
}

// Exports of chats count seconds, or milliseconds: a moment, in the set zone.
func TestReadUnix(t *testing.T) {
	tokyo := time.FixedZone("", 9*3600)
	for given, want := range map[string]string{
		"1709632800":      "2024-03-05T19:00:00+09:00",
		" 1709632800.5 ":  "2024-03-05T19:00:00.5+09:00",
		"1.7096328e9":     "2024-03-05T19:00:00+09:00",
		"1709632800000":   "2024-03-05T19:00:00+09:00",
		"1709632800123.0": "2024-03-05T19:00:00.123+09:00",
		"631152000":       "1990-01-01T09:00:00+09:00",
		"631151999":       "",
		"4102444801":      "",
		"20240305":        "", // a date without its hyphens
		"-1709632800":     "",
		"0x65E6ED60":      "",
		"1709632800Z":     "",
		"inf":             "",
		"１７０９６３２８００":      "",
		"":                "",
	} {
		got, ok := readUnix(given, tokyo)
		shown := ""
		if ok {
			shown = got.Format(time.RFC3339Nano)
		}
		if shown != want {
			t.Errorf("%q: %q, want %q", given, shown, want)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2024-05-01T09:30:00Z", "2024-05-01", "2024-05-01 09:30", "9999-12-31T23:59:59-12:00", "0000-01-01", "1714555800", "2024-05-01t09:30:00z", "x"} {
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
