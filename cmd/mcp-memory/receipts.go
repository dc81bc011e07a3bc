package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/layers"
)

func newReceipts(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "receipts",
		Short: "List what was forgotten or erased when, and what was checked; never what it said",
		Args:  noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(t toolbox) error { return a.receipts(cmd.Context(), t, asJSON) })
		},
	}
	addJSON(cmd, &asJSON)
	return cmd
}

func (a *app) receipts(ctx context.Context, t toolbox, asJSON bool) error {
	all, err := t.Receipts(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(all)
	}
	return a.newPage().receipts(all)
}

// receipts prints a line for each receipt, the newest first.
func (p page) receipts(all []layers.ReceiptView) error {
	if len(all) == 0 {
		return p.line("%s", p.yellow("nothing was forgotten"))
	}
	var t table
	for _, r := range all {
		t.add(cell{r.ID, p.dim}, cell{text: p.time(r.At)}, cell{r.Mode, p.cyan}, cell{text: count(r.Count, "record")},
			cell{text: p.receiptState(r)})
	}
	return t.print(p.out)
}

// receipt prints one in full.
func (p page) receipt(r layers.ReceiptView) error {
	var t table
	for _, f := range [][2]string{
		{"receipt", r.ID}, {"at", p.time(r.At)}, {"mode", r.Mode}, {"state", p.receiptState(r)}, {"reason", oneLine(r.Reason)},
		{"done", p.time(r.DoneAt)}, {"checked", checked(r.Checked)}, {"not reached", oneLine(strings.Join(r.Unreached, "; "))},
		{"gone or moved", oneLine(strings.Join(r.Gone, "; "))}, {"records", strings.Join(r.Records, " ")},
	} {
		if f[1] != "" {
			t.add(cell{f[0], p.dim}, cell{text: f[1]})
		}
	}
	return t.print(p.out)
}

// receiptState says how it stands with a forget.
func (p page) receiptState(r layers.ReceiptView) string {
	switch {
	case r.Mode == layers.ModeErase && !r.Done:
		return "not carried out yet"
	case r.Mode == layers.ModeErase && r.Verified:
		return "verified: in no file any more"
	case r.Mode == layers.ModeErase:
		return "not verified: " + nonEmpty(", ", checked(r.Checked), oneLine(strings.Join(r.Unreached, "; ")))
	case r.Restored == r.Count:
		return "undone"
	case r.Restored > 0:
		return fmt.Sprintf("%d undone; ", r.Restored) + nonEmpty(", ", "undo until "+p.time(r.UndoUntil), oneLine(r.Reason))
	}
	return nonEmpty(", ", "undo until "+p.time(r.UndoUntil), oneLine(r.Reason))
}

// checked lists areas by name and whether they are clean.
func checked(areas map[string]bool) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(areas)) {
		state := "clean"
		if !areas[name] {
			state = "NOT CLEAN"
		}
		words = append(words, name+" "+state)
	}
	return strings.Join(words, ", ")
}
