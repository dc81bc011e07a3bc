package tools

import (
	"context"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/jsonrpc"
)

// How many calls of one connection run at once: of a client's own, and of one on
// which another process passes on the calls of many sessions. The others wait, so
// that a client that asks hundreds of things at once, or does not read what it is
// answered, takes no more than its share of the processors from all others.
const (
	maxRunning       = 4
	maxRunningOfMany = 16
)

// line is where the calls of a connection wait until they may run. A cancelled one
// leaves it. It is safe for concurrent use.
type line struct {
	places chan struct{} // one for each that runs

	mu    sync.Mutex // guards calls
	calls map[string]*lined
}

// lined is a call, from its arrival to its answer.
type lined struct {
	ctx    context.Context // ended when the client cancels the call
	cancel context.CancelFunc
}

func newLine(running int) *line {
	return &line{places: make(chan struct{}, running), calls: map[string]*lined{}}
}

// enter takes a call with the client's id. leave is called at its end.
func (l *line) enter(ctx context.Context, id string) *lined {
	c := &lined{}
	c.ctx, c.cancel = context.WithCancel(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[id] = c
	return c
}

func (l *line) leave(id string, c *lined) {
	c.cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls[id] == c { // else a later call has the same id
		delete(l.calls, id)
	}
}

// cancel ends the context of a call, whether it runs or waits.
func (l *line) cancel(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.calls[id]; c != nil {
		c.cancel()
	}
}

// place waits until the call may run. False: it was cancelled before, or its
// connection has ended.
func (l *line) place(c *lined) bool {
	select {
	case l.places <- struct{}{}:
		if c.ctx.Err() == nil {
			return true
		}
		<-l.places
	case <-c.ctx.Done():
	}
	return false
}

// free gives a place back.
func (l *line) free() { <-l.places }

// placed says whether a message waits for a place: what reads no memory does not,
// and neither does extract, which may wait for a model and has its own limit.
func placed(m jsonrpc.Message) bool {
	reads, _ := ordered(m)
	return reads && m.Method != string(mcp.MethodInitialize) && m.Params.Name != "extract"
}
