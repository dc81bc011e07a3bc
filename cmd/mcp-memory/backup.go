package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"mcp-memory/storage/bunt"
)

func newBackup(a *app) *cobra.Command {
	var check string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "backup [FILE|FOLDER]",
		Short: "Write all memories of all users into one file, also while a server runs",
		Args:  takes(0, 1, "a file or a folder"),
		RunE: func(cmd *cobra.Command, words []string) error {
			if check != "" {
				if err := noWords(cmd, words); err != nil {
					return err
				}
				return a.verifyBackup(cmd.Context(), check, asJSON)
			}
			var path string
			if len(words) > 0 {
				path = words[0]
			}
			return a.backup(cmd.Context(), path, asJSON)
		},
	}
	cmd.Flags().StringVar(&check, "verify", "", "write nothing, but read this `file` and check its seal and every checksum")
	addJSON(cmd, &asJSON)
	return cmd
}

// savedBackup is what backup and backup --verify answer.
type savedBackup struct {
	Path string `json:"path"`
	bunt.Contents
}

func (a *app) backup(ctx context.Context, path string, asJSON bool) error {
	path, found, err := bunt.Backup(ctx, a.storeOptions(), path)
	if err != nil {
		return err
	}
	return a.printBackup("saved", savedBackup{path, found}, asJSON)
}

func (a *app) verifyBackup(ctx context.Context, path string, asJSON bool) error {
	found, err := bunt.Verify(ctx, path)
	if err != nil {
		return err
	}
	return a.printBackup("sound", savedBackup{path, found}, asJSON)
}

func (a *app) printBackup(word string, saved savedBackup, asJSON bool) error {
	if asJSON {
		return a.printJSON(saved)
	}
	return a.newPage().backup(word, saved)
}

// backup shows a backup: "saved  /path" and what is in it.
func (p page) backup(word string, saved savedBackup) error {
	if err := p.line("%s  %s", p.green(word), saved.Path); err != nil {
		return err
	}
	return p.line("%s", p.dim(p.contents(saved.Contents)))
}

// contents shows what a file holds: "12 records of 2 users in 14 operations, the
// last on …".
func (p page) contents(c bunt.Contents) string {
	text := fmt.Sprintf("%s of %s in %s", count(c.Records, "record"), count(c.Users, "user"), count(c.Operations, "operation"))
	if c.Forgotten > 0 {
		text += fmt.Sprintf(", %d of them forgotten", c.Forgotten)
	}
	if !c.Last.IsZero() {
		text += ", the last on " + p.time(c.Last.Format(time.RFC3339))
	}
	return fmt.Sprintf("%s; %d bytes, format version %d", text, c.Bytes, c.Version)
}

// storeOptions are those of a verb that works on the store's files.
func (a *app) storeOptions() bunt.Options {
	return bunt.Options{Dir: a.set.Dir, Wait: lockWait, Log: a.newLogger(max(a.set.Log, slog.LevelWarn))}
}
