package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/storage/bunt"
)

// errNotReplaced ends a restore over a store that nobody confirmed.
var errNotReplaced = errors.New("nothing was changed; run it again with --yes to replace that store (it is kept aside)")

func newRestore(a *app) *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Go back to a backup; what was forgotten since stays forgotten",
		Long: "Restore verifies a backup and makes what it holds the memory, of all its users.\n" +
			"It needs an empty data directory or your word: the store that is there is then kept\n" +
			"aside, what was remembered since the backup is no longer there, and what was forgotten\n" +
			"since stays forgotten. No server may run. Vectors are made again as far as they are missing.",
		Args: takes(1, 1, "the file of a backup"),
		RunE: func(cmd *cobra.Command, words []string) error {
			restored, err := a.restore(cmd.Context(), words[0], yes)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(restored)
			}
			return a.newPage().restored(words[0], restored)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "replace the store that is there without asking")
	addJSON(cmd, &asJSON)
	return cmd
}

// restore asks where a store would be replaced.
func (a *app) restore(ctx context.Context, path string, yes bool) (bunt.Restored, error) {
	restored, err := bunt.Restore(ctx, a.storeOptions(), path, yes)
	if !errors.Is(err, bunt.ErrOccupied) {
		return restored, err
	}
	if agreed, askErr := a.agree(err); !agreed || askErr != nil {
		return bunt.Restored{}, errors.Join(err, errNotReplaced, askErr)
	}
	return bunt.Restore(ctx, a.storeOptions(), path, true)
}

// agree asks on the terminal whether to go on. Without one that is a no.
func (a *app) agree(why error) (bool, error) {
	if !isTerminal(a.stdin) {
		return false, nil
	}
	answer, err := a.ask("%v\nReplace it? It is kept aside. Type replace to go on: ", why)
	return answer == "replace", err
}

// restored shows what a restore did, and what that means.
func (p page) restored(path string, r bunt.Restored) error {
	lines := []string{
		p.green("restored") + "  " + path,
		p.dim(p.contents(r.Contents)),
	}
	if r.Replaced != "" {
		lines = append(lines, "The store that was there is kept as "+r.Replaced+"; what it held beyond the backup is no longer remembered.")
	}
	if r.Again > 0 {
		lines = append(lines, fmt.Sprintf("%s of the backup, forgotten since, stay forgotten.", count(r.Again, "record")))
	}
	if r.Tombstones > 0 {
		lines = append(lines, fmt.Sprintf("%s that came and were forgotten since leave their tombstones, so that they are not learned again.",
			count(r.Tombstones, "record")))
	}
	if r.OtherStore {
		lines = append(lines, p.yellow("The backup is of another store than the one that was there."))
	}
	if r.Replaced == "" {
		lines = append(lines, "What was forgotten or erased after the backup was made is remembered again: there was no store to tell what.")
	}
	return p.line("%s", strings.Join(lines, "\n"))
}
