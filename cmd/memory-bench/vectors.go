package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

// vectorsData is where texts for embeddings lie beside a checkout. Most of their
// licences keep them out of the repository.
var vectorsData = []string{"../shared/data/locomo", "../shared/data/stsb", "../shared/data/memorybank", "../shared/data/evercore-chats"}

// vectorsFlags is the command line of memory-bench vectors.
type vectorsFlags struct {
	printing
	options vectorsOptions
}

func newVectors() *cobra.Command {
	f := vectorsFlags{}
	cmd := f.command("vectors", "Measure the vector engines on real embeddings: recall, time, building, memory",
		func(cmd *cobra.Command) (printable, error) {
			if err := f.validate(cmd.Flags().Changed("data")); err != nil {
				return nil, err
			}
			r, err := measureVectors(cmd.Context(), f.options, cmd.ErrOrStderr())
			if err != nil {
				return nil, err
			}
			if f.check {
				r.Limits = checkVectors(&r)
			}
			return &r, nil
		})
	flags, o := cmd.Flags(), &f.options
	flags.IntSliceVar(&o.sizes, "sizes", []int{1_000, 10_000}, "`numbers` of vectors; 100000 embeds for some ten minutes the first time")
	flags.StringSliceVar(&o.data, "data", vectorsData, "`files` whose texts are embedded (.json, .jsonl, .csv, .txt: a text a line), or folders of the first three kinds")
	flags.StringVar(&o.vectors, "vectors", "", "`file` of vectors in place of --data: unit length, 384 float32 each, little endian")
	flags.StringVar(&o.queries, "queries", "", "`file` of the queries to --vectors, of the same form")
	return cmd
}

// validate refuses what cannot be measured. dataGiven: --data stands on the
// command line.
func (f *vectorsFlags) validate(dataGiven bool) error {
	o := f.options
	switch {
	case len(o.sizes) == 0 || slices.Min(o.sizes) < 1:
		return fmt.Errorf("--sizes is %v: want one or more numbers, each at least 1", o.sizes)
	case (o.vectors == "") != (o.queries == ""):
		return errors.New("--vectors and --queries go together: give both, or neither to embed the texts of --data")
	case o.vectors != "" && dataGiven:
		return errors.New("--vectors takes the place of --data: give one of them")
	case o.vectors == "" && len(o.data) == 0:
		return errors.New("--data is empty: name files or folders with texts")
	}
	return nil
}
