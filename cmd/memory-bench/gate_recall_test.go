package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mcp-memory/layers"
)

// TestGate_MeasuresLocomoAfterExtract streams a talk of five turns to extract, and
// asks what came of it.
func TestGate_MeasuresLocomoAfterExtract(t *testing.T) {
	talks := strings.NewReplacer(
		"My violin broke during the rehearsal.", "From now on I prefer playing the violin.",
		"What broke during the rehearsal?", "What does Mira prefer playing?",
	).Replace(smallTalks)
	var out bytes.Buffer
	args := []string{"gate", "--locomo", "--embedder", "off", "--json", "--data", write(t, "talks.json", talks)}
	if err := run(t.Context(), args, &out, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	var report gateReport
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	r := report.Recall
	if r.Conversations != 1 || r.Turns != 5 || r.Questions != 2 || r.Records == 0 {
		t.Fatalf("measured %+v", r)
	}
	if r.GateCalls != report.Trigger.GateCalls || r.ExtractorCalls > 5*r.GateCalls {
		t.Errorf("%d gate calls and %d extractor calls; the trigger alone counts %d", r.GateCalls, r.ExtractorCalls, report.Trigger.GateCalls)
	}
	if r.Evidence != 3 || r.Kept != 2 {
		t.Errorf("%d answering turns, a record rests on %d; want two of three", r.Evidence, r.Kept)
	}
	// "violin" stands in a turn, "7" in none.
	all := r.Answers[len(r.Answers)-1]
	if len(r.Answers) != 5 || all.Questions != 2 || all.Verbatim.Texts != 0.5 || all.Extracted.Texts != 0.5 || r.Ratio != 1 {
		t.Errorf("ratio %v of %+v, want half of the words in either", r.Ratio, r.Answers)
	}
}

func TestGate_RefusesConversationsThatAreNotThere(t *testing.T) {
	data := write(t, "talks.json", smallTalks)
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"a place behind the last", []string{"--locomo", "--data", data, "--conversations", "0,1"}, "has 1, counted from 0"},
		{"LoCoMo without data", []string{"--locomo", "--data", ""}, "needs --data"},
		{"a check without the unseen", []string{"--labels", data, "--check"}, "unseen.jsonl"},
		{"an embedder that is none", []string{"--locomo", "--data", data, "--embedder", "bert"}, "want builtin or off"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := run(t.Context(), append([]string{"gate", "--embedder", "off"}, tt.args...), &bytes.Buffer{}, &bytes.Buffer{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("run = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestGate_CheckHoldsLocomoToItsLimits(t *testing.T) {
	at := recallReport{Ungated: minTurnsUngate, Ratio: minRecallRatio, Saved: minCallsSaved}
	for _, tt := range []struct {
		name   string
		change func(*recallReport)
		fails  int
	}{
		{"at its limits", func(*recallReport) {}, 0},
		{"a gate that wakes often", func(r *recallReport) { r.Ungated -= 0.01 }, 1},
		{"little recalled", func(r *recallReport) { r.Ratio -= 0.01 }, 1},
		{"a gate that opens all", func(r *recallReport) { r.Saved -= 0.01 }, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := at
			tt.change(&r)
			report := gateReport{Recall: &r}
			report.Limits = checkGate(&report)
			failed := 0
			for _, v := range report.Limits {
				if !v.Holds {
					failed++
				}
			}
			var p printing
			err := p.print(&bytes.Buffer{}, &report)
			if failed != tt.fails || errors.Is(err, errLimits) != (tt.fails > 0) {
				t.Errorf("%d limits fail (%v), want %d", failed, err, tt.fails)
			}
		})
	}
}

func TestDays_AreThoseOfTheMatchAndItsDetail(t *testing.T) {
	m := layers.Match{ObservedAt: "2023-05-08T13:56:00Z", Detail: json.RawMessage(`{"starts_at": "2023-05-07T00:00:00Z"}`)}
	if got := strings.Join(days(&m), ", "); got != "8 May 2023, 7 May 2023" {
		t.Errorf("days = %s", got)
	}
}
