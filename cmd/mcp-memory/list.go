package main

import (
	"context"

	"github.com/spf13/cobra"

	"mcp-memory/layers"
	"mcp-memory/storage"
)

func newList(a *app) *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what is remembered, the newest first",
		Args:  noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			args := given(cmd.Flags(), filterArguments)
			return a.with(cmd.Context(), func(t toolbox) error {
				out, err := list(cmd.Context(), t, args, all)
				if err != nil {
					return err
				}
				if asJSON {
					return a.printJSON(out)
				}
				return a.newPage().listed(out)
			})
		},
	}
	addArguments(cmd.Flags(), filterArguments)
	cmd.Flags().BoolVar(&all, "all", false, "all of them, not only the first")
	addJSON(cmd, &asJSON)
	return cmd
}

// list is a recall without a query; all follows the cursor to the end. Naming
// every layer filters nothing, but tells recall that a list is wanted: without
// any filter it puts the profile before the newest.
func list(ctx context.Context, t toolbox, args map[string]any, all bool) (layers.RecallOutput, error) {
	if args["layers"] == nil {
		args["layers"] = storage.Layers
	}
	out, err := recall(ctx, t, args)
	for err == nil && all && out.NextCursor != "" {
		var next layers.RecallOutput
		args["cursor"] = out.NextCursor
		next, err = recall(ctx, t, args)
		out.Matches = append(out.Matches, next.Matches...)
		out.NextCursor, out.Note = next.NextCursor, next.Note
	}
	return out, err
}
