package main

import "github.com/spf13/cobra"

func newMeaning() *cobra.Command {
	var p printing
	model, verbose := "", false
	cmd := p.command("meaning", "Measure recall of what shares no word with the question, and of nothing, in small stores",
		func(cmd *cobra.Command) (printable, error) {
			e, err := openCached(model)
			if err != nil {
				return nil, err
			}
			r, err := measureMeaning(cmd.Context(), e)
			if err != nil {
				return nil, err
			}
			if r.verbose = verbose; p.check {
				r.Limits = checkMeaning(&r)
			}
			return &r, nil
		})
	flags := cmd.Flags()
	flags.StringVar(&model, "embed-file", "", "model `file` in place of the built-in one")
	flags.BoolVar(&verbose, "verbose", false, "list the questions whose record is not the first")
	return cmd
}
