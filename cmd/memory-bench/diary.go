package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"mcp-memory/layers"
	"mcp-memory/storage/bunt"
	"mcp-memory/vector/embed"
)

// diary is a memory over a real store, with a clock that the bench moves: what
// was said in 2023 is remembered in 2023.
type diary struct {
	*layers.Memory
	watch
	store *bunt.Store
}

// watch is the clock of a diary. What serves in the background reads it while the
// bench sets it.
type watch struct{ at atomic.Pointer[time.Time] }

func (w *watch) set(now time.Time) { w.at.Store(&now) }

func (w *watch) now() time.Time { return *w.at.Load() }

// openDiary opens a memory in dir. Nobody is its user by name; a nil embedder is
// none.
func openDiary(ctx context.Context, dir string, now time.Time, e embed.Embedder) (*diary, error) {
	return openDiaryWith(ctx, dir, now, layers.Options{Embedder: e})
}

// openDiaryWith is openDiary with settings of the memory's.
func openDiaryWith(ctx context.Context, dir string, now time.Time, o layers.Options) (*diary, error) {
	d := &diary{}
	d.set(now)
	var err error
	if d.store, err = bunt.Open(ctx, bunt.Options{Dir: dir, Clock: d.now}); err != nil {
		return nil, err
	}
	o.Store, o.Clock, o.Location = d.store, d.now, time.UTC
	if d.Memory, err = layers.Open(ctx, o); err != nil {
		return nil, errors.Join(err, d.store.Close())
	}
	return d, nil
}

// wordsAlone is the same memory without its vectors, as it stands now.
func (d *diary) wordsAlone(ctx context.Context) (*diary, error) {
	m, err := layers.Open(ctx, layers.Options{Store: d.store, Clock: d.now, Location: time.UTC})
	if err != nil {
		return nil, fmt.Errorf("open the memory without vectors: %w", err)
	}
	words := &diary{Memory: m, store: d.store}
	words.set(d.now())
	return words, nil
}

func (d *diary) close() error { return errors.Join(d.Close(), d.store.Close()) }

// afterwards is how long after its first turn a session is remembered, and
// nextDay how long after the last session questions are asked.
const (
	afterwards = time.Hour
	nextDay    = 24 * time.Hour
)

// write remembers memories in calls of the tool's most, and returns an answer
// for each.
func (d *diary) write(ctx context.Context, user string, memories []layers.Memorandum) ([]layers.Remembered, error) {
	var out []layers.Remembered
	for from := 0; from < len(memories); from += batch {
		in := layers.RememberInput{Memories: memories[from:min(from+batch, len(memories))], Batch: true}
		answer, err := d.Remember(ctx, user, in)
		if err != nil {
			return nil, fmt.Errorf("remember for %s: %w", user, err)
		}
		out = append(out, answer.Memories...)
	}
	return out, nil
}

// recallTries is how often a question is asked whose vector was not made in time.
const recallTries = 20

// Recall asks as the memory does, and again where the machine was too busy to embed
// the question in the time that recall has for it: what words alone find is no
// measure of both.
func (d *diary) Recall(ctx context.Context, user string, in layers.RecallInput) (layers.RecallOutput, error) {
	for range recallTries {
		out, err := d.Memory.Recall(ctx, user, in)
		if err != nil || !strings.Contains(out.Note, "the embedder did not answer within") {
			return out, err
		}
	}
	return layers.RecallOutput{}, fmt.Errorf("the question was not embedded in time, in %d tries", recallTries)
}

// ranked asks and returns the first n matches, from as many pages as they
// fill. A nil floor is the default one. Names are the ids that records go by.
func (d *diary) ranked(ctx context.Context, user, query string, floor *float64, n int, names map[string]string) ([]hit, error) {
	var out []hit
	in := layers.RecallInput{Query: query, Limit: &n, MinScore: floor}
	for {
		answer, err := d.Recall(ctx, user, in)
		if err != nil {
			return nil, fmt.Errorf("recall %q: %w", query, err)
		}
		for _, m := range answer.Matches {
			out = append(out, hit{names[m.ID], m.Raw})
		}
		if in.Cursor = answer.NextCursor; in.Cursor == "" || len(out) >= n {
			return out[:min(len(out), n)], nil
		}
	}
}
