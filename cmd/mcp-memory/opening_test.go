package main

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"mcp-memory/layers"
	"mcp-memory/storage"
)

// closeWaitTest bounds waits that are not expected to take any time.
const closeWaitTest = time.Minute

func newTestOpening(open func() (*memory, error)) *opening {
	return &opening{log: slog.New(slog.DiscardHandler), open: open, voice: func(context.Context) layers.Voice { return layers.Voice{User: layers.DefaultUser} }}
}

// openTemp opens a memory in a folder of the test's own.
func openTemp(t *testing.T) (*memory, error) {
	return openMemory(t.Context(), settings{Dir: t.TempDir(), Location: time.UTC, UpcomingDays: 7}, forServing, nil, slog.New(slog.DiscardHandler))
}

func TestOpening_TriesAgainAtTheNextCall(t *testing.T) {
	tries := 0
	o := newTestOpening(func() (*memory, error) {
		if tries++; tries == 1 {
			return nil, storage.ErrLocked
		}
		return openTemp(t)
	})
	if _, err := o.ready(t.Context()); !errors.Is(err, storage.ErrLocked) {
		t.Fatalf("first call: error = %v, want ErrLocked", err)
	}
	first, err := o.ready(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := o.ready(t.Context())
	if err != nil || first == nil || again == nil || tries != 2 {
		t.Errorf("opened %d times, error %v; want the same memory after 2 tries", tries, err)
	}
	if err := o.close(closeWaitTest); err != nil {
		t.Error(err)
	}
}

func TestOpening_ACallThatGivesUpLeavesTheAttemptRunning(t *testing.T) {
	release := make(chan struct{})
	o := newTestOpening(func() (*memory, error) { <-release; return openTemp(t) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.ready(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want Canceled", err)
	}
	close(release)
	if _, err := o.ready(t.Context()); err != nil {
		t.Error(err)
	}
	if err := o.close(closeWaitTest); err != nil {
		t.Error(err)
	}
}

func TestOpening_CloseReleasesAndRefusesLaterCalls(t *testing.T) {
	var mem *memory
	o := newTestOpening(func() (m *memory, err error) { mem, err = openTemp(t); return mem, err })
	if _, err := o.ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := o.close(closeWaitTest); err != nil {
		t.Fatal(err)
	}
	if _, err := mem.store.Get(t.Context(), "any"); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("store after close: error = %v, want ErrClosed", err)
	}
	if _, err := o.ready(t.Context()); !errors.Is(err, errStopping) {
		t.Errorf("call after close: error = %v, want errStopping", err)
	}
}

func TestOpening_CloseDoesNotWaitForever(t *testing.T) {
	release := make(chan struct{})
	o := newTestOpening(func() (*memory, error) { <-release; return nil, storage.ErrLocked })
	at, err := o.begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := o.close(0); err == nil {
		t.Error("close of a memory that is still being opened says nothing")
	}
	close(release)
	<-at.done
}

// A server that ends while its memory is still being opened has ended well: nothing
// was asked of it yet.
func TestHandBack_WhileOpeningIsNoError(t *testing.T) {
	release := make(chan struct{})
	o := newTestOpening(func() (*memory, error) { <-release; return nil, storage.ErrLocked })
	at, err := o.begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := handBack(o, nil); err != nil {
		t.Errorf("hand back: %v", err)
	}
	close(release)
	<-at.done
}
