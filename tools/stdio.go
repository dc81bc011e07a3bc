package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// drainTime is how long calls in flight may go on when the input has ended: a
// client that wrote its requests and closed the pipe gets its answers, and the
// process still ends within 2 s.
const drainTime = 1500 * time.Millisecond

// maxInFlight bounds the requests of one connection that are not answered yet.
const maxInFlight = 1024

// codeBusy is the JSON-RPC code for a connection over maxInFlight, from the
// range that is left to servers.
const codeBusy = -32000

// ServeStdio serves one MCP session over in and out, JSON-RPC messages a line
// each, until in ends, out breaks or ctx is done. Calls in flight then have
// 1.5 s to be answered. Each call of ServeStdio is a session of its own, so one
// server may serve many connections.
//
// The goroutine that reads in ends with in: where ctx ends first and in is
// os.Stdin, that is when the process does.
//
// It returns nil at the end of in, ctx's error, or that of in or out.
func ServeStdio(ctx context.Context, srv *server.MCPServer, in io.Reader, out io.Writer) error {
	c := &connection{srv: srv, out: out, broken: make(chan struct{})}
	c.requests = newRequests(c.write)
	s := newSession(c.requests)
	if err := srv.RegisterSession(ctx, s); err != nil {
		return fmt.Errorf("register session: %w", err)
	}
	defer srv.UnregisterSession(context.WithoutCancel(ctx), s.SessionID())

	// Calls outlive ctx by the drain time.
	work, cancel := context.WithCancel(srv.WithContext(context.WithoutCancel(ctx), s))
	defer cancel()
	stop := make(chan struct{})
	defer close(stop)
	go c.notify(s, stop)

	lines := make(chan inputLine)
	end := feed(in, lines, stop)
	for {
		select {
		case line := <-lines:
			c.receive(work, line)
			continue
		case err := <-end:
			c.drain(cancel)
			return wrapRead(err)
		case <-ctx.Done():
			c.drain(cancel)
			return ctx.Err()
		case <-c.broken:
			c.drain(cancel)
			return fmt.Errorf("write to the client: %w", c.failed)
		}
	}
}

func wrapRead(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("read from the client: %w", err)
}

// connection is one client on a pair of streams.
type connection struct {
	srv   *server.MCPServer
	order order
	calls sync.WaitGroup
	count atomic.Int32 // of calls

	requests *requests // to the client

	mu     sync.Mutex // guards out and failed
	out    io.Writer
	failed error
	broken chan struct{} // closed with the first failed write
}

// drain waits for the calls in flight, at most drainTime, then cancels them.
func (c *connection) drain(cancel context.CancelFunc) {
	done := make(chan struct{})
	go func() { c.calls.Wait(); close(done) }()
	limit := time.NewTimer(drainTime)
	defer limit.Stop()
	select {
	case <-done:
	case <-c.broken:
	case <-limit.C:
	}
	cancel()
}

// receive answers one line: at once what cannot wait or needs no memory, else
// in a goroutine of its own.
func (c *connection) receive(ctx context.Context, line inputLine) {
	if len(line.text) == 0 {
		return
	}
	if line.over {
		c.refuse(idOf(line.text), mcp.INVALID_REQUEST, fmt.Sprintf("the message is longer than %d bytes", maxLine))
		return
	}
	m, err := peek(line.text)
	switch {
	case err != nil:
		c.refuse(idOf(line.text), mcp.PARSE_ERROR, "the line is not valid JSON, or nests too deeply")
	case m.isResponse():
		c.requests.answered(m)
	case m.isNotification():
		c.handle(ctx, m, line.text)
	case c.count.Load() >= maxInFlight:
		c.refuse(m.ID, codeBusy, fmt.Sprintf("%d requests are waiting for their answers; send more when some have come", maxInFlight))
	default:
		c.start(ctx, m, line.text)
	}
}

func (c *connection) start(ctx context.Context, m message, text []byte) {
	var t turn
	if ordered, write := m.order(); ordered {
		t = c.order.next(write)
	}
	c.count.Add(1)
	c.calls.Go(func() {
		defer c.count.Add(-1)
		if t.done != nil {
			defer close(t.done)
			t.wait(ctx)
		}
		c.handle(ctx, m, text)
	})
}

// handle has the server answer. A panic of the protocol layer costs the one
// request, not the session.
func (c *connection) handle(ctx context.Context, m message, text []byte) {
	defer func() {
		if p := recover(); p != nil && !m.isNotification() {
			c.refuse(m.ID, mcp.INTERNAL_ERROR, "internal error")
		}
	}()
	response := c.srv.HandleMessage(ctx, text)
	if response == nil {
		return
	}
	data, err := json.Marshal(response)
	if err != nil {
		c.refuse(m.ID, mcp.INTERNAL_ERROR, "internal error: the answer could not be encoded")
		return
	}
	c.write(data)
}

// refuse answers with a JSON-RPC error; a nil id is null.
func (c *connection) refuse(id json.RawMessage, code int, text string) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	data, err := json.Marshal(map[string]any{
		"jsonrpc": mcp.JSONRPC_VERSION,
		"id":      id,
		"error":   map[string]any{"code": code, "message": text},
	})
	if err == nil {
		c.write(data)
	}
}

// notify passes on the server's notifications.
func (c *connection) notify(s *session, stop <-chan struct{}) {
	for {
		select {
		case n := <-s.notifications:
			if data, err := json.Marshal(n); err == nil {
				c.write(data)
			}
		case <-stop:
			return
		}
	}
}

// write sends one message in one piece. After a failed write nothing more is
// sent.
func (c *connection) write(data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return
	}
	if _, err := c.out.Write(append(data, '\n')); err != nil {
		c.failed = err
		close(c.broken)
	}
}
