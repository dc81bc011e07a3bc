package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"mcp-memory/layers"
	"mcp-memory/storage"
	"mcp-memory/tools"
)

// opening opens the memory beside a server that already answers. What could
// not be opened (another process held it) is tried again at the next call.
type opening struct {
	open func() (*memory, error)
	log  *slog.Logger
	// voice is whose calls a context's are.
	voice func(context.Context) layers.Voice

	mu     sync.Mutex // guards last and closed
	last   *attempt
	closed bool
}

// attempt is one try at opening. mem and err are set before done is closed.
type attempt struct {
	done chan struct{}
	mem  *memory
	err  error
}

// errStopping answers calls that arrive while the server stops.
var errStopping = errors.New("the server is stopping")

// ready waits for the memory to be open. It is tools.Options.Ready.
func (o *opening) ready(ctx context.Context) (tools.Memory, error) {
	at, err := o.begin()
	if err != nil {
		return nil, err
	}
	select {
	case <-at.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if at.err != nil {
		return nil, at.err
	}
	return at.mem.For(ctx, o.voice(ctx))
}

// opened waits for an attempt, and starts one if the last has failed. A damaged
// file is no error here: it is damaged for every process. It is
// relay.Owned.Opened.
func (o *opening) opened() error {
	at, err := o.begin()
	if err != nil {
		return err
	}
	<-at.done
	if errors.Is(at.err, storage.ErrCorrupt) {
		return nil
	}
	return at.err
}

// begin returns the attempt that runs or has succeeded, else starts one.
func (o *opening) begin() (*attempt, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, errStopping
	}
	if o.last == nil || o.last.failed() {
		o.last = &attempt{done: make(chan struct{})}
		go o.try(o.last)
	}
	return o.last, nil
}

func (o *opening) try(at *attempt) {
	defer close(at.done)
	start := time.Now()
	at.mem, at.err = o.open()
	if at.err != nil {
		if !errors.Is(at.err, context.Canceled) { // the process ends
			o.log.Warn("memory is not open; the next call tries again", keyError, at.err)
		}
		return
	}
	o.log.Info("memory is open", keyDuration, time.Since(start).Milliseconds())
}

func (at *attempt) failed() bool {
	select {
	case <-at.done:
		return at.err != nil
	default:
		return false
	}
}

// errOpening says that a memory was still being opened when it was to be closed.
var errOpening = errors.New("close memory: it was still being opened")

// close releases the memory. It waits for an attempt that runs, but no longer
// than wait: what is still held then goes with the process. Error: errOpening.
func (o *opening) close(wait time.Duration) error {
	o.mu.Lock()
	o.closed = true
	at := o.last
	o.mu.Unlock()
	if at == nil {
		return nil
	}
	select {
	case <-at.done:
	case <-time.After(wait):
		return errOpening
	}
	if at.mem == nil {
		return nil
	}
	return at.mem.close()
}
