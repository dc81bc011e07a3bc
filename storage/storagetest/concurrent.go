package storagetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"mcp-memory/storage"
)

// testConcurrent runs writers that compete for the next time, and readers that
// must see each operation whole.
func testConcurrent(t *testing.T, b *bench) {
	const writers, each = 4, 15
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() { write(t, b, w, each) })
	}
	done := make(chan struct{})
	for range 2 {
		reading.Go(func() { readPairs(t, b, done) })
	}
	writing.Wait()
	close(done)
	reading.Wait()
	b.both(func() {
		if got, want := len(b.all()), 2*writers*each; got != want {
			t.Errorf("%d entries, want %d", got, want)
		}
	})
}

// write applies pairs of records, each once the store takes its time.
func write(t *testing.T, b *bench, writer, each int) {
	for n := range each {
		first := fmt.Sprintf("%d-%d-a", writer, n)
		op := puts("ann", first, fmt.Sprintf("%d-%d-b", writer, n))
		err := storage.ErrConflict
		for errors.Is(err, storage.ErrConflict) {
			op.At = laterThan(b.Last())
			err = b.Apply(t.Context(), op)
		}
		if err != nil {
			t.Errorf("apply: %v", err)
			return
		}
		if _, err := b.Get(t.Context(), first); err != nil {
			t.Errorf("get what was acknowledged: %v", err)
		}
	}
}

func laterThan(last time.Time) time.Time {
	if last.Before(Start) {
		last = Start
	}
	return last.Add(time.Microsecond)
}

// readPairs scans until done: both records of an operation or none.
func readPairs(t *testing.T, b *bench, done <-chan struct{}) {
	for {
		seen := 0
		err := b.Scan(t.Context(), func(storage.Entry) error {
			seen++
			return nil
		})
		if err != nil || seen%2 != 0 {
			t.Errorf("scan saw %d entries, error %v; want whole pairs", seen, err)
			return
		}
		select {
		case <-done:
			return
		default:
		}
	}
}
