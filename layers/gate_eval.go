package layers

import (
	"context"
	"fmt"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/layers/llm"
	"mcp-memory/storage"
)

// GateReport compares what the gate opens with what every extractor finds when it
// is not asked.
type GateReport struct {
	Gate       string                `json:"gate"` // rules or model
	Model      string                `json:"model"`
	Turns      int                   `json:"turns"`
	Events     int                   `json:"events"` // at which a stream's gate is asked
	FailedOpen int                   `json:"failed_open"`
	Layers     map[string]*LayerGate `json:"layers"`

	Calls       int  `json:"calls"`        // of extractors, behind the gate
	EveryCall   int  `json:"every_call"`   // of every extractor at every event
	Tokens      int  `json:"tokens"`       // of the gate and of the extractors behind it
	EveryTokens int  `json:"every_tokens"` // of every extractor
	Estimated   bool `json:"estimated"`    // without models: five of them, shown the turns alone
}

// LayerGate is the gate's answers for a layer, held against a forced run.
type LayerGate struct {
	Right   int `json:"right"`   // opened, and something was found
	Wrong   int `json:"wrong"`   // opened for nothing
	Missed  int `json:"missed"`  // shut, and something was found
	Shut    int `json:"shut"`    // rightly
	Unknown int `json:"unknown"` // the extractor failed: nothing can be said

	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// NewGateReport is of nothing yet.
func NewGateReport() GateReport {
	r := GateReport{Layers: map[string]*LayerGate{}}
	for _, l := range gatekeeper.Layers {
		r.Layers[string(l)] = &LayerGate{}
	}
	return r
}

// Add counts another report's events too.
func (r *GateReport) Add(o *GateReport) {
	r.Gate, r.Model = o.Gate, o.Model
	r.Turns += o.Turns
	r.Events += o.Events
	r.FailedOpen += o.FailedOpen
	r.Calls += o.Calls
	r.EveryCall += o.EveryCall
	r.Tokens += o.Tokens
	r.EveryTokens += o.EveryTokens
	r.Estimated = r.Estimated || o.Estimated
	for l, of := range o.Layers {
		n := r.Layers[l]
		n.Right += of.Right
		n.Wrong += of.Wrong
		n.Missed += of.Missed
		n.Shut += of.Shut
		n.Unknown += of.Unknown
		n.rates()
	}
}

func (g *LayerGate) rates() {
	g.Precision = part(g.Right, g.Right+g.Wrong)
	g.Recall = part(g.Right, g.Right+g.Missed)
	g.F1 = part(2*g.Right, 2*g.Right+g.Wrong+g.Missed)
}

func part(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// EvaluateGate reads a saved conversation as a stream would, and at each event asks
// the gate and, whatever it says, every extractor. Nothing is stored. An error is
// the transcript's, or that ctx ended.
func (m *Memory) EvaluateGate(ctx context.Context, user string, transcript []byte) (GateReport, error) {
	r := NewGateReport()
	if m.opts.SingleCall {
		return r, invalid("single_call", "is set: gate and extraction are one call, there is no gate to compare")
	}
	turns, err := conversation.ParseTranscript(transcript, m.opts.Location)
	if err != nil {
		return r, fmt.Errorf("read the transcript: %w", err)
	}
	r.Turns = len(turns)
	for _, window := range m.events(turns) {
		if err := m.evaluateEvent(ctx, user, window, &r); err != nil {
			return r, err
		}
	}
	for _, l := range r.Layers {
		l.rates()
	}
	return r, nil
}

// events cuts turns where a stream's gate wakes; the end is one.
func (m *Memory) events(turns []conversation.Turn) (out [][]conversation.Turn) {
	from := 0
	for i := range turns {
		_, telling := conversation.Event(turns[i : i+1])
		if telling || i+1-from >= m.opts.TriggerTurns || i+1 == len(turns) {
			out = append(out, turns[from:i+1])
			from = i + 1
		}
	}
	return out
}

// evaluateEvent asks the gate about some turns, and then every extractor.
func (m *Memory) evaluateEvent(ctx context.Context, user string, turns []conversation.Turn, r *GateReport) error {
	asked, err := m.dryExtraction(ctx, user, turns, false)
	if err != nil {
		return err
	}
	asked.gate(ctx)
	forced, err := m.dryExtraction(ctx, user, turns, true)
	if err != nil {
		return err
	}
	forced.decide(ctx)
	forced.listFound()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("evaluate the gate: %w", err)
	}
	r.event(asked, forced)
	return nil
}

// dryExtraction reads turns for a run that stores nothing.
func (m *Memory) dryExtraction(ctx context.Context, user string, turns []conversation.Turn, force bool) (*extraction, error) {
	t := &task{User: user, Source: defaultSource, Layers: gatekeeper.Layers, DryRun: true, Force: force, Begun: m.now(), turns: append([]conversation.Turn(nil), turns...)}
	m.finishTurns(t)
	var err error
	if t.ID, err = m.taskID(); err != nil {
		return nil, err
	}
	if t.Trace, err = newTrace(); err != nil {
		return nil, err
	}
	r := m.newExtraction(t)
	r.read(ctx)
	return r, nil
}

// listFound fills the layers with the texts of what was found and is worth a record,
// known or not: what a layer holds does not depend on what is remembered.
func (r *extraction) listFound() {
	r.status()
	for _, l := range gatekeeper.Layers {
		out := r.out.Layers[string(l)]
		for i := range r.found[l] {
			if _, _, ok := r.router().Record(&r.found[l][i]); ok {
				out.Memories = append(out.Memories, r.found[l][i].Text)
			}
		}
		r.out.Layers[string(l)] = out
	}
}

// event counts one event.
func (r *GateReport) event(asked, forced *extraction) {
	r.Events++
	r.Gate, r.Model = asked.out.Gate.Mode, asked.out.Gate.Model
	if r.Gate == GateFailedOpen {
		r.FailedOpen++
		r.Gate = GateModel
	}
	shown := 0
	for _, turn := range forced.turns {
		shown += llm.CountTokens(turn.Content)
	}
	for _, c := range asked.calls {
		r.Tokens += c.Input + c.Output
	}
	for _, l := range gatekeeper.Layers {
		open, tokens := asked.out.Gate.Layers[string(l)].ShouldExtract, forced.tokens(l)
		if forced.caller(llm.Role(l)) == nil {
			tokens, r.Estimated = shown, true
		}
		r.EveryCall++
		r.EveryTokens += tokens
		if open {
			r.Calls++
			r.Tokens += tokens
		}
		r.Layers[string(l)].count(open, forced.out.Layers[string(l)])
	}
}

// tokens are those of a layer's calls.
func (r *extraction) tokens(l storage.Layer) (sum int) {
	for _, c := range r.calls {
		if c.Role == llm.Role(l) {
			sum += c.Input + c.Output
		}
	}
	return sum
}

func (g *LayerGate) count(open bool, found LayerOutput) {
	switch {
	case found.Status == LayerError:
		g.Unknown++
	case open && len(found.Memories) > 0:
		g.Right++
	case open:
		g.Wrong++
	case len(found.Memories) > 0:
		g.Missed++
	default:
		g.Shut++
	}
}
