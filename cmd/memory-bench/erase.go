package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mcp-memory/layers"
	"mcp-memory/storage"
)

// eraseOptions say what is measured.
type eraseOptions struct {
	dir    string
	size   int
	erases int
	seed   uint64
}

func newErase() *cobra.Command {
	var o eraseOptions
	cmd := &cobra.Command{
		Use:   "erase",
		Short: "Measure how long other calls wait while one record is erased",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.size < 1 || o.erases < 1 {
				return errors.New("--size and --erases must be at least 1")
			}
			return measureErase(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.dir, "dir", "", "`folder` for the store, on the disk to measure; default a temporary one")
	flags.IntVar(&o.size, "size", 100_000, "stored memories")
	flags.IntVar(&o.erases, "erases", 5, "erases timed, one after another")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the synthetic memories")
	return cmd
}

// measureErase fills a store, then times recalls and remembers that two callers
// make without a pause: first alone, then while records are erased.
func measureErase(ctx context.Context, o eraseOptions, out io.Writer) (err error) {
	dir, err := os.MkdirTemp(o.dir, "memory-bench-erase-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d, err := openDiary(ctx, dir, time.Now(), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	corpus := newCorpus(o.seed, o.size, shortLength)
	ids, err := fillForErase(ctx, d, corpus, o.size)
	if err != nil {
		return err
	}
	alone, err := besideCalls(ctx, d, corpus, func() error { return wait(ctx, 3*time.Second) })
	if err != nil {
		return err
	}
	var took []time.Duration
	during, err := besideCalls(ctx, d, corpus, func() error {
		for i := range o.erases {
			start := time.Now()
			got, err := d.Forget(ctx, layers.DefaultUser, layers.ForgetInput{IDs: []string{ids[i*len(ids)/o.erases]}, Mode: layers.ModeErase})
			if err != nil || !got.Receipt.Verified {
				return fmt.Errorf("erase: %+v: %w", got.Receipt, err)
			}
			took = append(took, time.Since(start))
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d records, %d erases one after another, each verified: %s\n\n", o.size, o.erases, show(took))
	fmt.Fprintf(out, "| call | alone | during the erases |\n|---|---|---|\n")
	fmt.Fprintf(out, "| recall | %s | %s |\n| remember | %s | %s |\n", show(alone.recalls), show(during.recalls), show(alone.remembers), show(during.remembers))
	return nil
}

func show(samples []time.Duration) string {
	q := summarize(samples)
	return fmt.Sprintf("p50 %.1f, p95 %.1f, max %.1f ms of %d", q.P50, q.P95, q.Max, q.N)
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// fillForErase remembers the corpus and returns the ids of its records.
func fillForErase(ctx context.Context, d *diary, c *corpus, size int) (ids []string, err error) {
	for len(ids) < size {
		var in layers.RememberInput
		for range min(batch, size-len(ids)) {
			in.Memories = append(in.Memories, memorandum(c.next()))
		}
		out, err := d.Remember(ctx, layers.DefaultUser, in)
		if err != nil {
			return nil, err
		}
		for _, r := range out.Memories {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}

func memorandum(m memory) layers.Memorandum {
	out := layers.Memorandum{
		Text: m.Text, Layer: storage.Layer(m.Layer), Tier: storage.Tier(m.Tier), Entity: m.Entity, Attribute: m.Attribute, Value: m.Value,
		Tags: m.Tags, ObservedAt: m.ObservedAt,
	}
	if m.Project != "" {
		out.Project = &m.Project
	}
	return out
}

// waits are how long calls took.
type waits struct{ recalls, remembers []time.Duration }

// besideCalls runs work while two callers call without a pause.
func besideCalls(ctx context.Context, d *diary, c *corpus, work func() error) (waits, error) {
	ctx, stop := context.WithCancel(ctx)
	var w waits
	var callers sync.WaitGroup
	var recalling, remembering error
	callers.Go(func() {
		w.recalls, recalling = repeat(ctx, func() error {
			_, err := d.Recall(ctx, layers.DefaultUser, layers.RecallInput{Query: "what did the user say about the river"})
			return err
		})
	})
	callers.Go(func() {
		w.remembers, remembering = repeat(ctx, func() error {
			_, err := d.Remember(ctx, layers.DefaultUser, layers.RememberInput{Memories: []layers.Memorandum{memorandum(c.next())}})
			return err
		})
	})
	err := work()
	stop()
	callers.Wait()
	return w, errors.Join(err, recalling, remembering)
}

// repeat times calls until ctx ends.
func repeat(ctx context.Context, call func() error) (took []time.Duration, err error) {
	for ctx.Err() == nil {
		start := time.Now()
		if err := call(); err != nil {
			if ctx.Err() != nil {
				break
			}
			return took, err
		}
		took = append(took, time.Since(start))
	}
	return took, nil
}
