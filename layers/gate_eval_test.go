package layers_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mcp-memory/layers"
	"mcp-memory/layers/conversation"
	"mcp-memory/layers/llm"
)

// gateOf lets the layers through that are named.
func gateOf(open ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		verdicts := map[string]any{}
		for _, l := range []string{"activity", "context", "experience", "identity", "preference"} {
			verdicts[l] = map[string]any{"should_extract": false, "reasoning": "no"}
		}
		for _, l := range open {
			verdicts[l] = map[string]any{"should_extract": true, "reasoning": "yes"}
		}
		raw, _ := json.Marshal(verdicts) // strings and booleans
		answer(w, string(raw))
	}
}

const dialogue = "Ana: Hello there.\nAna: I'm allergic to lanolin."

func TestEvaluateGate_HoldsItAgainstAForcedRun(t *testing.T) {
	h := open(t)
	var layersAsked atomic.Int64
	models(t, h, gateOf("activity", "identity"), func(w http.ResponseWriter, r *http.Request) {
		layersAsked.Add(1)
		answer(w, `{"memories":[{"text":"Ana is allergic to lanolin.","entity":"Ana","turn":2,"quote":"I'm allergic to lanolin."}]}`)
	})
	r, err := h.EvaluateGate(t.Context(), user, []byte(dialogue))
	if err != nil {
		t.Fatal(err)
	}
	if r.Events != 1 || r.Turns != 2 || r.Gate != layers.GateModel || r.Model != "gate" || r.Calls != 2 || r.EveryCall != 5 || layersAsked.Load() != 5 {
		t.Fatalf("%+v, %d asked", r, layersAsked.Load())
	}
	right, missed := 0, 0
	for l, g := range r.Layers {
		if g.Right+g.Wrong+g.Missed+g.Shut+g.Unknown != 1 || g.Unknown > 0 {
			t.Errorf("%s: %+v", l, g)
		}
		right, missed = right+g.Right, missed+g.Missed
	}
	if right+missed == 0 || r.Layers["identity"].Missed+r.Layers["activity"].Missed > 0 {
		t.Errorf("%d right, %d missed", right, missed)
	}
	if r.Estimated || r.Tokens == 0 || r.EveryTokens <= 0 {
		t.Errorf("tokens %d of %d, estimated %v", r.Tokens, r.EveryTokens, r.Estimated)
	}
	if got := h.texts(); len(got) > 0 {
		t.Errorf("%q were stored", got)
	}
}

func TestEvaluateGate_AFailedExtractorSaysNothing(t *testing.T) {
	h := open(t)
	broken := func(w http.ResponseWriter, _ *http.Request) { answer(w, "I cannot help with that.") }
	models(t, h, broken, broken)
	r, err := h.EvaluateGate(t.Context(), user, []byte(dialogue))
	if err != nil || r.FailedOpen != 1 || r.Calls != 5 {
		t.Fatalf("%+v, %v", r, err)
	}
	for l, g := range r.Layers {
		if *g != (layers.LayerGate{Unknown: 1}) {
			t.Errorf("%s: %+v", l, g)
		}
	}
}

func TestEvaluateGate_CutsWhereAStreamsGateWakes(t *testing.T) {
	h := open(t)
	talk := strings.Repeat("Ana: The sky is grey.\n", 9) + "Bo: Remember that I prefer wool.\nBo: It rains."
	r, err := h.EvaluateGate(t.Context(), user, []byte(talk))
	if err != nil || r.Turns != 11 || r.Events != 3 { // eight turns, a telling word, the end
		t.Errorf("%+v, %v", r, err)
	}
	if !r.Estimated || r.Gate != layers.GateRules || r.EveryCall != 15 {
		t.Errorf("%+v", r)
	}
}

func TestEvaluateGate_RefusesWhatIsNoTranscript(t *testing.T) {
	h := open(t)
	if _, err := h.EvaluateGate(t.Context(), user, nil); !errors.Is(err, conversation.ErrNoMessages) {
		t.Errorf("of nothing: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.EvaluateGate(ctx, user, []byte(dialogue)); !errors.Is(err, context.Canceled) {
		t.Errorf("after its context ended: %v", err)
	}
}

func TestGateReport_AddsCountsAndRates(t *testing.T) {
	sum := layers.NewGateReport()
	for _, g := range []layers.LayerGate{{Right: 1, Wrong: 1}, {Right: 2, Missed: 1}} {
		one := layers.NewGateReport()
		one.Events, one.Calls, *one.Layers["identity"] = 1, 2, g
		sum.Add(&one)
	}
	if g := *sum.Layers["identity"]; sum.Events != 2 || sum.Calls != 4 || g.Precision != 0.75 || g.Recall != 0.75 || g.F1 != 0.75 {
		t.Errorf("%+v, %+v", sum, g)
	}
	if g := *sum.Layers["context"]; g.Precision != 0 || g.F1 != 0 {
		t.Errorf("of nothing: %+v", g)
	}
}

// traces gathers what a memory tells of its work.
type traces struct {
	mu  sync.Mutex
	all []layers.Trace
}

func (t *traces) take(one layers.Trace) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, one)
}

func TestTraced_TellsOfAJobAndItsParts(t *testing.T) {
	h := open(t)
	var heard traces
	h.opts.Traced = heard.take
	models(t, h, gateOf("identity"), nothing)
	out := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(allergic)})
	h.recalled(layers.RecallInput{Query: "lanolin", Format: layers.FormatSummary})
	if len(heard.all) != 1 {
		t.Fatalf("%d traces, want the job's: without a match nothing is summed up", len(heard.all))
	}
	job := heard.all[0]
	if job.Work != layers.WorkExtract || job.ID != out.TraceID || job.Job != out.JobID || job.Status != layers.JobComplete || job.Turns != 1 {
		t.Errorf("trace %+v", job)
	}
	if job.Gate.Outcome != layers.GateModel || job.Gate.Model != "gate" || job.Gate.Start.Before(job.Start) || job.Gate.End.After(job.End) {
		t.Errorf("gate %+v", job.Gate)
	}
	if step, ok := job.Layers["identity"]; len(job.Layers) != 1 || !ok || step.Outcome != layers.LayerExtracted || step.Start.Before(job.Gate.End) || step.End.After(job.End) {
		t.Errorf("layers %+v", job.Layers)
	}
	if len(job.Calls) != 2 || job.Calls[0].Role != llm.Gate || job.Calls[0].ParentTrace != job.ID || job.Calls[1].ParentTrace != job.ID {
		t.Errorf("calls %+v", job.Calls)
	}
}

func TestTraced_TellsOfASummary(t *testing.T) {
	h := open(t)
	h.say(layers.Memorandum{Text: "The loom is warped with linen."})
	var heard traces
	h.opts.Traced = heard.take
	models(t, h, nothing, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, `{"sentences":[{"text":"Linen is on the loom.","lines":[1]}]}`)
	})
	h.recalled(layers.RecallInput{Query: "loom", Format: layers.FormatSummary})
	if len(heard.all) != 1 || heard.all[0].Work != layers.WorkSummary || len(heard.all[0].Calls) != 1 || heard.all[0].Calls[0].ParentTrace != heard.all[0].ID || len(heard.all[0].ID) != 32 {
		t.Errorf("traces %+v", heard.all)
	}
}
