package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// twoSentences is a file of labels: one is read right, of the other the label
// says something else.
const twoSentences = `{"id": "a", "lang": "en", "text": "I live in Trondheim.", "observed_at": "2024-05-15T10:00:00Z", "want": {"entity": "user", "attribute": ["home city"], "value": ["Trondheim"]}, "note": "home city"}
{"id": "b", "lang": "en", "text": "My name is Bramwell.", "observed_at": "2024-05-15T10:00:00Z", "want": {"value": ["Clarisse"]}, "note": "name"}
{"id": "c", "lang": "zh", "text": "今天天气怎么样？", "observed_at": "2024-05-15T10:00:00Z", "want": null, "note": "null: question"}
{"id": "d", "lang": "zh", "text": "嗯。", "observed_at": "2024-05-15T10:00:00Z", "want": {"value": ["嗯"]}, "note": "name"}
`

func structureReportOf(t *testing.T, args ...string) (r structureReport, shown string) {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), append([]string{"structure", "--json"}, args...), &out, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r, out.String()
}

func TestStructure_CountsByLanguageAndSubject(t *testing.T) {
	r, shown := structureReportOf(t, "--labels", write(t, "seen.jsonl", twoSentences))
	want := []languageRow{
		{"en", 2, 2, 2, 1, 0, 0.5, 0.5},
		{"zh", 2, 1, 0, 0, 2, 1, 0},
	}
	if len(r.Files) != 1 || len(r.Files[0].Languages) != 2 || r.Files[0].Languages[0] != want[0] || r.Files[0].Languages[1] != want[1] {
		t.Fatalf("judged %+v, want %+v", r.Files, want)
	}
	if got := r.Files[0].Subjects; len(got) != 1 || got[0] != (subjectRow{"name", 2, 1, 1}) {
		t.Errorf("subjects %+v, want one wrong and one missed of name", got)
	}
	if strings.Contains(shown, "Bramwell") {
		t.Errorf("a sentence is shown without --verbose:\n%s", shown)
	}
}

func TestStructure_ShowsSentencesOnlyOfFilesThatMayBeSeen(t *testing.T) {
	path := write(t, unseen, twoSentences)
	if r, _ := structureReportOf(t, "--verbose", "--labels", path); len(r.Files[0].Mistakes) != 2 || r.Files[0].Mistakes[0].ID != "b" {
		t.Errorf("a file that was named: mistakes %+v, want two", r.Files[0].Mistakes)
	}
	hidden, err := judgeLabels(labelFile{path, true}, true)
	if err != nil || len(hidden.Mistakes) != 0 || len(hidden.Subjects) != 1 {
		t.Errorf("a hidden file: %+v, %v; want subjects and no sentence", hidden, err)
	}
	for _, file := range labelFiles(nil) {
		if file.hidden != (filepath.Base(file.path) == unseen) {
			t.Errorf("%s hidden: %v", file.path, file.hidden)
		}
	}
}

func TestStructure_CheckHoldsUnseenToTheLimits(t *testing.T) {
	var out bytes.Buffer
	err := run(t.Context(), []string{"structure", "--check", "--labels", write(t, unseen, twoSentences)}, &out, &bytes.Buffer{})
	if !errors.Is(err, errLimits) {
		t.Errorf("run = %v, want %v", err, errLimits)
	}
	for _, want := range []string{"| precision, en ≥ 0.97 | 0.5000 | **no** |", "| precision, zh ≥ 0.97 | 1.0000 | yes |", "| unseen.jsonl | en | 2 | 2 | 2 | 1 | 0 | 0.500 | 0.500 |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	err = run(t.Context(), []string{"structure", "--check", "--labels", write(t, "seen.jsonl", twoSentences)}, &out, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), unseen) {
		t.Errorf("without the file: %v, want an error that names it", err)
	}
}

// moving is a talk in which one statement displaces another.
const moving = `[{"sample_id": "talk-1", "qa": [], "conversation": {
 "session_1_date_time": "9:00 am on 2 May, 2023",
 "session_1": [
  {"speaker": "Mira", "dia_id": "D1:1", "text": "I live in Trondheim."},
  {"speaker": "Joss", "dia_id": "D1:2", "text": "I live in Bergen."}],
 "session_2_date_time": "9:00 am on 2 June, 2023",
 "session_2": [
  {"speaker": "Mira", "dia_id": "D2:1", "text": "I live in Oslo."},
  {"speaker": "Joss", "dia_id": "D2:2", "text": "I live in Narvik."}]
}}]`

func TestRememberBare_ListsWhatSupersededWhat(t *testing.T) {
	talks, err := readTalks(write(t, "talks.json", moving))
	if err != nil {
		t.Fatal(err)
	}
	r, err := rememberBare(t.Context(), talks, 3)
	if err != nil {
		t.Fatal(err)
	}
	if r.Turns != 3 || r.Statements != 3 || len(r.Attributes) != 1 || r.Attributes[0].Statements != 3 {
		t.Errorf("counted %+v, want three statements of one attribute", r)
	}
	if len(r.Supersedes) != 1 || r.Supersedes[0].New.Turn != "D2:1" || r.Supersedes[0].Old.Turn != "D1:1" || r.Supersedes[0].Old.Value != "Trondheim" {
		t.Errorf("supersedes %+v, want Mira's move alone", r.Supersedes)
	}
}

func TestStructure_WritesTheSupersedes(t *testing.T) {
	var out bytes.Buffer
	args := []string{"structure", "--labels", write(t, "seen.jsonl", twoSentences), "--locomo", "4", "--data", write(t, "talks.json", moving)}
	if err := run(t.Context(), args, &out, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"4 turns as bare sentences, 4 with a slot, 2 supersedes", `D2:2 Joss (Joss · home city · Narvik): "I live in Narvik."`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}
