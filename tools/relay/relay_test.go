package relay

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-memory/internal/leaktest"
	"mcp-memory/layers"
	"mcp-memory/storage/bunt"
	"mcp-memory/tools"
)

// BuntDB's own goroutine sees that its store was closed up to a second later.
func TestMain(m *testing.M) {
	leaktest.Main(m, goleak.IgnoreTopFunction("github.com/tidwall/buntdb.(*DB).backgroundManager"))
}

// place is a seat of a test with a real store behind it, as a process has.
type place struct {
	*Seat
	dir   string
	wrap  func(tools.Memory) tools.Memory // nil: the memory itself
	owned chan struct{}                   // gets one for each time it became the owner
}

// newPlace is a process on a directory, with a real memory that it opens once it
// owns it.
func newPlace(t *testing.T, dir string, change ...func(*place, *Options)) *place {
	t.Helper()
	p := &place{dir: dir, owned: make(chan struct{}, 100)}
	o := Options{Dir: dir, Version: "test", Own: p.own}
	for _, edit := range change {
		edit(p, &o)
	}
	p.Seat = NewSeat(o)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func (p *place) own(ctx context.Context) (Owned, error) {
	hold, err := bunt.TakeHold(ctx, p.dir, -1)
	if err != nil {
		return Owned{}, err
	}
	store, err := bunt.Open(ctx, bunt.Options{Dir: p.dir, Hold: hold})
	if err != nil {
		return Owned{}, errors.Join(err, hold.Release())
	}
	mem, err := layers.Open(ctx, layers.Options{Store: store, Location: time.UTC})
	if err != nil {
		return Owned{}, errors.Join(err, store.Close(), hold.Release())
	}
	p.owned <- struct{}{}
	var face tools.Memory = mem
	if p.wrap != nil {
		face = p.wrap(mem)
	}
	var once sync.Once
	return Owned{
		Server: tools.NewServer(tools.Options{Version: "test", Ready: tools.Loaded(face), ElicitationWait: time.Minute}),
		Admit:  func(ctx context.Context, _ Hello) (context.Context, []string, error) { return ctx, nil, nil },
		Close: func() (err error) {
			once.Do(func() { err = errors.Join(mem.Close(), store.Close(), hold.Release()) })
			return err
		},
	}, nil
}

// wire is a client on a link: raw lines in and out.
type wire struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *bufio.Reader
	ended chan error
}

func (p *place) wire(t *testing.T) *wire {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	w := &wire{t: t, in: inW, out: bufio.NewReader(outR), ended: make(chan error, 1)}
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	go func() {
		w.ended <- p.Relay(ctx, "ada", inR, outW)
		_ = outW.Close()
		_ = inR.Close()
	}()
	t.Cleanup(func() { end(); _ = inW.Close(); _ = outR.Close() })
	return w
}

