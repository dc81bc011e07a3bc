package relay

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// Last answers are waited for as long as they may take, and no longer than a moment
// where the process is to end.
func TestOutbox_CloseWaitsForASlowReader(t *testing.T) {
	for name, tc := range map[string]struct {
		ends   time.Duration // when the context does; 0: never
		reads  time.Duration // when the reader does; 0: never
		closed time.Duration
	}{
		"a slow reader":               {reads: 20 * time.Second, closed: 20 * time.Second},
		"one that reads nothing":      {closed: time.Minute},
		"a process that is to end":    {ends: time.Second, closed: time.Second + flushTime},
		"one that ends as it is read": {ends: time.Second, reads: time.Second + flushTime/2, closed: time.Second + flushTime/2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reader, writer := io.Pipe()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				o := newOutbox(writer)
				o.put([]byte("last"))
				if tc.ends > 0 {
					time.AfterFunc(tc.ends, cancel)
				}
				if tc.reads > 0 {
					time.AfterFunc(tc.reads, func() { _, _ = io.ReadFull(reader, make([]byte, len("last\n"))) })
				}
				start := time.Now() // of the bubble's clock
				o.close(ctx, time.Minute)
				if took := time.Since(start); took != tc.closed {
					t.Errorf("closed after %v, want %v", took, tc.closed)
				}
				_ = reader.Close() // lets the writer end
				<-o.done
			})
		})
	}
}
