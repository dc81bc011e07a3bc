package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
)

// structureFlags is the command line of memory-bench structure.
type structureFlags struct {
	printing
	labels  []string
	data    string
	locomo  int
	verbose bool
}

func newStructure() *cobra.Command {
	f := structureFlags{}
	cmd := f.command("structure", "Measure the structurer on labelled sentences and on LoCoMo's turns", func(cmd *cobra.Command) (printable, error) {
		r, err := f.measure(cmd.Context())
		return &r, err
	})
	flags := cmd.Flags()
	flags.StringSliceVar(&f.labels, "labels", nil, "`files` of labelled sentences; default seen.jsonl, seen_ja.jsonl and unseen.jsonl of the checkout that this is run in")
	flags.StringVar(&f.data, "data", locomoData, "`file` of LoCoMo's conversations")
	flags.IntVar(&f.locomo, "locomo", 0, "remember the first `n` turns of LoCoMo as bare sentences and list what superseded what")
	flags.BoolVar(&f.verbose, "verbose", false, "show the sentences that were read wrong; those of unseen.jsonl only where --labels names it")
	return cmd
}

func (f *structureFlags) measure(ctx context.Context) (r structureReport, err error) {
	files := labelFiles(f.labels)
	if f.check && !slices.ContainsFunc(files, func(l labelFile) bool { return filepath.Base(l.path) == unseen }) {
		return r, fmt.Errorf("--check needs %s among --labels", unseen)
	}
	if f.locomo < 0 {
		return r, errors.New("--locomo must be at least 0")
	}
	for _, file := range files {
		judged, err := judgeLabels(file, f.verbose)
		if err != nil {
			return r, err
		}
		r.Files = append(r.Files, judged)
	}
	if f.locomo > 0 {
		if r.Locomo, err = f.bare(ctx); err != nil {
			return r, err
		}
	}
	if f.check {
		r.Limits = checkStructure(&r)
	}
	return r, nil
}

func (f *structureFlags) bare(ctx context.Context) (*bareReport, error) {
	talks, err := readTalks(f.data)
	if err != nil {
		return nil, err
	}
	r, err := rememberBare(ctx, talks, f.locomo)
	if err != nil {
		return nil, fmt.Errorf("remember LoCoMo's turns: %w", err)
	}
	return &r, nil
}