const initialize = `{"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func (w *wire) begin() {
	w.t.Helper()
	w.send(initialize)
	if r := w.receive(); r.ID != "start" || r.Error != nil {
		w.t.Fatalf("initialize: %+v", r)
	}
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (w *wire) send(lines ...string) {
	w.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(w.in, line+"\n"); err != nil {
			w.t.Fatal(err)
		}
	}
}

// reply is a message as a client reads it.
type reply struct {
	ID     any
	Method string
	Error  *struct{ Message string }
	Params json.RawMessage
	Result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		Contents          []struct{ Text string }
	}
	raw string
}

func (w *wire) receive() reply {
	w.t.Helper()
	line, err := w.out.ReadString('\n')
	if err != nil {
		w.t.Fatalf("read an answer: %v", err)
	}
	r := reply{raw: line}
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		w.t.Fatalf("%.200s: %v", line, err)
	}
	return r
}

func call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

func text(s string) string { return fmt.Sprintf(`{"text":%q}`, s) }

// ask calls a tool and returns the answer, which must be one without an error.
func (w *wire) ask(id int, tool, arguments string) reply {
	w.t.Helper()
	w.send(call(id, tool, arguments))
	r := w.receive()
	if r.Error != nil || r.Result.IsError {
		w.t.Fatalf("%s: %s", tool, r.raw)
	}
	return r
}

// texts are those of all memories that the client can see.
func (w *wire) texts(id int) []string {
	w.t.Helper()
	var out layers.RecallOutput
	r := w.ask(id, "recall", `{"limit":100,"layers":["activity","context","experience","identity","preference","fact"]}`)
	if err := json.Unmarshal(r.Result.StructuredContent, &out); err != nil {
		w.t.Fatal(err)
	}
	var texts []string
	for _, m := range out.Matches {
		texts = append(texts, m.Text)
	}
	return texts
}

func (w *wire) want(id int, count int) {
	w.t.Helper()
	if got := w.texts(id); len(got) != count {
		w.t.Errorf("%d memories are there, want %d: %q", len(got), count, got)
	}
}

func TestRelay_ManyProcessesShareOneMemory(t *testing.T) {
	dir := t.TempDir()
	a, b := newPlace(t, dir).wire(t), newPlace(t, dir).wire(t)
	a.begin()
	b.begin()
	a.ask(1, "remember", text("The anvil is in the yard."))
	b.ask(1, "remember", text("The bellows are torn."))
	a.want(2, 2)
	b.want(2, 2)
}

func TestRelay_TheNextOwnerServesTheSessionsOfTheLast(t *testing.T) {
	dir := t.TempDir()
	first, second := newPlace(t, dir), newPlace(t, dir)
	a := first.wire(t)
	a.begin()
	a.ask(1, "remember", text("The anvil is in the yard."))
	b := second.wire(t)
	b.begin()
	b.ask(1, "remember", text("The bellows are torn."))
	if second.Owns() {
		t.Fatal("two owners")
	}
	_ = a.in.Close()
	if err := <-a.ended; err != nil {
		t.Errorf("the first session ended with %v", err)
	}
	if err := first.Close(); err != nil {
		t.Errorf("the first owner ended with %v", err)
	}
	b.want(2, 2)
	if !second.Owns() {
		t.Error("the attached process did not take over")
	}
	c := newPlace(t, dir).wire(t)
	c.begin()
	c.want(1, 2)
}

// mute is a memory that does what it is asked and never answers.
type mute struct {
	tools.Memory
	said chan layers.RememberOutput
	gone chan layers.ForgetOutput
}

func (m mute) Remember(ctx context.Context, user string, in layers.RememberInput) (layers.RememberOutput, error) {
	out, err := m.Memory.Remember(ctx, user, in)
	m.said <- out
	<-ctx.Done()
	return out, errors.Join(err, ctx.Err())
}

func (m mute) Forget(ctx context.Context, user string, in layers.ForgetInput) (layers.ForgetOutput, error) {
	out, err := m.Memory.Forget(ctx, user, in)
	m.gone <- out
	<-ctx.Done()
	return out, errors.Join(err, ctx.Err())
}

// A call that the owner did and did not answer before it died is sent again to
// the next one, which answers as the first would have and does nothing twice.
func TestRelay_WhatWasDoneAndNotAnsweredIsNotDoneTwice(t *testing.T) {
	for name, arguments := range map[string]string{
		"without a key": `{"memories":[{"text":"The tongs are new."},{"text":"I like tea.","entity":"user","attribute":"favourite drink","value":"tea"}]}`,
		"with a key":    `{"text":"The tongs are new.","idempotency_key":"k"}`,
		"episodic":      `{"text":"We met at noon.","tier":"episodic","session_id":"s"}`,
		"working":       `{"text":"Step 3 of 7.","tier":"working","session_id":"s"}`,
	} {
		t.Run(name, func(t *testing.T) {
			said := make(chan layers.RememberOutput, 1)
			dir := t.TempDir()
			owner := newPlace(t, dir, func(p *place, _ *Options) {
				p.wrap = func(m tools.Memory) tools.Memory { return mute{Memory: m, said: said} }
			})
			if own, err := owner.Take(t.Context()); !own || err != nil {
				t.Fatal(own, err)
			}
			w := newPlace(t, dir).wire(t)
			w.begin()
			w.send(call(1, "remember", arguments))
			first := <-said
			if err := owner.Close(); err != nil {
				t.Fatal(err)
			}
			var again layers.RememberOutput
			r := w.receive()
			if err := json.Unmarshal(r.Result.StructuredContent, &again); err != nil || r.Result.IsError {
				t.Fatal(r.raw, err)
			}
			want, _ := json.Marshal(first)
			if got, _ := json.Marshal(again); string(got) != string(want) {
				t.Errorf("the next owner answers\n%s, the first would have\n%s", got, want)
			}
			if name == "working" {
				return
			}
			w.want(2, len(first.Memories))
		})
	}
}

func TestRelay_AForgetThatWasNotAnsweredIsAnsweredByItsReceipt(t *testing.T) {
	gone := make(chan layers.ForgetOutput, 1)
	dir := t.TempDir()
	owner := newPlace(t, dir, func(p *place, _ *Options) {
		p.wrap = func(m tools.Memory) tools.Memory { return muteForget{mute{Memory: m, gone: gone}, m} }
	})
	if own, err := owner.Take(t.Context()); !own || err != nil {
		t.Fatal(own, err)
	}
	w := newPlace(t, dir).wire(t)
	w.begin()
	var stored layers.RememberOutput
	if err := json.Unmarshal(w.ask(1, "remember", text("The tongs are new.")).Result.StructuredContent, &stored); err != nil {
		t.Fatal(err)
	}
	w.send(call(2, "forget", fmt.Sprintf(`{"ids":[%q]}`, stored.Memories[0].ID)))
	first := <-gone
	if err := owner.Close(); err != nil {
		t.Fatal(err)
	}
	var again layers.ForgetOutput
	r := w.receive()
	if err := json.Unmarshal(r.Result.StructuredContent, &again); err != nil || r.Result.IsError {
		t.Fatal(r.raw, err)
	}
	want, _ := json.Marshal(first)
	if got, _ := json.Marshal(again); string(got) != string(want) {
		t.Errorf("the next owner answers\n%s, the first would have\n%s", got, want)
	}
	w.want(3, 0)
}

// muteForget answers remember and is mute about forget.
type muteForget struct {
	mute
	real tools.Memory
}

func (m muteForget) Remember(ctx context.Context, user string, in layers.RememberInput) (layers.RememberOutput, error) {
	return m.real.Remember(ctx, user, in)
}

func TestRelay_ThirtyTwoStartAtOnceAndNoneIsRefused(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	var places []*place
	for range 32 {
		places = append(places, newPlace(t, dir))
	}
	for i, p := range places {
		w := p.wire(t)
		all.Go(func() {
			w.begin()
			w.ask(1, "remember", text(fmt.Sprintf("Runner %d crossed the line.", i)))
		})
	}
	all.Wait()
	owners := 0
	for _, p := range places {
		owners += len(p.owned)
	}
	if owners != 1 {
		t.Errorf("%d owners", owners)
	}
	w := places[7].wire(t)
	w.begin()
	w.want(1, 32)
}

func TestRelay_AStaleSocketAndPortAreCleared(t *testing.T) {
	dir := t.TempDir()
	left, err := listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	_ = left.Listener.Close() // as a kill does, but for the file
	for _, name := range []string{socketName, portName} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(`{"addr":"127.0.0.1:1","secret":"x"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := newPlace(t, dir).wire(t)
	w.begin()
	w.ask(1, "remember", text("The tongs are new."))
	if _, err := os.Stat(filepath.Join(dir, portName)); hasSockets(filepath.Join(dir, socketName)) && err == nil {
		t.Error("what an earlier owner left is still there")
	}
}

