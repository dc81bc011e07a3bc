package layers

import (
	"time"

	"mcp-memory/layers/llm"
	"mcp-memory/storage"
)

// Kinds of work that models may be asked in.
const (
	WorkExtract = "extract"
	WorkSummary = "summary"
)

// Trace tells what one piece of work did and when, once it is over. It holds ids,
// counts and times, and nothing of what was said.
type Trace struct {
	Work       string // extract or summary
	ID         string // trace id: the job's, as W3C's Trace Context has it
	Job        string // "" for a summary, and so the fields down to Counts
	Status     string // of the job
	DryRun     bool
	Sampled    bool // the models are the calling client's
	Turns      int
	Start, End time.Time
	Gate       Step
	Layers     map[storage.Layer]Step // those that ran
	Counts     ExtractCounts
	Calls      []llm.Call // of models, each with this trace's id as its parent
}

// Step is a part of a job. One that was not taken begins never.
type Step struct {
	Outcome    string // the gate's mode, or a layer's status
	Model      string
	Start, End time.Time
}

// trace hands a trace to whoever asked for them.
func (m *Memory) trace(t *Trace) {
	if m.opts.Traced != nil {
		m.opts.Traced(*t)
	}
}

// traceJob hands over the trace of an extraction that ended.
func (r *extraction) traceJob(start time.Time, status string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trace(&Trace{
		Work: WorkExtract, ID: r.Trace, Job: r.ID, Status: status, DryRun: r.DryRun, Sampled: r.sampler != nil, Turns: len(r.turns), Start: start, End: time.Now(),
		Gate: r.gateStep, Layers: r.layerSteps, Counts: r.out.Counts, Calls: r.calls,
	})
}

// gated notes when the gate was asked.
func (r *extraction) gated(start time.Time) {
	g := &r.out.Gate
	end := time.Now()
	g.DurationMS = end.Sub(start).Milliseconds()
	r.gateStep = Step{Outcome: g.Mode, Model: g.Model, Start: start, End: end}
}

// layered notes when a layer was extracted. The caller holds mu.
func (r *extraction) layered(l storage.Layer, out *LayerOutput, start time.Time) {
	end := time.Now()
	out.DurationMS = end.Sub(start).Milliseconds()
	r.layerSteps[l] = Step{Outcome: out.Status, Model: out.Model, Start: start, End: end}
}
