package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mcp-memory/storage/bunt"
)

func newDoctor(a *app) *cobra.Command {
	var repair, asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check every file of the memory, also while a server runs",
		Long: "Doctor reads every file of the data directory to its end and changes none: the store, its\n" +
			"checksums and that its operations can be read; vectors and graphs against the records; the\n" +
			"backups; permissions, leftovers and disk space. Exit code 0: healthy, 1: not.\n\n" +
			"With --repair, while no server runs, it saves what can be read of a damaged store into a new\n" +
			"file, keeps the original beside it, lists what was lost, takes the rights of others away and\n" +
			"removes leftovers.",
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := a.checkUp(cmd.Context(), repair)
			if err != nil {
				return err
			}
			if asJSON {
				err = a.printJSON(found)
			} else {
				err = a.newPage().checkup(found)
			}
			return errors.Join(err, found.verdict())
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "mend what can be mended; no server may run")
	addJSON(cmd, &asJSON)
	return cmd
}

// checkup is what doctor found.
type checkup struct {
	Healthy   bool           `json:"healthy"`
	Dir       string         `json:"dir"`
	Holder    string         `json:"holder"`     // "" nobody has the store
	FreeBytes int64          `json:"free_bytes"` // of the disk; -1: unknown
	Store     *bunt.Contents `json:"store"`      // null where there is none that can be read
	Vectors   []vectorsFound `json:"vectors"`
	Backups   []bunt.Copy    `json:"backups"`
	Findings  []bunt.Finding `json:"findings"`
	Repaired  *bunt.Mended   `json:"repaired,omitempty"`
}

// checkUp mends, if that is asked for, and looks at everything.
func (a *app) checkUp(ctx context.Context, repair bool) (c checkup, err error) {
	o := a.storeOptions()
	if repair {
		mended, err := bunt.Repair(ctx, o, func(d *bunt.Diagnosis) error { return mendVectors(ctx, o.Dir, d) })
		if err != nil {
			return c, err
		}
		c.Repaired = &mended
	}
	d, err := bunt.Diagnose(ctx, o)
	if err != nil {
		return c, err
	}
	vectors, about, err := checkVectors(ctx, o.Dir, &d)
	if err != nil {
		return c, err
	}
	c.Dir, c.Holder, c.FreeBytes, c.Store = o.Dir, d.Holder, d.Free, d.Store
	c.Vectors, c.Backups = append([]vectorsFound{}, vectors...), append([]bunt.Copy{}, d.Backups...)
	c.Findings = append(append([]bunt.Finding{}, d.Findings...), about...)
	c.Healthy = c.problems() == 0
	return c, nil
}

func (c *checkup) problems() (n int) {
	for _, f := range c.Findings {
		if f.Severity != bunt.Note {
			n++
		}
	}
	return n
}

// verdict is an error where something is wrong.
func (c *checkup) verdict() error {
	if c.Healthy {
		return nil
	}
	return fmt.Errorf("%s in %s", count(c.problems(), "problem"), c.Dir)
}
