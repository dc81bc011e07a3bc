package main

import (
	"math"

	"github.com/spf13/cobra"

	"mcp-memory/layers"
)

func newUndo(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "undo ID|RECEIPT…",
		Short: "Take back a forget, or a record that replaced another",
		Args:  takes(1, math.MaxInt, "the id of a record or of a receipt"),
		RunE: func(cmd *cobra.Command, ids []string) error {
			args := map[string]any{"ids": toAny(ids), "undo": true}
			return a.with(cmd.Context(), func(t toolbox) error {
				var out layers.ForgetOutput
				if err := t.call(cmd.Context(), "forget", args, &out); err != nil {
					return err
				}
				if asJSON {
					return a.printJSON(out)
				}
				return a.newPage().undone(out)
			})
		},
	}
	addJSON(cmd, &asJSON)
	return cmd
}
