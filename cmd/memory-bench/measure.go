package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// batch is how many memories a loading remember holds: the tool's most.
const batch = 100

// latencyOptions say what is measured. Counts are at least 1.
type latencyOptions struct {
	server, dir                string
	stores                     string // where filled stores are kept; empty: they go with the measurement
	words                      bool   // without an embedder
	standIns                   bool   // with vectors that cost nothing
	engine                     string // of vectors, as the server's setting has it; empty: its default
	sizes                      []int
	remembers, recalls, starts int
	seed                       uint64
}

// embedder is the server's setting.
func (o *latencyOptions) embedder() string {
	switch {
	case o.words:
		return "off"
	case o.standIns:
		return "openai"
	}
	return "builtin"
}

// length is that of the texts.
func (o *latencyOptions) length() length {
	if o.words {
		return proseLength
	}
	return shortLength
}

// measureLatency measures every size and tells progress about it.
//
// The single remembers come last and go round the sizes, each round with one
// baseline write: whatever else the disk does then slows all of them alike, so
// that their ratio means something on a noisy machine.
func measureLatency(ctx context.Context, o latencyOptions, progress io.Writer) (r report, err error) {
	dir, err := o.scratch()
	if err != nil {
		return report{}, fmt.Errorf("make a folder for the stores: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if o.server == "" {
		if o.server, err = buildServer(ctx, dir); err != nil {
			return report{}, err
		}
	}
	stores := dir
	if o.stores != "" {
		stores = o.stores
	}
	subjects, err := openSubjects(ctx, o, stores, progress)
	defer func() { err = errors.Join(err, stopAll(subjects)) }()
	if err != nil {
		return report{}, err
	}
	if r.Baseline, err = timeRemembers(ctx, subjects, dir, o.remembers); err != nil {
		return report{}, err
	}
	for _, s := range subjects {
		if err := s.finish(); err != nil {
			return report{}, err
		}
		r.Embedder, r.StandIns, r.Rows = s.embedder, s.standIns, append(r.Rows, s.row)
	}
	return r, nil
}

// scratch makes a folder that goes with the measurement, on the disk of the
// stores.
func (o *latencyOptions) scratch() (string, error) {
	at := o.dir
	if o.stores != "" {
		if err := os.MkdirAll(o.stores, 0o700); err != nil {
			return "", err
		}
		at = o.stores
	}
	return os.MkdirTemp(at, "memory-bench-")
}

// openSubjects loads and times every size. Those opened are returned also with
// an error.
func openSubjects(ctx context.Context, o latencyOptions, dir string, progress io.Writer) ([]*subject, error) {
	var subjects []*subject
	for _, size := range o.sizes {
		s := &subject{
			options: o, row: row{Size: size}, corpus: newCorpus(o.seed, size, o.length()),
			dir: filepath.Join(dir, fmt.Sprint(size)), progress: progress,
		}
		subjects = append(subjects, s)
		fmt.Fprintf(progress, "%d memories: loading", size)
		if err := s.open(ctx); err != nil {
			return subjects, fmt.Errorf("load %d memories: %w", size, err)
		}
		fmt.Fprintf(progress, " took %.1f s; starts and recalls", max(s.row.LoadSeconds, s.row.EmbedSeconds)+s.row.GraphSeconds)
		if err := s.timeReads(ctx); err != nil {
			return subjects, fmt.Errorf("measure %d memories: %w", size, err)
		}
		fmt.Fprintln(progress, " done")
	}
	return subjects, nil
}

// timeRemembers times single remembers of every subject, in turn, and returns
// the baseline of the same minutes.
func timeRemembers(ctx context.Context, subjects []*subject, dir string, rounds int) (quantiles, error) {
	plain, err := openBaseline(dir)
	if err != nil {
		return quantiles{}, err
	}
	var samples []time.Duration
	for range rounds {
		took, err := plain.once()
		if err != nil {
			return quantiles{}, errors.Join(err, plain.close())
		}
		samples = append(samples, took)
		for _, s := range subjects {
			if err := s.rememberOne(ctx); err != nil {
				return quantiles{}, errors.Join(err, plain.close())
			}
		}
	}
	return summarize(samples), plain.close()
}

func stopAll(subjects []*subject) error {
	var errs []error
	for _, s := range subjects {
		errs = append(errs, s.stop(), s.stopStandIns())
	}
	return errors.Join(errs...)
}
