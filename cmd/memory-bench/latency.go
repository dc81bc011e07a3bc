package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

// errLimits is returned by --check when a limit does not hold.
var errLimits = errors.New("a limit does not hold")

// latencyFlags is the command line of memory-bench latency.
type latencyFlags struct {
	options     latencyOptions
	json, check bool
}

func newLatency() *cobra.Command {
	f := latencyFlags{}
	cmd := &cobra.Command{
		Use:   "latency",
		Short: "Measure start, remember, recall, memory and disk at several sizes",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.validate(); err != nil {
				return err
			}
			r, err := measureLatency(cmd.Context(), f.options, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			r.Machine = thisMachine(time.Now())
			return f.print(cmd.OutOrStdout(), r)
		},
	}
	f.register(cmd)
	return cmd
}

func (f *latencyFlags) register(cmd *cobra.Command) {
	flags, o := cmd.Flags(), &f.options
	flags.StringVar(&o.server, "server", "", "built mcp-memory `binary`; default: build this checkout's")
	flags.StringVar(&o.dir, "dir", "", "`folder` for the stores, on the disk to measure; default a temporary one")
	flags.IntSliceVar(&o.sizes, "sizes", []int{1_000, 10_000, 100_000}, "`numbers` of stored memories")
	flags.IntVar(&o.remembers, "remembers", 200, "single remembers timed at each size")
	flags.IntVar(&o.recalls, "recalls", 300, "recalls timed at each size")
	flags.IntVar(&o.starts, "starts", 5, "starts timed at each size")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the synthetic memories and questions")
	flags.BoolVar(&f.json, "json", false, "print JSON instead of a Markdown table")
	flags.BoolVar(&f.check, "check", false, "compare with the project's limits, exit 1 when one does not hold")
}

func (f *latencyFlags) validate() error {
	o := f.options
	if len(o.sizes) == 0 || slices.Min(o.sizes) < 1 || o.remembers < 1 || o.recalls < 1 || o.starts < 1 {
		return errors.New("--sizes, --remembers, --recalls and --starts must all be at least 1")
	}
	if !f.check {
		return nil
	}
	for _, size := range limitSizes {
		if !slices.Contains(o.sizes, size) {
			return fmt.Errorf("--check needs size %d among --sizes", size)
		}
	}
	return nil
}

// print writes the report, and with --check fails when a limit does not hold.
func (f *latencyFlags) print(w io.Writer, r report) error {
	if f.check {
		r.Limits = checkLimits(r)
	}
	if err := f.write(w, r); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if slices.ContainsFunc(r.Limits, func(l verdict) bool { return !l.Holds }) {
		return errLimits
	}
	return nil
}

func (f *latencyFlags) write(w io.Writer, r report) error {
	if !f.json {
		_, err := io.WriteString(w, r.markdown())
		return err
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(r)
}
