package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"mcp-memory/layers"
	"mcp-memory/layers/llm"
	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// memory is an open memory and what it stands on.
type memory struct {
	*layers.Memory
	store     storage.Store
	meaning   meaning
	models    *llm.Models // nil: none
	telemetry *telemetry  // nil: none
	log       *slog.Logger
}

// lockWait is how long opening waits for another process to let go of the
// store, where this process does not have it already: a call that waits for it
// still gets its answer when the process is told to end, which leaves 1.5 s.
const lockWait = time.Second

// purpose is what a memory is opened for.
type purpose int

const (
	forVerb    purpose = iota // of the command line
	forMeaning                // a verb that asks for vectors too
	forServing                // for long: jobs go on as well
)

// openMemory opens the store in the data folder and loads the memory from it,
// with or without what recall by meaning takes. hold is the hold on the folder;
// nil: it is taken. Errors: those of bunt.Open, storage.ErrLocked among them,
// and of an embedder that is not there.
func openMemory(ctx context.Context, set settings, why purpose, hold *bunt.Hold, log *slog.Logger) (*memory, error) {
	store, err := bunt.Open(ctx, bunt.Options{Dir: set.Dir, Wait: lockWait, Hold: hold, Log: log})
	if err != nil {
		return nil, err
	}
	var m meaning
	if why != forVerb { // after the store: who holds that is alone with the vectors
		if m, err = openMeaning(set, log); err != nil {
			return nil, errors.Join(fmt.Errorf("open the embedder: %w", err), store.Close())
		}
	}
	opts := layers.Options{
		Store: store, UserName: set.UserName, Location: set.Location, Project: set.Project,
		UpcomingDays: set.UpcomingDays, Retention: set.Retention, Dir: set.Dir, Version: version(), Log: log,
	}
	if !set.manyUsers() {
		opts.Named = set.User
	}
	m.options(&opts)
	models, err := set.Extraction.models()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the models: %w", err), m.close(), store.Close())
	}
	spans, err := openTelemetry(set.OTLPEndpoint, log)
	if err != nil {
		return nil, errors.Join(err, m.close(), store.Close())
	}
	spans.options(&opts)
	opened := &memory{store: store, meaning: m, models: models, telemetry: spans, log: log}
	opts.Serving = why == forServing
	opts.Models, opts.Sampling, opts.SingleCall = models, set.Extraction.Sampling, set.Extraction.SingleCall
	opts.WorkingTurns, opts.TriggerTurns = set.Extraction.WorkingTurns, set.Extraction.TriggerTurns
	opts.RouterEpisodic, opts.RouterSemantic = set.Extraction.RouterEpisodic, set.Extraction.RouterSemantic
	if opened.Memory, err = layers.Open(ctx, opts); err != nil {
		return nil, errors.Join(err, opened.release())
	}
	debug.SetGCPercent(gcPercent) // not before: loading would collect all the time
	debug.FreeOSMemory()          // loading leaves as much garbage as it loads
	return opened, nil
}

// gcPercent trades a little processor time for two fifths of the memory: what is
// kept is large and lives long, what a call leaves is small.
const gcPercent = 25

func (m *memory) close() error {
	return errors.Join(m.Memory.Close(), m.release())
}

// release lets go of what a memory stood on, once its jobs have ended.
func (m *memory) release() error {
	if m.models != nil {
		m.models.Close()
	}
	m.telemetry.close()
	return errors.Join(m.meaning.close(), m.store.Close())
}
