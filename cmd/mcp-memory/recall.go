package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/layers"
)

// filterArguments narrow what recall and list look at.
var filterArguments = []argument{
	{name: "layers", flag: "layer", kind: listArg, usage: "only this `layer`"},
	{name: "tiers", flag: "tier", kind: listArg, usage: "only this `tier`: semantic or episodic"},
	{name: "entity", usage: "only what is about this; user is you"},
	{name: "attribute", usage: "only this attribute"},
	{name: "tags", flag: "tag", kind: listArg, usage: "only what has this `tag`; with several, all of them"},
	{name: "project", usage: "this project and what is personal; \"personal\": only that"},
	{name: "since", usage: "not before this time"},
	{name: "until", usage: "not after this time"},
	{name: "as_of", usage: "what was true then, by all that is known now"},
	{name: "known_at", usage: "what was known then"},
	{name: "include_superseded", kind: toggleArg, usage: "what was replaced or withdrawn too"},
	{name: "session_id", usage: "give the last turns of this conversation too"},
	{name: "limit", kind: integerArg, usage: "how many, 1 to 100 (default 10)"},
	{name: "cursor", usage: "go on where the last answer stopped"},
}

// recallArguments are those of recall alone.
var recallArguments = append([]argument{
	{name: "ids", flag: "id", kind: listArg, usage: "the record with this `id`, in whatever state"},
	{name: "min_score", kind: decimalArg, usage: "only hits of at least this score, 0 to 1"},
	{name: "max_tokens", kind: integerArg, usage: "how long the context may be"},
	{name: "format", usage: "items, context (to paste) or summary"},
	{name: "explain", kind: toggleArg, usage: "show why each hit is where it is"},
}, filterArguments...)

func newRecall(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "recall [QUERY…]",
		Short: "Find what is remembered; without a query, the profile and the latest",
		RunE: func(cmd *cobra.Command, words []string) error {
			args := given(cmd.Flags(), recallArguments)
			if len(words) > 0 {
				args["query"] = strings.Join(words, " ")
			}
			return a.withMeaning(cmd.Context(), func(t toolbox) error {
				out, err := recall(cmd.Context(), t, args)
				if err != nil {
					return err
				}
				if asJSON {
					return a.printJSON(out)
				}
				return a.newPage().recalled(out, toPaste(args))
			})
		},
	}
	addArguments(cmd.Flags(), recallArguments)
	addJSON(cmd, &asJSON)
	return cmd
}

func recall(ctx context.Context, t toolbox, args map[string]any) (layers.RecallOutput, error) {
	var out layers.RecallOutput
	return out, t.call(ctx, "recall", args, &out)
}

// toPaste reports whether the caller asked for one text rather than for hits.
func toPaste(args map[string]any) bool {
	format, given := args["format"]
	return args["max_tokens"] != nil || given && format != layers.FormatItems
}
