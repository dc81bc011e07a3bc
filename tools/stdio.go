package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/internal/jsonrpc"
	"mcp-memory/layers"
)

// drainTime is how long calls in flight may go on when the input has ended: a
// client that wrote its requests and closed the pipe gets its answers, and the
// process still ends within 2 s.
const drainTime = 1500 * time.Millisecond

// methodCancelled is that of a client that does not want an answer any more.
const methodCancelled = "notifications/cancelled"

// maxInFlight bounds the requests of one connection that are not answered yet.
const maxInFlight = 1024

// Serve serves one MCP session over in and out, JSON-RPC messages a line each,
// until in ends, out breaks or ctx is done. When in ends, calls in flight have
// 1.5 s to be answered. Each call of Serve is a session of its own, so one server
// may serve many connections.
//
// The goroutine that reads in ends with in: where ctx ends first and in is
// os.Stdin, that is when the process does.
//
// It returns nil at the end of in, ctx's error, or that of in or out.
func Serve(ctx context.Context, srv *server.MCPServer, in io.Reader, out io.Writer, l Lines) error {
	c := &connection{srv: srv, out: out, lines: l, line: newLine(l.running()), log: cmp.Or(l.Log, slog.New(slog.DiscardHandler))}
	c.broken = make(chan struct{})
	c.requests = newRequests(c.write)
	s := newSession(c.requests)
	if err := c.srv.RegisterSession(ctx, s); err != nil {
		return fmt.Errorf("register session: %w", err)
	}
	defer c.srv.UnregisterSession(context.WithoutCancel(ctx), s.SessionID())

	// Calls outlive ctx by the drain time.
	work, cancel := context.WithCancel(c.srv.WithContext(context.WithoutCancel(ctx), s))
	defer cancel()
	stop := make(chan struct{})
	defer close(stop)
	go c.notify(s, stop)

	read := make(chan jsonrpc.Line)
	end := jsonrpc.Feed(in, read, stop)
	for {
		select {
		case line := <-read:
			c.receive(work, line)
			continue
		case err := <-end:
			c.drain(cancel, drainTime)
			return err
		case <-ctx.Done():
			c.drain(cancel, l.drainTime())
			return ctx.Err()
		case <-c.broken:
			c.drain(cancel, drainTime)
			return fmt.Errorf("write to the client: %w", c.failed)
		}
	}
}

// Lines says what is special about the lines of a connection. The zero Lines are
// those of a client itself.
type Lines struct {
	// Call is the call that a line's number stands for. Where it is set another
	// process passes on its client's lines, each after its call's number and a
	// space: "17 {…}". When ctx ends calls in flight are cancelled at once then:
	// the other process sends them again. Else they have the same 1.5 s.
	Call func(number string) layers.Call
	// Unordered lets calls overtake each other: they are of many sessions.
	Unordered bool
	Log       *slog.Logger // nil: none
}

// drainTime is how long calls may go on when the process ends.
func (l Lines) drainTime() time.Duration {
	if l.Call != nil {
		return 0
	}
	return drainTime
}

// running is how many calls may run at once.
func (l Lines) running() int {
	if l.Unordered {
		return maxRunningOfMany
	}
	return maxRunning
}

// connection is one client on a pair of streams.
type connection struct {
	srv   *server.MCPServer
	lines Lines
	log   *slog.Logger
	order order
	line  *line
	calls sync.WaitGroup
	count atomic.Int32 // of calls

	requests *requests // to the client

	mu     sync.Mutex // guards out and failed
	out    io.Writer
	failed error
	broken chan struct{} // closed with the first failed write
}

