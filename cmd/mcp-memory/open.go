package main

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"mcp-memory/layers"
	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// memory is an open memory and the store below it.
type memory struct {
	*layers.Memory
	store storage.Store
	log   *slog.Logger
}

// lockWait is how long opening waits for another process to let go of the
// store: a call that waits for it still gets its answer when its client has
// closed the pipe, which leaves 1.5 s.
const lockWait = time.Second

// openMemory opens the store in the data folder and loads the memory from it.
// Errors: those of bunt.Open, storage.ErrLocked among them.
func openMemory(ctx context.Context, set settings, log *slog.Logger) (*memory, error) {
	store, err := bunt.Open(ctx, bunt.Options{Dir: set.Dir, Wait: lockWait, Log: log})
	if err != nil {
		return nil, err
	}
	mem, err := layers.Open(ctx, layers.Options{
		Store: store, UserName: set.UserName, Location: set.Location, Project: set.Project,
		UpcomingDays: set.UpcomingDays, Dir: set.Dir, Version: version(), Log: log,
	})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	debug.SetGCPercent(gcPercent) // not before: loading would collect all the time
	debug.FreeOSMemory()          // loading leaves as much garbage as it loads
	return &memory{Memory: mem, store: store, log: log}, nil
}

// gcPercent trades a little processor time for two fifths of the memory: what is
// kept is large and lives long, what a call leaves is small.
const gcPercent = 25

func (m *memory) close() error { return m.store.Close() }

// with opens the memory for one verb and closes it after. What a server notes
// at level info is noise to a person at a shell, so warnings are the least.
func (a *app) with(ctx context.Context, verb func(*memory) error) error {
	level := a.set.Log
	if level == slog.LevelInfo {
		level = slog.LevelWarn
	}
	mem, err := openMemory(ctx, a.set, a.newLogger(level))
	if err != nil {
		return err
	}
	return errors.Join(verb(mem), mem.close())
}
