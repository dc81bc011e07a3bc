package extract_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers/extract"
	"mcp-memory/storage"
)

// A date is kept where a turn says it, no finer than it was said; the turns are of
// Tuesday, 5 March 2024, in Berlin.
func TestByModel_KeepsDatesThatWereSaid(t *testing.T) {
	for _, c := range []struct{ said, field, written, want string }{
		{"I fly next Tuesday.", "valid_from", "2024-03-12", "2024-03-11T23:00:00Z"},
		{"I fly next Tuesday.", "valid_from", "2024-03-12T00:00:00Z", "2024-03-11T23:00:00Z"},
		{"I fly next Tuesday.", "valid_from", "2024-03-12T15:30:00+01:00", "2024-03-11T23:00:00Z"}, // no clock time was said
		{"I fly next Tuesday.", "valid_from", "2024-03-19", ""},
		{"I fly tomorrow at 3pm.", "valid_from", "2024-03-06T15:00:00+01:00", "2024-03-06T14:00:00Z"},
		{"I fly tomorrow at 3pm.", "valid_from", "2024-03-06T15:00:00Z", "2024-03-06T14:00:00Z"}, // a local time that looks like UTC
		{"I fly tomorrow at 3pm.", "valid_from", "2024-03-06", "2024-03-06T14:00:00Z"},
		{"I fly tomorrow at 3pm.", "valid_from", "2024-03-06T09:00:00+01:00", ""},
		{"I fly next week.", "valid_from", "2024-03-14", "2024-03-10T23:00:00Z"}, // the week, whatever day the model takes
		{"I fly next week.", "valid_to", "2024-03-14", "2024-03-17T23:00:00Z"},
		{"I have lived here since 2019.", "valid_from", "2019-01-01", "2018-12-31T23:00:00Z"},
		{"I have lived here since 2019.", "valid_from", "2019", "2018-12-31T23:00:00Z"},
		{"I have lived here since 2019.", "valid_from", "2018-05-01", ""},
		{"I work there until June.", "valid_to", "2024-06-01", "2024-05-31T23:00:00Z"},
		{"I work there until June.", "valid_to", "2024-06-30", "2024-06-30T23:00:00Z"},
		{"我下周二去上海。", "valid_from", "2024-03-12", "2024-03-11T23:00:00Z"},
		{"Mieszkam tu od 12 maja 2021.", "valid_from", "2021-05-12", "2021-05-11T23:00:00Z"}, // its numbers are there
		{"I like tea from now on.", "valid_from", "2024-03-05", "2024-03-04T23:00:00Z"},      // the day of saying it
		{"I like tea.", "valid_from", "2020-01-01", ""},
		{"I like tea.", "valid_from", "always", ""},
		{"I like tea.", "valid_to", "2025-03-05", ""},
	} {
		m := oneMemory(t, storage.Preference, modelIn("user: "+c.said), `{"text":"The user said so.","turn":0,"quote":`+quoted(c.said)+`,"`+c.field+`":"`+c.written+`"}`)
		got := m.ValidFrom
		if c.field == "valid_to" {
			got = m.ValidTo
		}
		if shown(got) != c.want {
			t.Errorf("%q, %s %s: %s, want %s", c.said, c.field, c.written, shown(got), c.want)
		}
		if c.want == "" && (len(m.Notes) != 1 || !strings.HasPrefix(m.Notes[0], c.field+" is left out")) {
			t.Errorf("%q: notes %q", c.said, m.Notes)
		}
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func shown(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.RFC3339)
}

func TestByModel_DatesAreThoseOfTheMemorysTurn(t *testing.T) {
	in := modelIn("user: The exam is on 3 May 2024.", "assistant: Good luck! When did you come here?", "user: In 2021.", "user: I like tea.")
	for memory, want := range map[string]string{
		`{"text":"The user likes tea.","quote":"I like tea","valid_from":"2024-05-03"}`: "",
		`{"text":"The user came here.","quote":"In 2021","valid_from":"2021-01-01"}`:    "2020-12-31T23:00:00Z",
		`{"text":"The user sits an exam.","valid_from":"2024-05-03"}`:                   "2024-05-02T22:00:00Z", // no quote says which turn
	} {
		in.Talk.Turns[0].Time = march5.In(berlin(t))
		if m := oneMemory(t, storage.Preference, in, memory); shown(m.ValidFrom) != want {
			t.Errorf("%s: %s, want %s", memory, shown(m.ValidFrom), want)
		}
	}
}

func berlin(t *testing.T) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	return loc
}

