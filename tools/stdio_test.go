package tools_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"go.uber.org/goleak"

	"mcp-memory/internal/leaktest"
	"mcp-memory/layers"
	"mcp-memory/tools"
)

// BuntDB's own goroutine sees that its store was closed up to a second later.
func TestMain(m *testing.M) {
	leaktest.Main(m, goleak.IgnoreTopFunction("github.com/tidwall/buntdb.(*DB).backgroundManager"))
}

// wire is a raw client on a pair of pipes.
type wire struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *bufio.Reader
	close func()
	ended chan error
}

func openWire(t *testing.T, srv *server.MCPServer) *wire {
	t.Helper()
	return openLines(t, srv, tools.Lines{})
}

func openLines(t *testing.T, srv *server.MCPServer, l tools.Lines) *wire {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	w := &wire{t: t, in: inW, out: bufio.NewReader(outR), ended: make(chan error, 1)}
	w.close = func() { _ = inW.Close(); _ = outR.Close() }
	go func() {
		w.ended <- tools.Serve(context.WithoutCancel(t.Context()), srv, inR, outW, l)
		_ = outW.Close()
	}()
	t.Cleanup(w.close)
	return w
}

func (w *wire) send(lines ...string) {
	w.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(w.in, line+"\n"); err != nil {
			w.t.Fatal(err)
		}
	}
}

