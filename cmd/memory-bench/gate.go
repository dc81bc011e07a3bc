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
	"mcp-memory/vector/embed/builtin"
)

// gateFlags is the command line of memory-bench gate.
type gateFlags struct {
	printing
	labels   []string
	embedder string
	data     string
	cases    bool
}

func newGate() *cobra.Command {
	f := gateFlags{}
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Measure gatekeeper and extraction without a model on labelled conversations, and the trigger on LoCoMo",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := f.measure(cmd.Context(), cmd.OutOrStdout())
			if err != nil {
				return err
			}
			return f.print(cmd.OutOrStdout(), &r)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.labels, "labels", nil, "`files` of labelled conversations; default the seen files and unseen.jsonl of the checkout that this is run in")
	flags.StringVar(&f.embedder, "embedder", "builtin", "vectors for the classifier: `builtin`, or off for words alone")
	flags.StringVar(&f.data, "data", locomoData, "`file` of LoCoMo's conversations; empty: leave the trigger out")
	flags.BoolVar(&f.cases, "cases", false, "show the conversations that were judged wrong; never those of an unseen file")
	f.register(flags)
	return cmd
}

func (f *gateFlags) measure(ctx context.Context, out io.Writer) (r gateReport, err error) {
	options, err := f.worth(ctx)
	if err != nil {
		return r, err
	}
	files, err := f.files()
	if err != nil {
		return r, err
	}
	if f.check && !slices.ContainsFunc(files, hidden) {
		return r, fmt.Errorf("--check needs %s among --labels", unseen)
	}
	for _, path := range files {
		file, err := f.judge(ctx, path, options, out)
		if err != nil {
			return r, err
		}
		r.Files = append(r.Files, file)
	}
	if f.data != "" {
		if r.Trigger, err = measureTrigger(f.data, options); err != nil {
			return r, err
		}
	}
	if f.check {
		r.Limits = checkGate(&r)
	}
	return r, nil
}

// worth opens the embedder that the classifier is to use.
func (f *gateFlags) worth(ctx context.Context) (worth.Options, error) {
	switch f.embedder {
	case "off":
		return worth.Options{}, nil
	case "builtin":
		e, err := builtin.New(builtin.Options{Parallel: 2})
		if err != nil {
			return worth.Options{}, err
		}
		return worth.Options{Model: e.Model(), Embed: func(texts []string) ([][]float32, error) {
			return e.Embed(ctx, embed.Passage, texts)
		}}, nil
	}
	return worth.Options{}, fmt.Errorf("--embedder is %q, want builtin or off", f.embedder)
}

// files returns the files that were named, or those of the checkout.
func (f *gateFlags) files() ([]string, error) {
	if len(f.labels) > 0 {
		return f.labels, nil
	}
	dir := filepath.Join("layers", "gatekeeper", "testdata")
	seen, err := filepath.Glob(filepath.Join(dir, "seen*.jsonl"))
	return append(seen, filepath.Join(dir, unseen)), err
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
