package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-memory/storage/bunt/crashtest"
)

// crashFlags is the command line of memory-bench crash.
type crashFlags struct {
	printing
	images int
	seed   uint64
}

func newCrash() *cobra.Command {
	f := crashFlags{}
	cmd := f.command("crash", "Generate what crashes may leave of a store's files, and open it", func(cmd *cobra.Command) (printable, error) {
		r, err := f.measure(cmd.Context())
		return &r, err
	})
	cmd.Flags().IntVar(&f.images, "images", 1000, "how many to generate")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "of the first workload")
	return cmd
}

// crashReport is what became of the images.
type crashReport struct {
	crashtest.Report
	Workloads int       `json:"workloads"`
	Limits    []verdict `json:"limits,omitempty"`
}

const (
	crashSteps = 40 // operations of a workload
	crashEach  = 50 // images of it
)

func (f *crashFlags) measure(ctx context.Context) (r crashReport, err error) {
	if f.images < 1 {
		return r, errors.New("--images must be at least 1")
	}
	dir, err := os.MkdirTemp("", "memory-bench-crash-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for r.Images < f.images {
		w := crashtest.Workload{Seed: f.seed + uint64(r.Workloads), Steps: crashSteps, Faults: r.Workloads%2 == 1}
		report, err := crashOnce(ctx, w, filepath.Join(dir, fmt.Sprint(w.Seed)), min(crashEach, f.images-r.Images))
		if err != nil {
			return r, err
		}
		r.Add(report)
		r.Workloads++
	}
	if f.check {
		r.Limits = r.compare()
	}
	return r, nil
}

// crashOnce records a workload and checks images of it.
func crashOnce(ctx context.Context, w crashtest.Workload, dir string, images int) (report crashtest.Report, err error) {
	store := filepath.Join(dir, "store")
	if err := os.MkdirAll(store, 0o700); err != nil {
		return report, err
	}
	tape, err := w.Record(ctx, store, time.Time{})
	if err == nil {
		report, err = tape.Check(ctx, filepath.Join(dir, "images"), images, w.Seed)
	}
	return report, errors.Join(err, os.RemoveAll(dir))
}

func (r *crashReport) compare() []verdict {
	none := func(what string, n int) verdict { return verdict{what, fmt.Sprint(n), n == 0} }
	return []verdict{
		none("no store that does not open", r.Closed),
		none("nothing acknowledged is lost", r.Lost),
		none("no half operation", r.Half),
		none("nothing of a record whose content was gone", r.Leaked),
		none("every store takes the next operation and keeps it", r.Stuck),
		{"some images need a repair", fmt.Sprint(r.Salvaged), r.Salvaged > 0},
	}
}

func (r *crashReport) verdicts() []verdict { return r.Limits }

// markdown renders the report.
func (r *crashReport) markdown() string {
	var b strings.Builder
	b.WriteString("| | |\n|---|---:|\n")
	for _, row := range []struct {
		what string
		n    int
	}{
		{"workloads", r.Workloads},
		{"images", r.Images},
		{"that do not open", r.Closed},
		{"that lack something acknowledged", r.Lost},
		{"in a state that the store never was in", r.Half},
		{"that take no further operation", r.Stuck},
		{"that hold words of a record whose content was gone", r.Leaked},
		{"that opening repaired", r.Salvaged},
	} {
		fmt.Fprintf(&b, "| %s | %d |\n", row.what, row.n)
	}
	for _, failure := range r.Failures {
		fmt.Fprintf(&b, "\n- %s", failure)
	}
	if len(r.Limits) > 0 {
		b.WriteString("\n" + limitsMarkdown(r.Limits))
	}
	return b.String()
}