// drain waits for the calls in flight, at most as long as given, then cancels
// them. What they asked the client is not answered any more: nothing of it is read.
func (c *connection) drain(cancel context.CancelFunc, most time.Duration) {
	c.requests.end()
	done := make(chan struct{})
	go func() { c.calls.Wait(); close(done) }()
	limit := time.NewTimer(most)
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
func (c *connection) receive(ctx context.Context, line jsonrpc.Line) {
	text := line.Text
	if c.lines.Call != nil {
		number, rest, _ := bytes.Cut(text, []byte(" "))
		ctx, text = withCall(ctx, c.lines.Call(string(number))), rest
	}
	if len(text) == 0 {
		return
	}
	if line.Over {
		c.refuse(jsonrpc.IDOf(text), mcp.INVALID_REQUEST, fmt.Sprintf("the message is longer than %d bytes", jsonrpc.MaxLine))
		return
	}
	m, err := jsonrpc.Peek(text)
	switch {
	case err != nil:
		c.refuse(jsonrpc.IDOf(text), mcp.PARSE_ERROR, "the line is not valid JSON, or nests too deeply")
	case m.IsResponse():
		c.requests.answered(m)
	case m.IsNotification():
		if m.Method == methodCancelled {
			c.line.cancel(string(m.Params.RequestID))
		}
		c.handle(ctx, m, text)
	case c.count.Load() >= maxInFlight:
		c.refuse(m.ID, jsonrpc.CodeBusy, fmt.Sprintf("%d requests are waiting for their answers; send more when some have come", maxInFlight))
	default:
		c.start(ctx, m, text)
	}
}

// ordered says whether a message keeps its place among others, and whether it
// may change the memory. What reads no memory is answered at once.
func ordered(m jsonrpc.Message) (ordered, write bool) {
	switch m.Method {
	case string(mcp.MethodInitialize): // what the client can do must be known to the calls after it
		return true, true
	case string(mcp.MethodToolsCall):
		return true, m.Params.Name != "recall"
	case string(mcp.MethodResourcesRead), string(mcp.MethodPromptsGet):
		return true, false
	}
	return false, false
}

func (c *connection) start(ctx context.Context, m jsonrpc.Message, text []byte) {
	var t turn
	if ordered, write := ordered(m); ordered && !c.lines.Unordered {
		t = c.order.next(write)
	}
	c.count.Add(1)
	call := c.line.enter(ctx, string(m.ID))
	c.calls.Go(func() {
		defer c.count.Add(-1)
		defer c.line.leave(string(m.ID), call)
		if t.done != nil {
			defer close(t.done)
			t.wait(call.ctx)
			defer t.wait(ctx) // those after a cancelled call wait for those before it too
		}
		c.run(call, m, text)
	})
}

// run answers a call once it has its place.
func (c *connection) run(call *lined, m jsonrpc.Message, text []byte) {
	inLine := placed(m)
	if call.ctx.Err() != nil || inLine && !c.line.place(call) {
		c.refuse(m.ID, jsonrpc.CodeCancelled, "the call was cancelled before it began; nothing was done")
		return
	}
	if inLine {
		defer c.line.free()
	}
	c.handle(call.ctx, m, text)
}

// handle has the server answer. A panic of the protocol layer costs the one
// request, not the session.
func (c *connection) handle(ctx context.Context, m jsonrpc.Message, text []byte) {
	defer func() {
		if p := recover(); p != nil {
			id := errorID()
			c.log.Error("panic around a call", keyErrorID, id, keyError, panicKind(p), keyStack, string(debug.Stack()))
			c.fail(m, id)
		}
	}()
	response := c.srv.HandleMessage(ctx, text)
	if response == nil {
		return
	}
	data, err := encode(m.ID, response)
	if err != nil {
		id := errorID()
		c.log.Error("an answer cannot be encoded", keyErrorID, id, keyError, err.Error())
		c.fail(m, id)
		return
	}
	c.write(data)
}

// fail answers a message with the number under which the log tells what went wrong.
func (c *connection) fail(m jsonrpc.Message, id string) {
	if !m.IsNotification() {
		c.refuse(m.ID, mcp.INTERNAL_ERROR, internalError(id).Error())
	}
}

// encode encodes what the server answers, under the id that the client wrote: the
// server knows numbers as floating point only.
func encode(id json.RawMessage, response mcp.JSONRPCMessage) ([]byte, error) {
	member, value := "result", any(nil)
	switch r := response.(type) {
	case mcp.JSONRPCResponse:
		value = r.Result
	case mcp.JSONRPCError:
		member, value = "error", r.Error
	default:
		return json.Marshal(response)
	}
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return jsonrpc.Answer(id, member, data), nil
}

// refuse answers with a JSON-RPC error; a nil id is null.
func (c *connection) refuse(id json.RawMessage, code int, text string) {
	c.write(jsonrpc.Refusal(id, code, text))
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
