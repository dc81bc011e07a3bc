package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestLocomo_MeasuresAWholeTalk runs the command on a talk of five turns.
func TestLocomo_MeasuresAWholeTalk(t *testing.T) {
	data := write(t, "talks.json", smallTalks)
	golden := write(t, "golden.jsonl", `{"conv": "talk-1", "qa_index": 0, "top": [["D10:1", 9.5]]}`)
	var out, log bytes.Buffer
	if err := run(t.Context(), []string{"locomo", "--data", data, "--golden", golden, "--json"}, &out, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	var r locomoReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Conversations != 1 || r.Turns != 5 || r.Questions != 3 || len(r.Rankers) != 3 {
		t.Fatalf("measured %+v", r)
	}
	for _, k := range r.Rankers {
		if got := k.turns("4 single-hop"); got.Questions != 1 || got.Hit1 != 1 || got.NDCG != 1 {
			t.Errorf("%s: %+v, want the violin found first", k.Name, got)
		}
		if got := k.sessions(rowAll); got.Questions != 3 || got.Hit5 != 1 {
			t.Errorf("%s: %+v, want all sessions among the first five", k.Name, got)
		}
	}
	if r.Floor.Nonsense != 85 || r.Floor.Answerable != 2 || r.Floor.FoundOpen != 2 {
		t.Errorf("floor: %+v", r.Floor)
	}
	if r.Golden.Compared != 1 || r.Golden.Agree != 0 || r.Golden.Others[0].Index != 0 {
		t.Errorf("golden: %+v, want one that differs", r.Golden)
	}
}

func TestLocomo_CheckFailsOnAGoldenFileThatDisagrees(t *testing.T) {
	data := write(t, "talks.json", smallTalks)
	golden := write(t, "golden.jsonl", `{"conv": "talk-1", "qa_index": 0, "top": [["D10:1", 9.5]]}`)
	var out bytes.Buffer
	err := run(t.Context(), []string{"locomo", "--data", data, "--golden", golden, "--check", "--verbose"}, &out, &bytes.Buffer{})
	if !errors.Is(err, errLimits) {
		t.Errorf("run = %v, want %v", err, errLimits)
	}
	for _, want := range []string{"golden rankings that agree ≥ 0.95 | 0.0000 | **no**", "talk-1 question 0: What broke", "want D10:1 9.5000"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

func goodLocomo() *locomoReport {
	k := rankerReport{
		Turns:    []turnRow{{Of: rowMacro, turnFigures: turnFigures{NDCG: minMacro}}, {Of: rowMacroLate, turnFigures: turnFigures{NDCG: minMacroLate}}},
		Sessions: []sessionRow{{Of: rowAll, sessionFigures: sessionFigures{Hit1: minHit1, Hit5: minHit5}}},
	}
	other := rankerReport{Turns: append([]turnRow{}, k.Turns...), Sessions: append([]sessionRow{}, k.Sessions...)}
	return &locomoReport{
		Rankers: []rankerReport{k, other, {}}, Golden: goldenFigures{Compared: 20, Agree: 19},
		Floor: floorFigures{Nonsense: 100, NonsenseAnswered: 5},
	}
}

func TestCheckLocomo_EachLimitAtItsBound(t *testing.T) {
	tests := []struct {
		name   string
		change func(r *locomoReport)
		broken string
	}{
		{"all at their bounds", func(*locomoReport) {}, ""},
		{"macro with min_score 0", func(r *locomoReport) { r.Rankers[0].Turns[0].NDCG = 0.5599 }, "macro NDCG@10 ≥"},
		{"macro with the default floor", func(r *locomoReport) { r.Rankers[1].Turns[0].NDCG = 0.5599 }, "macro NDCG@10 ≥"},
		{"late conversations", func(r *locomoReport) { r.Rankers[1].Turns[1].NDCG = 0.54 }, "macro NDCG@10, conversations 5–9"},
		{"hit@1", func(r *locomoReport) { r.Rankers[1].Sessions[0].Hit1 = 0.74 }, "session hit@1"},
		{"hit@5", func(r *locomoReport) { r.Rankers[0].Sessions[0].Hit5 = 0.92 }, "session hit@5"},
		{"golden", func(r *locomoReport) { r.Golden.Agree = 18 }, "golden"},
		{"no golden at all", func(r *locomoReport) { r.Golden = goldenFigures{} }, "golden"},
		{"nonsense", func(r *locomoReport) { r.Floor.NonsenseAnswered = 6 }, "nonsense"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := goodLocomo()
			tt.change(r)
			for _, l := range checkLocomo(r) {
				broken := tt.broken != "" && strings.HasPrefix(l.Limit, tt.broken)
				if l.Holds == broken {
					t.Errorf("%s: measured %s, holds = %v", l.Limit, l.Measured, l.Holds)
				}
			}
		})
	}
}

func TestLocomo_CheckNeedsTheGoldenFile(t *testing.T) {
	err := run(t.Context(), []string{"locomo", "--golden", "", "--check"}, &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "--golden") {
		t.Errorf("run = %v, want an error that names --golden", err)
	}
}
