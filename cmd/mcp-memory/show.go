package main

import (
	"context"

	"github.com/spf13/cobra"

	"mcp-memory/layers"
)

// recordReader is what show uses of a memory.
type recordReader interface {
	Record(ctx context.Context, user, id string) (layers.RecordView, error)
}

func newShow(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a record with all its fields and the history of its slot",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(mem *memory) error {
				return a.show(cmd.Context(), mem, args[0], asJSON)
			})
		},
	}
	addJSON(cmd, &asJSON)
	return cmd
}

func (a *app) show(ctx context.Context, mem recordReader, id string, asJSON bool) error {
	view, err := mem.Record(ctx, a.set.User, id)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(view)
	}
	return a.newPage().record(view)
}
