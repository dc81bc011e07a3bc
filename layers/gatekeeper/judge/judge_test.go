package judge_test

import (
	"context"
	"strings"
	"testing"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/extract"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/layers/gatekeeper/judge"
	"mcp-memory/layers/worth"
	"mcp-memory/storage"
)

const labels = `{"id":"a","lang":"en","turns":[{"role":"user","content":"I live in Porto.","time":"2026-01-01T09:00:00Z"}],"layers":["identity"],"keep":[{"layer":"identity","entity":"user","words":["Porto"]}],"kind":"positive","why":"home"}
{"id":"b","lang":"zh","turns":[{"role":"user","content":"你好","time":"2026-01-01T09:00:00Z"}],"layers":[],"keep":[],"kind":"negative","why":"greeting"}
`

func read(t *testing.T) []judge.Conversation {
	t.Helper()
	all, err := judge.Read(strings.NewReader(labels), strings.NewReader(`{"id":"a","layers":["context"]}`))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRun_Counts(t *testing.T) {
	open := func(layers ...storage.Layer) gatekeeper.Verdicts {
		v := gatekeeper.Verdicts{}
		for _, l := range layers {
			v[l] = gatekeeper.Verdict{ShouldExtract: true}
		}
		return v
	}
	run := func(_ context.Context, turns []conversation.Turn) (judge.Answer, error) {
		if turns[0].Content == "你好" {
			return judge.Answer{Verdicts: open(storage.Preference), Memories: []extract.Memory{{Layer: storage.Preference, Text: "你好"}}, GateCalled: true}, nil
		}
		return judge.Answer{Verdicts: open(storage.Identity, storage.Context, storage.Activity), Memories: []extract.Memory{{Layer: storage.Identity, Entity: "user", Text: "I live in porto."}}, GateCalled: true}, nil
	}
	r, err := judge.Run(t.Context(), read(t), run, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := r.All
	if f.Conversations != 2 || f.Negatives != 1 || f.FalseMemories != 1 || f.KeptWords != 1 || f.KeptEntites != 1 || f.GateCalls != 2 || f.ExtractorCalls != 4 {
		t.Errorf("counted %+v", f)
	}
	if c := f.Layers[storage.Identity]; c.F1(true) != 1 {
		t.Errorf("identity %+v", c)
	}
	if c := f.Layers[storage.Context]; c.Borderline != 1 || c.Wrong != 0 || c.Precision(true) != 0 {
		t.Errorf("context %+v", c)
	}
	if c := f.Layers[storage.Activity]; c.Wrong != 1 {
		t.Errorf("activity %+v", c)
	}
	if r.Languages["zh"].Conversations != 1 || f.Saved() != 0.6 {
		t.Errorf("zh %+v, saved %g", r.Languages["zh"], f.Saved())
	}
}

func TestRules_RunThroughThePipeline(t *testing.T) {
	r, err := judge.Run(t.Context(), read(t), judge.Rules(worth.Options{}, extract.Router{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.All.FalseMemories != 0 || r.All.KeptWords != 1 || r.All.GateCalls != 1 {
		t.Errorf("false %d, kept %d, gate calls %d", r.All.FalseMemories, r.All.KeptWords, r.All.GateCalls)
	}
}

func TestRead_SaysWhichLineIsWrong(t *testing.T) {
	if _, err := judge.Read(strings.NewReader("{}\nnonsense\n"), nil); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v, want an error about line 2", err)
	}
}
