package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-memory/vector"
)

// latencyFlags is the command line of memory-bench latency.
type latencyFlags struct {
	printing
	options latencyOptions
}

func newLatency() *cobra.Command {
	f := latencyFlags{}
	cmd := f.command("latency", "Measure start, remember, recall, memory and disk at several sizes", func(cmd *cobra.Command) (printable, error) {
		if !cmd.Flags().Changed("sizes") {
			f.options.sizes = f.defaultSizes()
		}
		if err := f.validate(); err != nil {
			return nil, err
		}
		r, err := measureLatency(cmd.Context(), f.options, cmd.ErrOrStderr())
		if err != nil {
			return nil, err
		}
		r.Machine = thisMachine(time.Now())
		if f.check {
			r.Limits = checkLimits(r)
		}
		return r, nil
	})
	f.register(cmd)
	return cmd
}

func (f *latencyFlags) register(cmd *cobra.Command) {
	flags, o := cmd.Flags(), &f.options
	flags.StringVar(&o.server, "server", "", "built mcp-memory `binary`; default: build this checkout's")
	flags.StringVar(&o.dir, "dir", "", "`folder` for the stores, on the disk to measure; default a temporary one")
	flags.StringVar(&o.stores, "stores", "", "`folder` where the stores are kept, filled, and measured again by the next run")
	flags.BoolVar(&o.words, "words", false, "measure words alone, on longer texts: the server runs without an embedder")
	flags.BoolVar(&o.standIns, "stand-ins", false, "for large stores: vectors that cost next to nothing, mixtures of the built-in model's, which a service on loopback gives to the server")
	flags.StringVar(&o.engine, "engine", "", "the server's setting vector_engine: auto, exact, hnsw or coder; a kept store loses its graph by exact and coder, which takes minutes to build again")
	flags.IntSliceVar(&o.sizes, "sizes", nil, "`numbers` of stored memories; default 1000,10000, with --words 100000 too (the vectors of 100000 take some ten minutes), with --stand-ins 500000")
	flags.IntVar(&o.remembers, "remembers", 200, "single remembers timed at each size")
	flags.IntVar(&o.recalls, "recalls", 300, "recalls timed at each size")
	flags.IntVar(&o.starts, "starts", 5, "starts timed at each size")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the synthetic memories and questions")
}

// defaultSizes are those that --check needs, and no more than take a minute.
func (f *latencyFlags) defaultSizes() []int {
	switch {
	case f.options.words:
		return wordSizes
	case f.options.standIns:
		return standInSizes
	}
	return vectorSizes
}

func (f *latencyFlags) validate() error {
	o := f.options
	if len(o.sizes) == 0 || slices.Min(o.sizes) < 1 || o.remembers < 1 || o.recalls < 1 || o.starts < 1 {
		return errors.New("--sizes, --remembers, --recalls and --starts must all be at least 1")
	}
	if o.dir != "" && o.stores != "" {
		return errors.New("--dir is for stores that go with the measurement, --stores for those that stay: give one of them")
	}
	if o.words && (o.standIns || o.engine != "") {
		return errors.New("--words is without vectors, --stand-ins and --engine say what they are and how they are searched: give one of them")
	}
	if o.engine != "" && !slices.Contains(vector.Engines(), o.engine) {
		return fmt.Errorf("--engine is %q; want %s", o.engine, strings.Join(vector.Engines(), ", "))
	}
	if !f.check {
		return nil
	}
	for _, size := range f.defaultSizes() {
		if !slices.Contains(o.sizes, size) {
			return fmt.Errorf("--check needs size %d among --sizes", size)
		}
	}
	return nil
}
