package main

import (
	"context"
	"fmt"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"

	"mcp-memory/layers"
)

func newHistory(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "history ENTITY [ATTRIBUTE] | ID",
		Short:   "Show how something changed over time, the oldest first",
		Example: "  mcp-memory history user 'favourite drink'",
		Args:    takes(1, 2, "an entity (user is you) and, where only one is wanted, an attribute; or the id of a record"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(t toolbox) error {
				view, err := a.history(cmd.Context(), t, args)
				if err != nil {
					return err
				}
				if asJSON {
					return a.printJSON(view)
				}
				return a.newPage().timeline(view)
			})
		},
	}
	addJSON(cmd, &asJSON)
	return cmd
}

func (a *app) history(ctx context.Context, t toolbox, args []string) (layers.TimelineView, error) {
	if _, err := ulid.ParseStrict(args[0]); err == nil && len(args) == 1 {
		return chainOf(ctx, t, args[0])
	}
	view, err := t.Timeline(ctx, args[0])
	if err != nil || len(args) == 1 {
		return view, err
	}
	return a.narrow(ctx, t, view, args[1])
}

// chainOf is the history of the slot that the record with the id is in.
func chainOf(ctx context.Context, t toolbox, id string) (layers.TimelineView, error) {
	view, err := t.Record(ctx, id)
	if err != nil {
		return layers.TimelineView{}, err
	}
	return layers.TimelineView{Entity: view.Record.Entity, Attributes: []layers.AttributeView{
		{Project: view.Record.Project, Attribute: view.Record.Attribute, Statements: view.Chain},
	}}, nil
}

// narrow keeps one attribute. What it is called in the store is asked of
// recall, which knows its synonyms.
func (a *app) narrow(ctx context.Context, t toolbox, view layers.TimelineView, attribute string) (layers.TimelineView, error) {
	found, err := recall(ctx, t, map[string]any{
		"entity": view.Entity, "attribute": attribute, "include_superseded": true, "limit": 1,
	})
	if err != nil {
		return view, err
	}
	kept := []layers.AttributeView{}
	for _, slot := range view.Attributes {
		if len(found.Matches) > 0 && slot.Attribute == found.Matches[0].Attribute {
			kept = append(kept, slot)
		}
	}
	if len(kept) == 0 {
		return view, fmt.Errorf("nothing is remembered about %q of %q", attribute, view.Entity)
	}
	view.Attributes = kept
	return view, nil
}
