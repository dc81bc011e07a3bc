package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"mcp-memory/layers/extract"
	"mcp-memory/layers/gatekeeper/judge"
	"mcp-memory/layers/worth"
	"mcp-memory/vector/embed"
)

// gateFlags is the command line of memory-bench gate.
type gateFlags struct {
	printing
	labels   []string
	embedder string
	data     string
	talks    []int // places of conversations in data; empty: all
	locomo   bool  // LoCoMo alone
	cases    bool
}

func newGate() *cobra.Command {
	f := gateFlags{}
	cmd := f.command("gate", "Measure gatekeeper and extraction without a model on labelled conversations, and the trigger and what is recalled after extract on LoCoMo",
		func(cmd *cobra.Command) (printable, error) {
			r, err := f.measure(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
			return &r, err
		})
	flags := cmd.Flags()
	flags.StringSliceVar(&f.labels, "labels", nil, "`files` of labelled conversations; default the seen and unseen files of the checkout that this is run in")
	flags.StringVar(&f.embedder, "embedder", "builtin", "vectors for the classifier: `builtin`, or off for words alone")
	flags.StringVar(&f.data, "data", locomoData, "`file` of LoCoMo's conversations; empty: leave it out")
	flags.IntSliceVar(&f.talks, "conversations", nil, "`places` of LoCoMo's conversations, from 0, to measure; default all")
	flags.BoolVar(&f.locomo, "locomo", false, "measure LoCoMo alone, without the labelled conversations")
	flags.BoolVar(&f.cases, "cases", false, "show the conversations that were judged wrong; never those of an unseen file")
	return cmd
}

func (f *gateFlags) measure(ctx context.Context, out, progress io.Writer) (r gateReport, err error) {
	embedder, err := f.open()
	if err != nil {
		return r, err
	}
	files, err := f.files()
	if err != nil {
		return r, err
	}
	if err := f.checkable(files); err != nil {
		return r, err
	}
	options := worthOptions(ctx, embedder)
	for _, path := range files {
		file, err := f.judge(ctx, path, options, out)
		if err != nil {
			return r, err
		}
		r.Files = append(r.Files, file)
	}
	if f.data != "" {
		talks, err := chosenTalks(f.data, f.talks)
		if err != nil {
			return r, err
		}
		r.Trigger = measureTrigger(talks)
		if r.Recall, err = measureRecall(ctx, talks, embedder, progress); err != nil {
			return r, err
		}
	}
	if f.check {
		r.Limits = checkGate(&r)
	}
	return r, nil
}

// checkable refuses flags that leave nothing to measure, or nothing to check.
func (f *gateFlags) checkable(files []string) error {
	switch {
	case f.locomo && (f.data == "" || len(f.labels) > 0):
		return errors.New("--locomo measures LoCoMo alone: it needs --data, and goes without --labels")
	case f.check && !f.locomo && !slices.ContainsFunc(files, hidden):
		return fmt.Errorf("--check needs %s among --labels, or --locomo", unseen)
	}
	return nil
}

// open opens the embedder that is to be used; nil is none.
func (f *gateFlags) open() (embed.Embedder, error) {
	switch f.embedder {
	case "off":
		return nil, nil
	case "builtin":
		return openCached("")
	}
	return nil, fmt.Errorf("--embedder is %q, want builtin or off", f.embedder)
}

// worthOptions let the classifier use the embedder.
func worthOptions(ctx context.Context, e embed.Embedder) worth.Options {
	if e == nil {
		return worth.Options{}
	}
	return worth.Options{Model: e.Model(), Embed: func(texts []string) ([][]float32, error) {
		return e.Embed(ctx, embed.Passage, texts)
	}}
}

// files returns the files that were named, or those of the checkout.
func (f *gateFlags) files() ([]string, error) {
	if f.locomo {
		return nil, nil
	}
	if len(f.labels) > 0 {
		return f.labels, nil
	}
	dir := filepath.Join("layers", "gatekeeper", "testdata")
	seen, err := filepath.Glob(filepath.Join(dir, "seen*.jsonl"))
	if err != nil {
		return nil, err
	}
	unseen, err := filepath.Glob(filepath.Join(dir, "unseen*.jsonl"))
	return append(seen, unseen...), err
}

// hidden reports whether a file's conversations are shown to nobody.
func hidden(path string) bool {
	match, err := filepath.Match("unseen*.jsonl", filepath.Base(path))
	return err == nil && match
}

// judge runs the rules over a file.
func (f *gateFlags) judge(ctx context.Context, path string, o worth.Options, out io.Writer) (file gateFile, err error) {
	all, err := readConversations(path)
	if err != nil {
		return file, err
	}
	var each func(judge.Case)
	if f.cases && !hidden(path) {
		each = func(c judge.Case) { writeCase(out, &c) }
	}
	report, err := judge.Run(ctx, all, judge.Rules(o, extract.Router{}), each)
	if err != nil {
		return file, fmt.Errorf("%s: %w", path, err)
	}
	return gateFile{File: filepath.Base(path), Report: report}, nil
}

// readConversations reads a labelled file and the borderline labels beside it.
func readConversations(path string) ([]judge.Conversation, error) {
	labels, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read labelled conversations (--labels): %w", err)
	}
	defer func() { _ = labels.Close() }() // it was read
	borderline, err := os.Open(filepath.Join(filepath.Dir(path), "borderline.jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		return judge.Read(labels, nil)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = borderline.Close() }() // it was read
	all, err := judge.Read(labels, borderline)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}
