package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers/extract"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/layers/gatekeeper/judge"
	"mcp-memory/layers/worth"
)

func TestTrigger_CountsWhatWakesTheGate(t *testing.T) {
	s := sitting{Number: 1, At: time.Date(2023, 5, 1, 9, 0, 0, 0, time.UTC)}
	for range unreadTurns {
		s.Utterances = append(s.Utterances, utterance{Speaker: "Ann", Text: "What a day it was!"})
	}
	s.Utterances = append(s.Utterances, utterance{Speaker: "Ben", Text: "Remember that I moved to Faro."}, utterance{Speaker: "Ann", Text: "Oh nice."})
	r := triggerReport{}
	r.sitting(&s)
	if r.Turns != 10 || r.Full != 1 || r.Words != 1 || r.Idle != 1 {
		t.Errorf("%+v, want ten turns and a call for eight unread, a telling word and the end", r)
	}
}

func TestGate_UnseenFilesAreNeverShown(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "unseen_9.jsonl")
	line := `{"id":"x","lang":"en","turns":[{"role":"user","content":"I live in Porto.","time":"2026-01-01T09:00:00Z"}],"layers":["activity"],"keep":[],"kind":"positive","why":"w"}`
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	f := gateFlags{cases: true, embedder: "off", labels: []string{path}}
	r, err := f.measure(t.Context(), &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 || strings.Contains(r.markdown(), "Porto") {
		t.Errorf("shown: %s", out.String())
	}
	if r.Files[0].All.Layers[gatekeeper.Layers[0]].Missed != 1 {
		t.Errorf("counted %+v", r.Files[0].All)
	}
}

func TestCheckGate_HoldsFiguresAgainstTheLimits(t *testing.T) {
	all, err := judge.Read(strings.NewReader(`{"id":"x","lang":"en","turns":[{"role":"user","content":"Hi!","time":"2026-01-01T09:00:00Z"}],"layers":["identity"],"kind":"positive"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := judge.Run(t.Context(), all, judge.Rules(worth.Options{}, extract.Router{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	limits := checkGate(&gateReport{Files: []gateFile{{unseen, report}, {"seen.jsonl", report}}, Recall: &recallReport{Ungated: 0.9, Ratio: 0.8, Saved: 0.7}})
	holds := []bool{false, true, true, true, false, true} // F1 of nothing found; no false memory; no call; LoCoMo's three
	if len(limits) != len(holds) {
		t.Fatalf("%d limits: %+v", len(limits), limits)
	}
	for i, l := range limits {
		if l.Holds != holds[i] {
			t.Errorf("%s: measured %s, holds %v", l.Limit, l.Measured, l.Holds)
		}
	}
}
