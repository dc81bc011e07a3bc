package main

import (
	"fmt"
	"strings"

	"mcp-memory/layers"
	"mcp-memory/layers/gatekeeper"
)

// modelReport is what memory-bench model found.
type modelReport struct {
	Model     string         `json:"model"`
	Jobs      []modelJob     `json:"jobs"`
	Calls     []modelCall    `json:"calls"`
	Summary   modelSummary   `json:"summary"`
	Embedding modelEmbedding `json:"embedding"`
	Limits    []verdict      `json:"limits,omitempty"`
}

// modelJob is what became of a conversation.
type modelJob struct {
	Name   string                        `json:"name"`
	Status string                        `json:"status"`
	Gate   string                        `json:"gate"`
	Layers map[string]layers.LayerOutput `json:"layers"`
	Counts layers.ExtractCounts          `json:"counts"`
}

// modelCall is a call of a job.
type modelCall struct {
	Job string `json:"job"`
	layers.CallTrace
}

// modelSummary is the summary of what was found. Without a match no model is asked.
type modelSummary struct {
	Matches    int    `json:"matches"`
	Calls      int    `json:"calls"`
	DurationMS int64  `json:"duration_ms"`
	Note       string `json:"note"` // says where the model's was not used
}

// modelEmbedding is how the vectors stand.
type modelEmbedding struct {
	Embedder string `json:"embedder"`
	Vectors  int    `json:"vectors"`
	Pending  int    `json:"pending"`
	Error    string `json:"error"` // the last one that was met on the way
}

// checkModel holds the run to what the protocol promises.
func checkModel(r *modelReport) (out []verdict) {
	for _, role := range append([]string{"gate"}, modelLayers()...) {
		calls, answered := r.of(role)
		out = append(out, verdict{"calls of " + role + " that were answered ≥ 1", fmt.Sprintf("%d of %d", answered, calls), answered > 0})
	}
	failed := 0
	for _, j := range r.Jobs {
		if j.Status != layers.JobComplete && j.Status != layers.JobPartial {
			failed++
		}
	}
	return append(out,
		verdict{"jobs that failed = 0", fmt.Sprint(failed), failed == 0},
		verdict{"records without a vector = 0", fmt.Sprint(r.Embedding.Pending), r.Embedding.Pending == 0},
		verdict{"calls for a summary of what was found ≥ 1", fmt.Sprintf("%d, of %d matches", r.Summary.Calls, r.Summary.Matches), r.Summary.Calls > 0})
}

func modelLayers() (out []string) {
	for _, l := range gatekeeper.Layers {
		out = append(out, string(l))
	}
	return out
}

// of counts the calls of a role, and those without an error.
func (r *modelReport) of(role string) (calls, answered int) {
	for _, c := range r.Calls {
		if c.Role != role {
			continue
		}
		calls++
		if c.Error == "" {
			answered++
		}
	}
	return calls, answered
}

func (r *modelReport) verdicts() []verdict { return r.Limits }

// markdown renders the report as tables.
func (r *modelReport) markdown() string {
	var b strings.Builder
	b.WriteString("| conversation | call | model | ms | tokens in | out | error |\n|---|---|---|---:|---:|---:|---|\n")
	for _, c := range r.Calls {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d | %d | %s |\n", c.Job, c.Role, c.Model, c.DurationMS, c.Input, c.Output, c.Error)
	}
	b.WriteString("\n| conversation | job | gate | stored | dropped | layers |\n|---|---|---|---:|---:|---|\n")
	for _, j := range r.Jobs {
		var of []string
		for _, l := range modelLayers() {
			of = append(of, l+" "+j.Layers[l].Status)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d | %s |\n", j.Name, j.Status, j.Gate, j.Counts.Stored, j.Counts.Dropped, strings.Join(of, ", "))
	}
	fmt.Fprintf(&b, "\nSummary of %d matches: %d calls, %d ms. %s\n", r.Summary.Matches, r.Summary.Calls, r.Summary.DurationMS, r.Summary.Note)
	fmt.Fprintf(&b, "\nVectors by %s: %d made, %d pending. %s\n", r.Embedding.Embedder, r.Embedding.Vectors, r.Embedding.Pending, r.Embedding.Error)
	if len(r.Limits) > 0 {
		b.WriteString("\n" + limitsMarkdown(r.Limits))
	}
	return b.String()
}
