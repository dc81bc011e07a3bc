package judge_test

import (
	"strings"
	"testing"
	"time"

	"mcp-memory/layers/structure"
	"mcp-memory/layers/structure/judge"
	"mcp-memory/storage"
)

// wanted is a labelled sentence with all that is judged.
const wanted = `{"id":"a","lang":"en","text":"a","observed_at":"2024-05-15T23:30:00-05:00","note":"n","want":{
"entity":"Ana","entity_also":["sister"],"attribute":["likes","dislikes"],"value":["Green Tea"],"layer":["preference"],
"polarity":"-","valid_from":"2024-05","reason":"taste","closes":"drink"}}`

func read(t *testing.T, lines ...string) []judge.Case {
	t.Helper()
	flat := make([]string, len(lines))
	for i, l := range lines {
		flat[i] = strings.ReplaceAll(l, "\n", "")
	}
	cases, err := judge.Read(strings.NewReader(strings.Join(flat, "\n\n")))
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// right is the statement that the labelled sentence wants.
func right() structure.Statement {
	return structure.Statement{
		Entity: "sister", Attribute: "Likes", Value: " green tea", Layer: storage.Preference, Polarity: "-",
		ValidFrom: time.Date(2024, 6, 1, 4, 0, 0, 0, time.UTC), Reason: "the taste", Closes: []string{"drink"},
	}
}

func TestRun_JudgesWhatIsLabelled(t *testing.T) {
	cases := read(t, wanted)
	for _, test := range []struct {
		name string
		mend func(*structure.Statement)
		want string
	}{
		{"all right; the time in the speaker's offset", func(*structure.Statement) {}, ""},
		{"entity", func(st *structure.Statement) { st.Entity = "user" }, `entity "user"`},
		{"attribute", func(st *structure.Statement) { st.Attribute = "tea" }, `attribute "tea"`},
		{"value", func(st *structure.Statement) { st.Value = "tea" }, `value "tea"`},
		{"layer", func(st *structure.Statement) { st.Layer = storage.Identity }, `layer "identity"`},
		{"polarity", func(st *structure.Statement) { st.Polarity = "" }, `polarity "+"`},
		{"time", func(st *structure.Statement) { st.ValidFrom = time.Time{} }, `valid_from ""`},
		{"reason", func(st *structure.Statement) { st.Reason = "" }, `reason ""`},
		{"closes", func(st *structure.Statement) { st.Closes = nil }, `closes []`},
		{"closes by name", func(st *structure.Statement) {
			st.Closes, st.Displaces = nil, []structure.Former{{Attribute: "likes", Value: "coffee"}}
		}, ""},
		{"closes as the one value of its kind", func(st *structure.Statement) {
			st.Closes, st.Attribute = nil, "preferred drink"
		}, `attribute "preferred drink"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			st := right()
			test.mend(&st)
			report := judge.Run(cases, func(structure.Input) (structure.Statement, bool) { return st, true })
			why := ""
			if len(report.Mistakes) > 0 {
				why = report.Mistakes[0].Why
			}
			if why != test.want {
				t.Errorf("why %q, want %q", why, test.want)
			}
		})
	}
}

func TestRun_AnEndingMustNotBeCurrent(t *testing.T) {
	cases := read(t, `{"id":"a","lang":"en","observed_at":"2024-05-15T10:00:00Z","want":{"ended":true,"closes":""}}`)
	for _, test := range []struct {
		name string
		st   structure.Statement
		want bool
	}{
		{"ended", structure.Statement{Ended: true}, true},
		{"ended before", structure.Statement{ValidTo: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}, true},
		{"ends later", structure.Statement{ValidTo: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)}, false},
		{"negative", structure.Statement{Polarity: "-"}, true},
		{"none", structure.Statement{Value: "none"}, true},
		{"current", structure.Statement{Value: "tea"}, false},
		{"closes what it should not", structure.Statement{Ended: true, Closes: []string{"drink"}}, false},
	} {
		report := judge.Run(cases, func(structure.Input) (structure.Statement, bool) { return test.st, true })
		if got := len(report.Mistakes) == 0; got != test.want {
			t.Errorf("%s: right %v, want %v", test.name, got, test.want)
		}
	}
}

func TestRun_CountsByLanguageAndNote(t *testing.T) {
	cases := read(t,
		`{"id":"1","lang":"en","text":"yes","want":{"entity":"user"},"note":"x"}`,
		`{"id":"2","lang":"en","text":"no","want":{"entity":"user"},"note":"x"}`,
		`{"id":"3","lang":"en","text":"yes","want":null,"note":"null: y"}`,
		`{"id":"4","lang":"zh","text":"no","want":null,"note":"null: y"}`,
	)
	report := judge.Run(cases, func(in structure.Input) (structure.Statement, bool) {
		return structure.Statement{Entity: "user"}, in.Text == "yes"
	})
	en := judge.Tally{Cases: 3, Positives: 2, Produced: 2, Correct: 1, Abstained: 1}
	if got := report.ByLang["en"]; got != en {
		t.Errorf("en: %+v, want %+v", got, en)
	}
	if en.Precision() != 0.5 || en.Recall() != 0.5 {
		t.Errorf("precision %v, recall %v", en.Precision(), en.Recall())
	}
	if got := report.ByLang["zh"]; got != (judge.Tally{Cases: 1, Abstained: 1}) || got.Precision() != 1 || got.Recall() != 1 {
		t.Errorf("zh: %+v", got)
	}
	if got := report.ByNote["x"].Cases; got != 2 {
		t.Errorf("note x: %d cases", got)
	}
	if len(report.Mistakes) != 2 || !report.Mistakes[0].Missed || report.Mistakes[1].Why != "wants no statement" {
		t.Errorf("mistakes %+v", report.Mistakes)
	}
}

func TestRead_NamesTheLineThatIsWrong(t *testing.T) {
	_, err := judge.Read(strings.NewReader("{}\n{\"id\": 1}"))
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v", err)
	}
}
