package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
	"mcp-memory/tools"
	"mcp-memory/tools/relay"
)

// closeWait bounds how long a stopping server waits for its store, so that it
// is gone 2 s after a signal, calls in flight included.
const closeWait = 400 * time.Millisecond

// newSeat is the process's place at the data directory. own makes it the owner.
func (a *app) newSeat(own func(context.Context) (relay.Owned, error), log *slog.Logger) *relay.Seat {
	return relay.NewSeat(relay.Options{Dir: a.set.Dir, Version: version(), Settings: a.set.hello(), Own: own, Log: log})
}

// owning makes the process the owner of the store for long. The memory is opened
// meanwhile, so that initialize waits for nothing.
func (a *app) owning(log *slog.Logger) func(context.Context) (relay.Owned, error) {
	return func(ctx context.Context) (relay.Owned, error) {
		owned, _, err := a.own(ctx, log)
		return owned, err
	}
}

// own is owning once. It returns the memory too.
func (a *app) own(ctx context.Context, log *slog.Logger) (relay.Owned, *opening, error) {
	hold, err := bunt.TakeHold(ctx, a.set.Dir, -1)
	if errors.Is(err, storage.ErrLocked) {
		return relay.Owned{}, nil, err
	} // without a hold for another reason every call tries again, and tells it
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	mem := &opening{log: log, voice: a.voice, open: func() (*memory, error) { return openMemory(life, a.set, forServing, hold, log) }}
	if _, err := mem.begin(); err != nil {
		stop()
		return relay.Owned{}, nil, err
	}
	owned := relay.Owned{
		Server: a.server(mem.ready, nil, log),
		Admit:  a.admit,
		Alone:  hold == nil,
		Close:  func() error { stop(); return handBack(mem, hold) },
	}
	if hold != nil {
		owned.Opened = mem.opened
	}
	return owned, mem, nil
}

// handBack closes the memory and lets go of the directory. What is still being
// opened keeps its hold until it is closed or the process ends, whichever is
// first: nobody else may write before. That is no error: nothing was asked of it.
func handBack(mem *opening, hold *bunt.Hold) error {
	err := mem.close(closeWait)
	opening := errors.Is(err, errOpening)
	switch {
	case opening && hold != nil:
		go func() {
			_ = mem.close(time.Hour) // whoever could be told is gone
			_ = hold.Release()
		}()
		return nil
	case opening:
		return nil
	case hold == nil:
		return err
	}
	return errors.Join(err, hold.Release())
}

// server is the MCP server over a memory, or, with away, over that of another
// process while there is one.
func (a *app) server(ready func(context.Context) (tools.Memory, error), away tools.Caller, log *slog.Logger) *server.MCPServer {
	return tools.NewServer(tools.Options{
		Version: version(), Ready: ready, Forward: away, Log: log, Reaches: a.set.Extraction.On,
		Sampling: a.set.Extraction.Sampling, SamplingWait: a.set.Extraction.Config.Default.Timeout,
	})
}

// owningBriefly makes the process the owner for one verb, which waits until the
// memory is open.
func (a *app) owningBriefly(why purpose, log *slog.Logger) func(context.Context) (relay.Owned, error) {
	return func(ctx context.Context) (relay.Owned, error) {
		hold, err := bunt.TakeHold(ctx, a.set.Dir, -1)
		if err != nil {
			return relay.Owned{}, err
		}
		mem, err := openMemory(ctx, a.set, why, hold, log)
		if err != nil {
			return relay.Owned{}, errors.Join(err, hold.Release())
		}
		ready := func(ctx context.Context) (tools.Memory, error) { return mem.For(ctx, a.voice(ctx)) }
		return relay.Owned{
			Server: a.server(ready, nil, log), Admit: a.admit, Alone: true,
			Close: func() error { return errors.Join(mem.close(), hold.Release()) },
		}, nil
	}
}

// with runs a verb on the memory: through the process that owns the store if
// there is one, else as its owner until the verb ends.
func (a *app) with(ctx context.Context, verb func(toolbox) error) error {
	return a.reach(ctx, forVerb, verb)
}

// withMeaning is with for a verb that asks for vectors too.
func (a *app) withMeaning(ctx context.Context, verb func(toolbox) error) error {
	return a.reach(ctx, forMeaning, verb)
}

// reach runs a verb. What a server notes at level info is noise to a person at a
// shell, so warnings are the least.
func (a *app) reach(ctx context.Context, why purpose, verb func(toolbox) error) error {
	level := a.set.Log
	if level == slog.LevelInfo {
		level = slog.LevelWarn
	}
	log := a.newLogger(level)
	seat := a.newSeat(a.owningBriefly(why, log), log)
	if _, err := seat.Take(ctx); err != nil {
		return err
	}
	client, err := seat.Client(ctx, a.set.User)
	if err != nil {
		return errors.Join(err, seat.Close())
	}
	err = verb(toolbox{client})
	client.Close()
	return errors.Join(err, seat.Close())
}
