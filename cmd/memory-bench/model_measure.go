package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"mcp-memory/layers"
)

// modelTalks are short conversations that give every layer something to find.
//
//go:embed testdata/model.jsonl
var modelTalks []byte

// modelTalk is one of them.
type modelTalk struct {
	Name     string `json:"name"`
	Force    bool   `json:"force"`
	Messages []any  `json:"messages"`
}

func readModelTalks() (out []modelTalk, err error) {
	dec := json.NewDecoder(bytes.NewReader(modelTalks))
	for {
		var t modelTalk
		if err := dec.Decode(&t); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the conversations: %w", err)
		}
		out = append(out, t)
	}
}

// measureModel runs the conversations through a server of ours.
func measureModel(ctx context.Context, o modelOptions, progress io.Writer) (r modelReport, err error) {
	talks, err := readModelTalks()
	if err != nil {
		return r, err
	}
	dir, exe, remove, err := scratch(ctx, o.server)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	o.server = exe
	server, err := startChild(ctx, childOptions{exe: o.server, dir: filepath.Join(dir, "data"), log: "warn", env: o.environment(), stderr: os.Stderr})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	r.Model = o.model
	for i := range talks[:min(o.talks, len(talks))] {
		fmt.Fprintf(progress, "%s is extracted\n", talks[i].Name)
		if err := r.extract(ctx, server, &talks[i]); err != nil {
			return r, err
		}
	}
	fmt.Fprintln(progress, "vectors are made")
	if err := r.embedded(ctx, server, o.timeout); err != nil {
		return r, err
	}
	fmt.Fprintln(progress, "what is remembered is summed up")
	return r, r.summarise(ctx, server)
}

// environment is the settings of a server that asks the models.
func (o *modelOptions) environment() []string {
	env := []string{
		"MCP_MEMORY_LLM_BASE_URL=" + o.baseURL, "MCP_MEMORY_GATE_MODEL=" + o.model, "MCP_MEMORY_LAYER_MODEL=" + o.model,
		"MCP_MEMORY_LLM_API_KEY=" + o.key, "MCP_MEMORY_LLM_TIMEOUT=" + o.timeout.String(), "MCP_MEMORY_LLM_PARALLEL=" + strconv.Itoa(o.parallel),
	}
	if o.embedModel != "" {
		env = append(env, "MCP_MEMORY_EMBEDDER=openai", "MCP_MEMORY_EMBED_URL="+o.baseURL, "MCP_MEMORY_EMBED_MODEL="+o.embedModel, "MCP_MEMORY_EMBED_API_KEY="+o.key)
	}
	return env
}

// extract runs one conversation and reads its job.
func (r *modelReport) extract(ctx context.Context, server *child, t *modelTalk) error {
	var out layers.ExtractOutput
	if _, err := server.call(ctx, "extract", map[string]any{"messages": t.Messages, "source_id": t.Name, "force": t.Force}, &out); err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	var job layers.JobView
	if err := server.read(ctx, "memory://job/"+out.JobID, &job); err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	r.Jobs = append(r.Jobs, modelJob{Name: t.Name, Status: out.Status, Gate: out.Gate.Mode, Layers: out.Layers, Counts: out.Counts})
	for _, c := range job.Calls {
		r.Calls = append(r.Calls, modelCall{Job: t.Name, CallTrace: c})
	}
	return nil
}

// summarise asks for a summary, whose call is counted by the server alone.
func (r *modelReport) summarise(ctx context.Context, server *child) error {
	before, err := server.stats(ctx)
	if err != nil {
		return err
	}
	var out layers.RecallOutput
	took, err := server.call(ctx, "recall", map[string]any{"query": "What am I, and what do I prefer?", "format": "summary", "min_score": 0.0}, &out)
	if err != nil {
		return err
	}
	after, err := server.stats(ctx)
	if err != nil {
		return err
	}
	r.Summary = modelSummary{Matches: len(out.Matches), Calls: after.ModelCalls - before.ModelCalls, DurationMS: took.Milliseconds(), Note: out.Note}
	return nil
}

// embedPoll is how often the server is asked whether all vectors are made.
const embedPoll = 500 * time.Millisecond

// remembered is there to be embedded and summed up, whatever the models found.
var remembered = []string{"I am a nurse in Freiburg and sing alto in a choir.", "I prefer answers in bullet points."}

// embedded remembers something, and waits until every record has its vector, or it
// has been long. An embedder that fails is asked again by the server, for less at a
// time where it was too slow.
func (r *modelReport) embedded(ctx context.Context, server *child, patience time.Duration) error {
	var memories []any
	for _, text := range remembered {
		memories = append(memories, map[string]any{"text": text})
	}
	var answer rememberAnswer
	if _, err := server.call(ctx, "remember", map[string]any{"memories": memories}, &answer); err != nil {
		return err
	}
	for begin := time.Now(); ; {
		s, err := server.stats(ctx)
		if err != nil {
			return err
		}
		r.Embedding = modelEmbedding{Embedder: s.Embedder, Vectors: s.Vectors, Pending: s.Pending, Error: cmp.Or(s.EmbedderError, r.Embedding.Error)}
		if s.Pending == 0 || time.Since(begin) > patience {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(embedPoll):
		}
	}
}
