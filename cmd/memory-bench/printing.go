package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
)

// errLimits is returned by --check when a limit does not hold.
var errLimits = errors.New("a limit does not hold")

// printing says how a report is shown, for every subcommand.
type printing struct {
	json, check bool
}

// command is a subcommand that measures and prints what that reports.
func (p *printing) command(name, short string, measure func(cmd *cobra.Command) (printable, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := measure(cmd)
			if err != nil {
				return err
			}
			return p.print(cmd.OutOrStdout(), r)
		},
	}
	cmd.Flags().BoolVar(&p.json, "json", false, "print JSON instead of Markdown tables")
	cmd.Flags().BoolVar(&p.check, "check", false, "compare with the project's limits, exit 1 when one does not hold")
	return cmd
}

// printable is a report that tells of the limits that it was compared with.
type printable interface {
	markdown() string
	verdicts() []verdict
}

// print writes a report; a limit that does not hold is an error after that.
func (p *printing) print(w io.Writer, r printable) error {
	if err := p.write(w, r); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if slices.ContainsFunc(r.verdicts(), func(l verdict) bool { return !l.Holds }) {
		return errLimits
	}
	return nil
}

func (p *printing) write(w io.Writer, r printable) error {
	if !p.json {
		_, err := io.WriteString(w, r.markdown())
		return err
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(r)
}