func TestByModel_ValidToComesAfterValidFrom(t *testing.T) {
	m := oneMemory(t, storage.Preference, modelIn("user: From June 2024 to May 2024, odd."), `{"text":"The user is odd.","quote":"odd","valid_from":"2024-06-01","valid_to":"2024-05-01"}`)
	if !m.ValidFrom.IsZero() || !m.ValidTo.IsZero() || len(m.Notes) != 1 {
		t.Errorf("%+v", m)
	}
}

func TestByModel_AnActivitysTimeIsInItsDetail(t *testing.T) {
	in := modelIn("user: Next Tuesday I fly to Lisbon.")
	for _, c := range []struct{ fields, want string }{
		{`"detail":{"status":"Planned","starts_at":"2024-03-12","ends_at":"2024-03-20","locations":"Lisbon"}`, `{"locations":["Lisbon"],"starts_at":"2024-03-11T23:00:00Z","status":"planned"}`},
		{`"valid_from":"2024-03-12"`, `{"starts_at":"2024-03-11T23:00:00Z"}`},
		{`"valid_from":"2024-03-12","detail":{"status":"someday"}`, `{"starts_at":"2024-03-11T23:00:00Z"}`},
		{`"detail":{"starts_at":"2024-03-12","ends_at":"2024-03-12"}`, `{"starts_at":"2024-03-11T23:00:00Z"}`},
	} {
		m := oneMemory(t, storage.Activity, in, `{"text":"The user flies to Lisbon.","quote":"I fly to Lisbon",`+c.fields+`}`)
		if string(m.Detail) != c.want || !m.ValidFrom.IsZero() {
			t.Errorf("%s: %s, valid from %v", c.fields, m.Detail, m.ValidFrom)
		}
	}
}

func TestByModel_DetailSinceMayBeWords(t *testing.T) {
	in := modelIn("user: I chair the club since the flood in 2021.")
	for written, want := range map[string]string{"the flood": `{"since":"the flood"}`, "2021": `{"since":"2020-12-31T23:00:00Z"}`, "2015-01-01": ``} {
		m := oneMemory(t, storage.Identity, in, `{"text":"The user chairs the club.","quote":"I chair the club","detail":{"since":"`+written+`"}}`)
		if string(m.Detail) != want {
			t.Errorf("%s: %s, want %s", written, m.Detail, want)
		}
	}
}

// A text is read later, so what is relative in it gets its date; a date that nobody
// said takes the memory with it.
func TestByModel_DatesInTheText(t *testing.T) {
	for _, c := range []struct{ said, text, want string }{
		{"I fly to Oslo tomorrow.", "The user flies to Oslo tomorrow.", "The user flies to Oslo tomorrow (2024-03-06)."},
		{"I fly next week, back in two weeks.", "The user flies next week.", "The user flies next week (2024-03-11 to 2024-03-17)."},
		{"我下周二去上海。", "用户下周二去上海。", "用户下周二 (2024-03-12)去上海。"},
		{"I fly tomorrow.", "The user flies on 6 March 2024.", "The user flies on 6 March 2024."},
		{"I fly tomorrow.", "The user flies in March 2024.", "The user flies in March 2024."},
		{"I fly soon.", "The user flies tomorrow.", ""},
		{"I fly tomorrow.", "The user flies on 9 April 2024.", ""},
		{"I moved here in 2021.", "The user moved here in 2021.", "The user moved here in 2021."},
		{"I moved here.", "The user moved here in 2021.", ""},
		{"I signed today.", "The user signed today.", "The user signed today (2024-03-05)."},
		{"I run every Friday.", "The user runs every Friday.", "The user runs every Friday."},
	} {
		got := byModel(t, storage.Experience, modelIn("user: "+c.said), answered(`{"text":"`+c.text+`","quote":`+quoted(c.said)+`}`))
		text := ""
		if len(got.Memories) == 1 {
			text = got.Memories[0].Text
		}
		if text != c.want {
			t.Errorf("%q: %q, want %q; drops %+v", c.said, text, c.want, got.Drops)
		}
	}
}

// Where nobody knows when a turn was said, its relative times mean nothing.
func TestByModel_WithoutATimeOnlyWrittenDatesCount(t *testing.T) {
	in := extract.ModelInput{Talk: modelTalk("user: I fly tomorrow, and on 12.5.2024 again.")}
	in.Talk.Turns[0].Time = time.Time{}
	for written, want := range map[string]string{"2024-03-06": "", "2024-05-12": "2024-05-12T00:00:00Z"} {
		if m := oneMemory(t, storage.Preference, in, `{"text":"The user flies.","quote":"I fly","valid_from":"`+written+`"}`); shown(m.ValidFrom) != want {
			t.Errorf("%s: %s, want %s", written, shown(m.ValidFrom), want)
		}
	}
}
