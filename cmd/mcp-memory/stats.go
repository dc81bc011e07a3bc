package main

import (
	"context"

	"github.com/spf13/cobra"

	"mcp-memory/layers"
)

// statsReader is what stats uses of a memory.
type statsReader interface {
	Stats(ctx context.Context, user string) (layers.StatsView, error)
}

func newStats(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count what is stored, and say where",
		Args:  noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withMeaning(cmd.Context(), func(mem *memory) error {
				return a.stats(cmd.Context(), mem, asJSON)
			})
		},
	}
	addJSON(cmd, &asJSON)
	return cmd
}

func (a *app) stats(ctx context.Context, mem statsReader, asJSON bool) error {
	view, err := mem.Stats(ctx, a.set.User)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(view)
	}
	return a.newPage().stats(view)
}
