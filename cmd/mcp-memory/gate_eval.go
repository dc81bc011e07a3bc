package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"mcp-memory/layers"
	"mcp-memory/layers/gatekeeper"
)

// evaluated is what gate-eval found, over all transcripts and by each.
type evaluated struct {
	layers.GateReport
	Transcripts []evaluatedFile `json:"transcripts"`
}

// evaluatedFile is what it found of one.
type evaluatedFile struct {
	File string `json:"file"`
	layers.GateReport
}

func newGateEval(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "gate-eval TRANSCRIPT…",
		Short: "Compare what the gatekeeper lets through with what every extractor finds, on saved conversations",
		Long: `Read saved conversations as a stream: at each event (a telling word, trigger_turns
unread turns, the end) the gatekeeper is asked, and then every extractor whatever it
said. What the extractors find is taken for the truth: precision says how often a
layer that was opened held something, recall how much of what there was it let
through. Nothing is stored, and your memory is not looked at.

A transcript is JSON ({"messages":[…]}, a list of messages, or a message a line) or
text with lines such as "Anna: …"; "-" is standard input. Rules answer, or the models
that are set (gate_model, layer_model, …): then each event costs a call of the gate and
five of extractors. There is no client to ask: llm sampling is refused, and with llm
auto and no server that is named rules answer.`,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) == 0 {
				return usageError{errors.New("gate-eval needs a transcript: a file, or - for standard input")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, files []string) error { return a.gateEval(cmd.Context(), files, asJSON) },
	}
	addModelSettings(cmd.Flags())
	addJSON(cmd, &asJSON)
	return cmd
}

// gateEval works on a memory of its own, which is empty and goes afterwards. Every
// transcript is read before the first is worked on.
func (a *app) gateEval(ctx context.Context, files []string, asJSON bool) (err error) {
	if a.set.Extraction.LLM == llmSampling {
		return usageError{errors.New("llm sampling asks the model of the client that calls, and gate-eval has no client: give --llm openai with --llm-base-url, or --llm off for the rules")}
	}
	if named := a.set.Extraction.Unserved; named != "" {
		return usageError{fmt.Errorf("%s names a model, but no server is named: give --llm-base-url, or --llm off for the rules", named)}
	}
	transcripts := make([][]byte, len(files))
	for i, name := range files {
		if transcripts[i], err = a.readTranscript(name); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "mcp-memory-gate-eval-")
	if err != nil {
		return fmt.Errorf("make a folder to work in: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	a.set.Dir = dir
	out := evaluated{GateReport: layers.NewGateReport(), Transcripts: []evaluatedFile{}}
	if err := a.evaluate(ctx, files, transcripts, &out); err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(out)
	}
	return a.newPage().evaluated(&out)
}

// evaluate opens the memory in the set folder for the transcripts.
func (a *app) evaluate(ctx context.Context, files []string, transcripts [][]byte, out *evaluated) (err error) {
	mem, err := openMemory(ctx, a.set, forMeaning, nil, a.newLogger(max(a.set.Log, slog.LevelWarn)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mem.close()) }()
	for i, name := range files {
		r, err := mem.EvaluateGate(ctx, a.set.User, transcripts[i])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		out.Add(&r)
		out.Transcripts = append(out.Transcripts, evaluatedFile{name, r})
	}
	return nil
}

// maxTranscript bounds a transcript, in bytes.
const maxTranscript = 256 << 20

func (a *app) readTranscript(name string) ([]byte, error) {
	if name == "-" {
		return limitedTranscript(name, a.stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read a transcript: %w", err)
	}
	defer func() { _ = f.Close() }() // it was read
	return limitedTranscript(name, f)
}

func limitedTranscript(name string, from io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(from, maxTranscript+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read a transcript: %w", err)
	case len(raw) > maxTranscript:
		return nil, fmt.Errorf("%s is over %d MiB; split it", name, maxTranscript>>20)
	}
	return raw, nil
}

// evaluated prints a table of the layers, and what the gate saves.
func (p page) evaluated(e *evaluated) error {
	by := e.Gate
	if e.Model != "" {
		by += " (" + e.Model + ")"
	}
	if err := p.line("%s, %s, %s; the gate is asked by %s", count(len(e.Transcripts), "transcript"), count(e.Turns, "turn"), count(e.Events, "event"), by); err != nil {
		return err
	}
	var t table
	t.add(cell{text: "layer"}, cell{text: "right"}, cell{text: "wrong"}, cell{text: "missed"}, cell{text: "precision"}, cell{text: "recall"}, cell{text: "F1"})
	for _, l := range gatekeeper.Layers {
		g := e.Layers[string(l)]
		t.add(cell{text: string(l)}, number(g.Right), number(g.Wrong), number(g.Missed),
			rate(g.Precision, g.Right+g.Wrong), rate(g.Recall, g.Right+g.Missed), rate(g.F1, g.Right+g.Wrong+g.Missed))
	}
	if err := t.print(p.out); err != nil {
		return err
	}
	return p.savings(&e.GateReport)
}

func (p page) savings(r *layers.GateReport) error {
	estimate := ""
	if r.Estimated {
		estimate = " (an estimate: the turns alone)"
	}
	if err := p.line("extractor calls %d of %d; tokens %d of %d%s", r.Calls, r.EveryCall, r.Tokens, r.EveryTokens, estimate); err != nil {
		return err
	}
	unknown := 0
	for _, g := range r.Layers {
		unknown += g.Unknown
	}
	if unknown+r.FailedOpen == 0 {
		return nil
	}
	return p.line("%d times the gate failed and let all through; %d times an extractor failed, which counts for nothing", r.FailedOpen, unknown)
}

func number(n int) cell { return cell{text: fmt.Sprint(n)} }

// rate shows a share of something; of nothing it is none.
func rate(share float64, of int) cell {
	if of == 0 {
		return cell{text: "–"}
	}
	return cell{text: fmt.Sprintf("%.2f", share)}
}
