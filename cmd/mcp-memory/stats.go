package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newStats(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count what is stored, and say where",
		Args:  noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withMeaning(cmd.Context(), func(t toolbox) error {
				return a.stats(cmd.Context(), t, asJSON)
			})
		},
	}
	addJSON(cmd, &asJSON)
	return cmd
}

func (a *app) stats(ctx context.Context, t toolbox, asJSON bool) error {
	view, err := t.Stats(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(view)
	}
	return a.newPage().stats(view)
}
