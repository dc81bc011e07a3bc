package tools_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-memory/layers"
	"mcp-memory/tools"
)

// counting counts how many reads run at once, of one user, and lets each wait for
// release.
type counting struct {
	*slow
	now, most atomic.Int32
}

func (c *counting) Recall(ctx context.Context, user string, in layers.RecallInput) (layers.RecallOutput, error) {
	if in.Query == "quick" {
		return c.fake.Recall(ctx, user, in)
	}
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	return c.slow.Recall(ctx, user, in)
}

// sendAll sends calls without waiting for answers, and returns when all are read.
func (w *wire) sendAll(n int, id func(i int) any, arguments string) {
	for i := range n {
		w.send(toolCall(id(i), "recall", arguments))
	}
}

// A client that asks hundreds of things at once, and reads no answer, runs few of
// them at a time: another client's calls, its own ping and cancellations pass.
func TestServe_ManyCallsOfOneClientWaitInItsOwnLine(t *testing.T) {
	m := &counting{slow: newSlow()}
	srv := serve(m)
	greedy, other := openWire(t, srv), openWire(t, srv)
	greedy.sendAll(600, func(i int) any { return i }, `{}`)
	other.send(toolCall(1, "recall", `{"query":"quick"}`))
	if got := other.receive(); got.Error != nil {
		t.Fatalf("another client got %+v", got.Error)
	}
	greedy.send(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	if got := greedy.receive(); got.ID != "p" {
		t.Errorf("got %+v, want ping answered while calls wait", got)
	}
	greedy.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":500}}`)
	if got := greedy.receive(); got.ID != 500.0 || got.Error == nil || !strings.Contains(got.Error.Message, "cancelled before it began") {
		t.Errorf("got %+v, want that the call was cancelled", got)
	}
	close(m.release)
	got := map[any]bool{}
	for range 599 {
		got[greedy.receive().ID] = true
	}
	if most := m.most.Load(); len(got) != 599 || got[500.0] || most > 4 {
		t.Errorf("%d answers, %d calls at once", len(got), most)
	}
}

// What was read of the answers decides what is computed next: nothing more while
// the client reads nothing.
func TestServe_ComputesNothingMoreForWhoReadsNothing(t *testing.T) {
	m := &counting{slow: newSlow()}
	close(m.release)
	w := openWire(t, serve(m))
	w.sendAll(300, func(i int) any { return i }, `{}`)
	other := openWire(t, serve(m))
	other.send(toolCall(1, "recall", `{"query":"quick"}`))
	other.receive()
	if begun := len(m.started); begun > 4 {
		t.Errorf("%d calls were begun and none of their answers read", begun)
	}
	for range 300 {
		w.receive()
	}
}

// A write that is cancelled while it waits for its turn does not let those after
// it pass those before it.
func TestServe_ACancelledWriteKeepsTheOrder(t *testing.T) {
	m := &writes{fake: &fake{}, started: make(chan struct{}, 1), release: make(chan struct{})}
	w := openWire(t, serve(m))
	w.send(toolCall(1, "remember", `{"text":"a"}`))
	<-m.started
	w.send(toolCall(2, "remember", `{"text":"b"}`), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, toolCall(3, "recall", `{}`))
	if got := w.receive(); got.ID != 2.0 || got.Error == nil {
		t.Fatalf("got %+v, want that the second write was cancelled", got)
	}
	close(m.release)
	if got := w.receive(); got.ID != 1.0 {
		t.Errorf("got %+v, want the first write's answer", got)
	}
	if got := w.receive(); got.ID != 3.0 || !strings.Contains(string(got.Result), "remembered before: 1") {
		t.Errorf("got %s, want the recall that sees one write", got.Result)
	}
}

// writes is a memory whose writes wait for release.
type writes struct {
	*fake
	started, release chan struct{}
}

func (m *writes) Remember(ctx context.Context, user string, in layers.RememberInput) (layers.RememberOutput, error) {
	m.started <- struct{}{}
	<-m.release
	return m.fake.Remember(ctx, user, in)
}

// A call on a connection of many sessions that waits for a model holds up no other.
func TestServe_ExtractsTakeNoPlace(t *testing.T) {
	m := &extracts{fake: &fake{}, started: make(chan struct{}, 100), release: make(chan struct{})}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	w := &wire{t: t, in: inW}
	w.out = bufio.NewReader(outR)
	go func() {
		_ = tools.Serve(context.WithoutCancel(t.Context()), serve(m), inR, outW, tools.Lines{Unordered: true})
		_ = outW.Close()
	}()
	t.Cleanup(func() { _ = inW.Close(); _ = outR.Close() })
	for i := range 40 {
		w.send(toolCall(fmt.Sprint(i), "extract", `{"text":"a"}`))
	}
	for range 40 {
		<-m.started
	}
	w.send(toolCall(100, "recall", `{}`))
	if got := w.receive(); got.ID != 100.0 {
		t.Errorf("got %+v, want the recall's answer", got)
	}
	close(m.release)
	for range 40 {
		w.receive()
	}
}

// extracts is a memory whose extracts wait for release.
type extracts struct {
	*fake
	started, release chan struct{}
}

func (m *extracts) Extract(ctx context.Context, user string, in layers.ExtractInput) (layers.ExtractOutput, error) {
	m.started <- struct{}{}
	<-m.release
	return m.fake.Extract(ctx, user, in)
}
