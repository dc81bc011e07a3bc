package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newShow(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a record with all its fields and the history of its slot",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(t toolbox) error {
				return a.show(cmd.Context(), t, args[0], asJSON)
			})
		},
	}
	addJSON(cmd, &asJSON)
	return cmd
}

func (a *app) show(ctx context.Context, t toolbox, id string, asJSON bool) error {
	view, err := t.Record(ctx, id)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(view)
	}
	return a.newPage().record(view)
}
