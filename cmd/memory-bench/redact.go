package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

func newRedact() *cobra.Command {
	var p printing
	var server, corpus string
	cmd := p.command("redact", "Remember made-up secrets through the server and search all that it wrote", func(cmd *cobra.Command) (printable, error) {
		r, err := measureRedaction(cmd.Context(), server, corpus)
		if err != nil {
			return nil, err
		}
		if p.check {
			r.Limits = checkRedaction(&r)
		}
		return &r, nil
	})
	flags := cmd.Flags()
	flags.StringVar(&server, "server", "", "built mcp-memory `binary`; default: build this checkout's")
	flags.StringVar(&corpus, "corpus", filepath.Join("layers", "redact", "testdata"), "`folder` with positive.jsonl and negative.txt")
	return cmd
}

// checkRedaction compares a report with the limits: none of anything.
func checkRedaction(r *redactReport) []verdict {
	none := func(what string, n int) verdict {
		return verdict{"no " + what, fmt.Sprint(n), n == 0}
	}
	return []verdict{
		none("secret in any file of the data directory or in stderr", len(r.Leaks)),
		none("secret whose kind the answer does not name", len(r.Unnamed)),
		none("text without a secret that is changed", len(r.Touched)),
		{"every text with a secret left its mark", fmt.Sprintf("%d marks of %d texts", r.Marks, r.Positives), r.Marks >= r.Positives && r.Positives > 0},
	}
}

func (r *redactReport) verdicts() []verdict { return r.Limits }

// markdown renders the report.
func (r *redactReport) markdown() string {
	var b strings.Builder
	b.WriteString("| | |\n|---|---:|\n")
	for _, row := range []struct {
		what string
		n    int
	}{
		{"texts with a secret", r.Positives},
		{"of them in a file or in stderr", len(r.Leaks)},
		{"of them not named in the answer", len(r.Unnamed)},
		{"files searched, stderr among them", r.Files},
		{"their bytes", r.Bytes},
		{"marks of redaction in them", r.Marks},
		{"texts without a secret", r.Negatives},
		{"of them changed", len(r.Touched)},
	} {
		fmt.Fprintf(&b, "| %s | %d |\n", row.what, row.n)
	}
	for _, l := range r.Leaks {
		fmt.Fprintf(&b, "\n- in %s: %q", l.File, l.Text)
	}
	for _, text := range r.Unnamed {
		fmt.Fprintf(&b, "\n- not named: %q", text)
	}
	for _, text := range r.Touched {
		fmt.Fprintf(&b, "\n- changed: %q", text)
	}
	if len(r.Limits) > 0 {
		b.WriteString("\n" + limitsMarkdown(r.Limits))
	}
	return b.String()
}
