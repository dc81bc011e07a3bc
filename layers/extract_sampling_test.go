package layers_test

import (
	"context"
	"strings"
	"testing"

	"mcp-memory/layers"
	"mcp-memory/layers/llm"
)

// asked is a client's model that says when it was asked, and answers once it may.
type asked struct {
	begun  chan struct{}
	answer chan struct{}
	text   string
}

func (a *asked) Model() string { return "house-model" }

func (a *asked) Call(ctx context.Context, _ llm.Request) (llm.Response, error) {
	select {
	case a.begun <- struct{}{}:
	default:
	}
	select {
	case <-a.answer:
		return llm.Response{Text: a.text, Model: "house-model"}, nil
	case <-ctx.Done():
		return llm.Response{}, ctx.Err()
	}
}

// What a restart takes from its client goes by rules, and says so.
func TestExtract_AResumedJobHasNoClientToAsk(t *testing.T) {
	h := open(t)
	model := &asked{begun: make(chan struct{}, 1), answer: make(chan struct{})}
	ended := make(chan error, 1)
	go func() {
		_, err := h.Extract(t.Context(), user, layers.ExtractInput{SourceID: "s", Messages: turns(allergic), Sampler: model})
		ended <- err
	}()
	<-model.begun
	h.stop()
	if err := <-ended; err == nil {
		t.Error("the call was answered though its job was interrupted")
	}
	h.start()
	yes := true
	out := h.extracts(layers.ExtractInput{JobID: h.jobs()[0], Wait: &yes})
	if out.Status != layers.JobComplete || out.Gate.Mode != layers.GateRules || out.Counts.Stored != 1 ||
		!strings.Contains(out.Gate.Layers["identity"].Reasoning, "by rules: the client that asked does not wait any more") {
		t.Errorf("%s, gate %+v, counts %+v", out.Status, out.Gate, out.Counts)
	}
}

// single_call makes one question of it.
func TestExtract_SamplingInASingleCall(t *testing.T) {
	h := open(t)
	h.opts.SingleCall, h.opts.Sampling = true, true
	h.restart()
	layer := `{"should_extract":false,"reasoning":"no","memories":[]}`
	model := &asked{begun: make(chan struct{}, 1), answer: make(chan struct{}), text: `{"activity":` + layer + `,"context":` + layer + `,"experience":` + layer + `,"preference":` + layer +
		`,"identity":{"should_extract":true,"reasoning":"yes","memories":[{"text":"The user is allergic to lanolin.","importance":4,"confidence":0.9,"entity":"user","attribute":"allergies","value":"lanolin","quote":"I'm allergic to lanolin."}]}}`}
	close(model.answer)
	out := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(allergic), Sampler: model})
	if out.Gate.Mode != layers.GateSingleCall || out.Gate.Model != "house-model" || out.Counts.ModelCalls != 1 || out.Counts.Stored != 1 || out.Status != layers.JobComplete {
		t.Errorf("%s, gate %s by %s, counts %+v", out.Status, out.Gate.Mode, out.Gate.Model, out.Counts)
	}
	if s := h.stats(); s.LLM != "sampling" {
		t.Errorf("stats say llm %s", s.LLM)
	}
}
