package main

import "github.com/spf13/cobra"

func newMeaning() *cobra.Command {
	var p printing
	model, verbose := "", false
	cmd := &cobra.Command{
		Use:   "meaning",
		Short: "Measure recall of what shares no word with the question, and of nothing, in small stores",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := openCached(model)
			if err != nil {
				return err
			}
			r, err := measureMeaning(cmd.Context(), e)
			if err != nil {
				return err
			}
			if r.verbose = verbose; p.check {
				r.Limits = checkMeaning(&r)
			}
			return p.print(cmd.OutOrStdout(), &r)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&model, "embed-file", "", "model `file` in place of the built-in one")
	flags.BoolVar(&verbose, "verbose", false, "list the questions whose record is not the first")
	p.register(flags)
	return cmd
}