// A folder with something in it cannot be cleared away.
func TestRelay_WhatStandsInTheSocketsPlaceRefusesNobody(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, socketName, "kept"), 0o700); err != nil {
		t.Fatal(err)
	}
	owner, attached := newPlace(t, dir).wire(t), newPlace(t, dir).wire(t)
	owner.begin()
	attached.begin()
	attached.ask(1, "remember", text("The tongs are new."))
	owner.want(1, 1)
}

func TestRelay_ADeletedSocketIsMadeAgain(t *testing.T) {
	for name, dir := range map[string]string{
		socketName: t.TempDir(),
		portName:   filepath.Join(t.TempDir(), strings.Repeat("long", 25)),
	} {
		if name == socketName && !hasSockets(filepath.Join(dir, socketName)) {
			continue // the folder of the tests is too deep for one
		}
		owner := newPlace(t, dir).wire(t)
		owner.begin()
		owner.ask(1, "remember", text("The tongs are new."))
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		attached := newPlace(t, dir).wire(t)
		attached.begin()
		attached.want(1, 1)
	}
}

func TestRelay_ALongPathGoesOverAPort(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 25))
	owner, attached := newPlace(t, dir).wire(t), newPlace(t, dir).wire(t)
	owner.begin()
	attached.begin()
	attached.ask(1, "remember", text("The tongs are new."))
	owner.want(1, 1)
	info, err := os.Stat(filepath.Join(dir, portName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the port's file: %v, %v", info, err)
	}
}

func TestRelay_RefusesWhatIsNoMessage(t *testing.T) {
	w := newPlace(t, t.TempDir()).wire(t)
	w.begin()
	w.send(`{"id":7,`, `[1]`, `{"jsonrpc":"2.0","id":8,"method":"ping","x":"`+strings.Repeat("x", 8<<20)+`"}`)
	for _, want := range []any{7.0, nil, 8.0} {
		if r := w.receive(); r.Error == nil || r.ID != want {
			t.Errorf("%.200s: want an error for id %v", r.raw, want)
		}
	}
	w.ask(9, "recall", `{}`)
}