type reply struct {
	ID     any
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func (w *wire) receive() reply {
	w.t.Helper()
	line, err := w.out.ReadBytes('\n')
	if err != nil {
		w.t.Fatalf("read an answer: %v", err)
	}
	var r reply
	if err := json.Unmarshal(line, &r); err != nil {
		w.t.Fatalf("%s: %v", cutTo(string(line), 200), err)
	}
	return r
}

const initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func toolCall(id any, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

func TestServe_AnswersEachKindOfLine(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		id         any
		code       int // 0: a result
	}{
		{"initialize", initialize, "i", 0},
		{"a call before initialize", toolCall(1, "recall", `{}`), 1.0, 0},
		{"an unknown method", `{"jsonrpc":"2.0","id":2,"method":"memory/unknown","params":{}}`, 2.0, -32601},
		{"an unknown tool", toolCall(3, "no_such_tool", `{}`), 3.0, -32602},
		{"no JSON", `{not json`, nil, -32700},
		{"an array", `[]`, nil, -32700},
		{"a string", `"hello"`, nil, -32700},
		{"no version", `{"id":4,"method":"ping"}`, 4.0, -32600},
		{"params of the wrong type", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":[1]}`, 5.0, -32600},
		{"a line over the limit", `{"jsonrpc":"2.0","id":6,"method":"x","params":{"a":"` + strings.Repeat("x", 8<<20) + `"}}`, 6.0, -32600},
		{"JSON deeper than can be parsed", `{"jsonrpc":"2.0","id":7,"params":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, 7.0, -32700},
		{"a byte order mark and a carriage return", "\ufeff" + `{"jsonrpc":"2.0","id":8,"method":"ping"}` + "\r", 8.0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := openWire(t, serve(&fake{}))
			w.send("", tc.line)
			got := w.receive()
			if got.ID != tc.id {
				t.Errorf("id %v, want %v", got.ID, tc.id)
			}
			if tc.code == 0 && (got.Error != nil || got.Result == nil) || tc.code != 0 && (got.Error == nil || got.Error.Code != tc.code) {
				t.Errorf("got %s %+v, want code %d", cutTo(string(got.Result), 100), got.Error, tc.code)
			}
			// The session lives.
			w.send(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
			if got := w.receive(); got.ID != "p" || string(got.Result) != "{}" {
				t.Errorf("ping got %+v", got)
			}
		})
	}
}

// Clients count their requests in nanoseconds, in 64 bits or in words of their own.
func TestServe_AnswersUnderTheIDThatTheClientWrote(t *testing.T) {
	w := openWire(t, serve(&fake{}))
	for _, id := range []string{`9007199254740993`, `18446744073709551615`, `1764511200123456789`, `1.0`, `1e3`, `"a<b>&c"`, `"\u0041"`} {
		for _, line := range []string{`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`, toolCall(id, "recall", `{}`), toolCall(id, "none", `{}`)} {
			w.send(line)
			answer, err := w.out.ReadString('\n')
			if err != nil || !strings.HasPrefix(answer, `{"jsonrpc":"2.0","id":`+id+`,`) {
				t.Errorf("%s got %s %v", line, cutTo(answer, 200), err)
			}
		}
	}
}

// Protocol version 2025-03-26 has batches; a server must take them.
func TestServe_AnswersEachMessageOfABatch(t *testing.T) {
	w := openWire(t, serve(&fake{}))
	w.send(`[{"jsonrpc":"2.0","method":"notifications/initialized"},` + toolCall(1, "recall", `{}`) + `,{"jsonrpc":"2.0","id":2,"method":"no/such"}]`)
	errors := map[any]bool{}
	for range 2 {
		r := w.receive()
		errors[r.ID] = r.Error != nil
	}
	if len(errors) != 2 || errors[1.0] || !errors[2.0] {
		t.Errorf("got errors %v, want a result for 1 and an error for 2", errors)
	}
}

func TestServe_SaysNothingToWhatAsksNothing(t *testing.T) {
	w := openWire(t, serve(&fake{}))
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/nonsense","params":{"x":1}}`,
		`{"jsonrpc":"2.0","id":9,"result":{}}`,
		`{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"no"}}`,
		`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	if got := w.receive(); got.ID != "p" {
		t.Errorf("got %+v, want the answer to ping first", got)
	}
}

func TestServe_AnswersAllWhenTheInputEndsAtOnce(t *testing.T) {
	var out strings.Builder
	in := strings.NewReader(strings.Join([]string{initialize, toolCall(1, "remember", `{"text":"a"}`), toolCall(2, "recall", `{}`)}, "\n")) // no newline at the end
	if err := tools.Serve(t.Context(), serve(&fake{}), in, &out, tools.Lines{}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 3 {
		t.Errorf("%d answers, want 3:\n%s", lines, out.String())
	}
}

func TestServe_KeepsReadsBehindTheWritesBeforeThem(t *testing.T) {
	w := openWire(t, serve(&fake{}))
	const rounds = 50
	go func() {
		for i := range rounds {
			_, _ = io.WriteString(w.in, toolCall(2*i, "remember", `{"text":"a"}`)+"\n"+toolCall(2*i+1, "recall", `{}`)+"\n")
		}
	}()
	for range 2 * rounds {
		got := w.receive()
		id := int(got.ID.(float64))
		want := fmt.Sprintf("remembered before: %d", id/2+1)
		if id%2 == 1 && !strings.Contains(string(got.Result), want+`"`) {
			t.Errorf("recall %d: got %s, want %q", id/2, got.Result, want)
		}
	}
}

// slow is a memory whose reads wait for release.
type slow struct {
	*fake
	started, release chan struct{}
}

func (s *slow) Recall(ctx context.Context, user string, in layers.RecallInput) (layers.RecallOutput, error) {
	s.started <- struct{}{}
	select {
	case <-s.release:
	case <-ctx.Done():
		return layers.RecallOutput{}, ctx.Err()
	}
	return s.fake.Recall(ctx, user, in)
}

func newSlow() *slow {
	return &slow{fake: &fake{}, started: make(chan struct{}, 2000), release: make(chan struct{})}
}

func TestServe_ReadsRunBesideEachOtherAndPingPasses(t *testing.T) {
	m := newSlow()
	w := openWire(t, serve(m))
	w.send(toolCall(1, "recall", `{}`), toolCall(2, "recall", `{}`))
	<-m.started
	<-m.started
	w.send(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	if got := w.receive(); got.ID != "p" {
		t.Errorf("got %+v, want ping answered while calls run", got)
	}
	close(m.release)
	w.receive()
	w.receive()
}

func TestServe_CancelsACall(t *testing.T) {
	m := newSlow()
	w := openWire(t, serve(m))
	w.send(toolCall(1, "recall", `{}`))
	<-m.started
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if got := w.receive(); !strings.Contains(string(got.Result), "cancelled") {
		t.Errorf("got %s, want that the call was cancelled", got.Result)
	}
}

// Clients give a call up after a minute of silence; a local model takes longer.
func TestServe_ACallThatTakesLongSaysThatItGoesOn(t *testing.T) {
	for token, want := range map[string]string{`"t-1"`: `"t-1"`, `7`: `7`} {
		m := newSlow()
		w := openWire(t, tools.NewServer(tools.Options{Ready: tools.Loaded(m), Progress: time.Millisecond}))
		w.send(initialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		w.receive()
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{},"_meta":{"progressToken":` + token + `}}}`)
		for n := 1; n <= 3; n++ {
			line, err := w.out.ReadString('\n')
			if err != nil || !strings.Contains(line, `"method":"notifications/progress"`) || !strings.Contains(line, `"progressToken":`+want) || !strings.Contains(line, fmt.Sprintf(`"progress":%d,`, n)) {
				t.Fatalf("got %s %v, want progress %d of %s", line, err, n, want)
			}
		}
		close(m.release)
		for answered := false; !answered; {
			line, err := w.out.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			answered = strings.Contains(line, `"id":1,"result"`)
		}
	}
}

func TestServe_WithoutATokenOrWithAnOddOneNothingIsReported(t *testing.T) {
	for _, meta := range []string{`{}`, `{"progressToken":null}`, `{"progressToken":[1]}`, `{"progressToken":9007199254740994}`} {
		m := newSlow()
		w := openWire(t, tools.NewServer(tools.Options{Ready: tools.Loaded(m), Progress: time.Microsecond}))
		w.send(initialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		w.receive()
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{},"_meta":` + meta + `}}`)
		<-m.started
		for range 20 { // a round trip gives a reporter the time to report
			w.send(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
			if got := w.receive(); got.ID != "p" {
				t.Fatalf("%s: got %+v, want the answer to ping", meta, got)
			}
		}
		close(m.release)
		if got := w.receive(); got.ID != 1.0 {
			t.Errorf("%s: got %+v, want the answer", meta, got)
		}
	}
}

func TestServe_EndsWithTheInputThoughACallHangs(t *testing.T) {
	m := newSlow()
	w := openWire(t, serve(m))
	w.send(toolCall(1, "recall", `{}`))
	<-m.started
	_ = w.in.Close()
	go func() { _, _ = io.Copy(io.Discard, w.out) }()
	select {
	case err := <-w.ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the session goes on though its input has ended")
	}
}

func TestServe_RefusesMoreThanItCanHold(t *testing.T) {
	m := newSlow()
	w := openWire(t, serve(m))
	go func() {
		for i := range 1025 {
			_, _ = io.WriteString(w.in, toolCall(i, "recall", `{}`)+"\n")
		}
	}()
	if got := w.receive(); got.Error == nil || !strings.Contains(got.Error.Message, "waiting for their answers") {
		t.Errorf("got %+v, want that too many are waiting", got)
	}
	close(m.release)
	for range 1024 {
		w.receive()
	}
}

func TestServe_EndsWhenTheClientNoLongerReads(t *testing.T) {
	inR, inW := io.Pipe()
	defer inW.Close()
	go func() { _, _ = io.WriteString(inW, initialize+"\n") }()
	err := tools.Serve(t.Context(), serve(&fake{}), inR, brokenWriter{}, tools.Lines{})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want the error of the writer", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestServe_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	inR, inW := io.Pipe()
	defer inW.Close()
	cancel()
	if err := tools.Serve(ctx, serve(&fake{}), inR, io.Discard, tools.Lines{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestServe_ServesManyConnectionsAtOnce(t *testing.T) {
	srv := serve(&fake{})
	a, b := openWire(t, srv), openWire(t, srv)
	for _, w := range []*wire{a, b} {
		w.send(initialize, toolCall(1, "remember", `{"text":"a"}`))
	}
	for _, w := range []*wire{b, a} {
		w.receive()
		w.receive()
	}
	_ = a.in.Close()
	if err := <-a.ended; err != nil {
		t.Error(err)
	}
	b.send(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	if got := b.receive(); got.ID != "p" {
		t.Errorf("the other connection got %+v", got)
	}
}

// TestServe_APanicAroundACallIsLogged: what panics outside a tool of ours costs the
// request, and the log tells of it under the number that the client got.
func TestServe_APanicAroundACallIsLogged(t *testing.T) {
	var log bytes.Buffer
	srv := serve(&fake{})
	srv.AddTool(mcp.NewTool("breaks"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("secret words") })
	w := openLines(t, srv, tools.Lines{Log: slog.New(slog.NewTextHandler(&log, nil))})
	w.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"breaks"}}`)
	r := w.receive()
	if r.Error == nil || !strings.HasPrefix(r.Error.Message, "internal error ") {
		t.Fatalf("got %+v, want an internal error", r)
	}
	if id := strings.Fields(r.Error.Message)[2]; !strings.Contains(log.String(), id) || strings.Contains(log.String(), "secret words") {
		t.Errorf("the log lacks %s or holds what was said:\n%s", id, log.String())
	}
	w.send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	if r := w.receive(); r.Error != nil {
		t.Errorf("after it: %+v", r.Error)
	}
}
