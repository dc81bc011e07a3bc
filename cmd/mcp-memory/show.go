package main

import (
	"context"

	"github.com/spf13/cobra"

	"mcp-memory/layers"
)

func newShow(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID|RECEIPT",
		Short: "Show a record with all its fields and the history of its slot, or a receipt",
		Args:  takes(1, 1, "the id of a record or of a receipt"),
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
		if receipt, known := t.receipt(ctx, id); known {
			return a.showReceipt(receipt, asJSON)
		}
	}
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(view)
	}
	return a.newPage().record(view)
}

func (a *app) showReceipt(r layers.ReceiptView, asJSON bool) error {
	if asJSON {
		return a.printJSON(r)
	}
	return a.newPage().receipt(r)
}
