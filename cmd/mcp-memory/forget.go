package main

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/layers"
)

// forgetArguments select what to forget; ids are given as words.
var forgetArguments = []argument{
	{name: "query", usage: "what holds all these words"},
	{name: "entity", usage: "what is about this; user is you"},
	{name: "attribute", usage: "with --entity: this attribute and its history"},
	{name: "tags", flag: "tag", kind: listArg, usage: "what has this `tag`"},
	{name: "source_id", usage: "what comes from this source"},
	{name: "layers", flag: "layer", kind: listArg, usage: "what is in this `layer`"},
	{name: "before", usage: "what was said before this time"},
	{name: "project", usage: "what belongs to this project"},
	{name: "all", kind: toggleArg, usage: "everything"},
	{name: "mode", usage: "soft: undoable for 30 days; erase: for good, out of every file (default soft)"},
	{name: "reason", usage: "why, for the record"},
}

// errNothingSelected names the selectors as the command line has them.
var errNothingSelected = usageError{errors.New("forget needs a selector: an ID, --query, --entity (with --attribute), --tag, --source-id, --layer, --before, --project or --all")}

// selects reports whether any of a forget's arguments says what is to go.
func selects(args map[string]any) bool {
	for name := range args {
		if name != "mode" && name != "reason" {
			return true
		}
	}
	return false
}

// errNotConfirmed ends a forget that nobody confirmed.
var errNotConfirmed = errors.New("nothing was forgotten; run it again with --yes")

func newForget(a *app) *cobra.Command {
	var opts forgetOptions
	cmd := &cobra.Command{
		Use:   "forget [ID…]",
		Short: "Forget records, after showing which (30 days to undo, or --mode erase)",
		RunE: func(cmd *cobra.Command, ids []string) error {
			args := given(cmd.Flags(), forgetArguments)
			if len(ids) > 0 {
				args["ids"] = toAny(ids)
			}
			if !selects(args) {
				return errNothingSelected
			}
			return a.with(cmd.Context(), func(t toolbox) error {
				return a.forget(cmd.Context(), t, args, opts)
			})
		},
	}
	addArguments(cmd.Flags(), forgetArguments)
	cmd.Flags().BoolVar(&opts.yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&opts.dryRun, "dry-run", false, "only show what would go")
	addJSON(cmd, &opts.asJSON)
	return cmd
}

type forgetOptions struct{ yes, dryRun, asJSON bool }

// forget shows what would go, asks, and runs it. The confirm token of a wide
// forget lives as long as the process, so asking and running are one command.
func (a *app) forget(ctx context.Context, t toolbox, args map[string]any, opts forgetOptions) error {
	var preview layers.ForgetOutput
	if err := t.call(ctx, "forget", withArgument(args, "dry_run", true), &preview); err != nil {
		return err
	}
	if opts.dryRun || preview.MatchedCount == 0 {
		return a.printForgotten(preview, opts.asJSON)
	}
	if !opts.yes {
		if err := a.confirm(preview, opts.asJSON); err != nil {
			return err
		}
	}
	out, err := runForget(ctx, t, args)
	if err != nil {
		return err
	}
	return a.printForgotten(out, opts.asJSON)
}

// runForget forgets, giving back the token where one is asked for.
func runForget(ctx context.Context, t toolbox, args map[string]any) (layers.ForgetOutput, error) {
	var out layers.ForgetOutput
	err := t.call(ctx, "forget", args, &out)
	if err != nil || out.Confirm == "" {
		return out, err
	}
	token := out.Confirm
	out = layers.ForgetOutput{}
	return out, t.call(ctx, "forget", withArgument(args, "confirm", token), &out)
}

func withArgument(args map[string]any, name string, value any) map[string]any {
	with := maps.Clone(args)
	with[name] = value
	return with
}

// confirm shows the preview and asks on the terminal. Without one, nobody can
// be asked: that is a no.
func (a *app) confirm(preview layers.ForgetOutput, asJSON bool) error {
	if err := a.printForgotten(preview, asJSON); err != nil {
		return err
	}
	if !isTerminal(a.stdin) {
		return errNotConfirmed
	}
	verb := "Forget"
	if preview.Mode == layers.ModeErase {
		verb = "Erase for good"
	}
	answer, err := a.ask("%s %s? [y/N] ", verb, count(preview.MatchedCount, "record"))
	if err != nil {
		return err
	}
	if word := strings.ToLower(answer); word != "y" && word != "yes" {
		return errNotConfirmed
	}
	return nil
}

func (a *app) printForgotten(out layers.ForgetOutput, asJSON bool) error {
	if asJSON {
		return a.printJSON(out)
	}
	return a.newPage().forgotten(out)
}