// The owner's answer is matched by the id as the client wrote it.
func TestRelay_AnswersUnderTheIDThatTheClientWrote(t *testing.T) {
	w := newPlace(t, t.TempDir()).wire(t)
	w.begin()
	for _, id := range []string{`9007199254740993`, `18446744073709551615`, `1.0`, `1e3`, `"a<b>&c"`, `"\u0041"`} {
		w.send(`[{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}]`, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"none","arguments":{}}}`)
		for range 2 {
			if r := w.receive(); !strings.HasPrefix(string(r.raw), `{"jsonrpc":"2.0","id":`+id+`,`) {
				t.Errorf("id %s got %.200s", id, r.raw)
			}
		}
	}
}

// A client that reads nothing holds nobody else up.
func TestRelay_ASlowReaderIsAlone(t *testing.T) {
	dir := t.TempDir()
	slow, other := newPlace(t, dir).wire(t), newPlace(t, dir).wire(t)
	slow.begin()
	other.begin()
	for i := range 300 {
		slow.send(call(i, "remember", text(fmt.Sprintf("Card %d is pinned.", i))))
	}
	other.ask(1, "remember", text("The tongs are new."))
	got := map[any]bool{}
	for range 300 {
		got[slow.receive().ID] = true
	}
	if len(got) != 300 {
		t.Errorf("%d of 300 answers came", len(got))
	}
}

// A process that cannot open the store leaves it to one that can; alone, it stays
// and says so.
func TestSeat_WhoCannotOpenTheStoreLeavesItToOthers(t *testing.T) {
	dir := t.TempDir()
	tried := make(chan struct{}, 10)
	broken := newPlace(t, dir, func(p *place, o *Options) {
		o.Own = func(ctx context.Context) (Owned, error) {
			owned, err := p.own(ctx)
			owned.Opened = func() error { tried <- struct{}{}; return errors.New("no such model") }
			return owned, err
		}
	})
	w := broken.wire(t)
	w.begin()
	<-tried
	if !broken.Owns() {
		t.Fatal("a process that is alone gave up the store")
	}
	sound := newPlace(t, dir)
	other := sound.wire(t)
	other.begin()
	other.ask(1, "remember", text("The anvil is in the yard."))
	<-tried
	for id := 2; !sound.Owns() || broken.Owns(); id++ {
		other.ask(id, "recall", `{"query":"anvil"}`)
	}
	for id := 1; ; id++ { // until the link has found the other process
		w.send(call(id, "recall", `{"query":"anvil"}`))
		r := w.receive()
		if !r.Result.IsError {
			break
		}
		if !strings.Contains(r.raw, "no such model") {
			t.Fatalf("meanwhile: %s", r.raw)
		}
	}
}

// Users of attached processes are asked like the owner's own, and again by the next
// owner where the one that asked is gone.
func TestRelay_AUserIsAskedThroughTheOwner(t *testing.T) {
	dir := t.TempDir()
	first, second := newPlace(t, dir), newPlace(t, dir)
	owner := first.wire(t)
	owner.begin()
	w := second.wire(t)
	w.send(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
	w.receive()
	w.ask(1, "remember", text("The raft holds six."))
	w.send(call(2, "forget", `{"query":"raft"}`))
	asked := w.receive()
	if asked.Method != "elicitation/create" || !strings.Contains(string(asked.Params), "The raft holds six.") {
		t.Fatalf("asked %s", asked.raw)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	var again reply
	for again.Method != "elicitation/create" { // the first question is taken back before
		again = w.receive()
	}
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":{"action":"accept","content":{}}}`, asked.ID), // of nobody any more
		fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":{"action":"accept","content":{}}}`, again.ID))
	if r := w.receive(); r.ID != 2.0 || !strings.Contains(string(r.Result.StructuredContent), `"forgotten":1,`) {
		t.Errorf("answered %s", r.raw)
	}
	w.want(3, 0)
}

// A client of an attached process that ended its input cannot say yes any more: it is
// answered at once, as the owner's own is.
func TestRelay_AClientThatEndedItsInputIsAskedNoMore(t *testing.T) {
	dir := t.TempDir()
	owner := newPlace(t, dir).wire(t)
	owner.begin()
	w := newPlace(t, dir).wire(t)
	w.send(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
	w.receive()
	w.ask(1, "remember", text("The raft holds six."))
	w.send(call(2, "forget", `{"query":"raft"}`))
	if asked := w.receive(); asked.Method != "elicitation/create" {
		t.Fatalf("asked %s", asked.raw)
	}
	if err := w.in.Close(); err != nil {
		t.Fatal(err)
	}
	if r := w.receive(); r.ID != 2.0 || !strings.Contains(string(r.Result.StructuredContent), `"confirm":"`) {
		t.Errorf("answered %s", r.raw)
	}
	owner.want(3, 1)
}
