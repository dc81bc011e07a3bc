package relay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// fakeOwner holds a directory's lock and speaks for its owner, line by line.
type fakeOwner struct {
	t    *testing.T
	door *endpoint
	hold *bunt.Hold
}

func newFakeOwner(t *testing.T, dir string) *fakeOwner {
	t.Helper()
	hold, err := bunt.TakeHold(t.Context(), dir, -1)
	if err != nil {
		t.Fatal(err)
	}
	door, err := listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeOwner{t, door, hold}
	t.Cleanup(f.die)
	return f
}

func (f *fakeOwner) die() {
	_ = f.door.Close()
	_ = f.hold.Release()
}

// visitor is a link as its owner sees it.
type visitor struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func (f *fakeOwner) welcome(w Welcome) *visitor {
	f.t.Helper()
	conn, err := f.door.Accept()
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = conn.Close() })
	if err := f.door.handshake(conn); err != nil {
		f.t.Fatal(err)
	}
	v := &visitor{f.t, conn, bufio.NewReader(conn)}
	var h Hello
	if err := readLine(v.in, &h); err != nil || h.User != "ada" || h.Link == "" {
		f.t.Fatalf("hello %+v, error %v", h, err)
	}
	if err := writeLine(conn, w); err != nil {
		f.t.Fatal(err)
	}
	return v
}

// line is the next message but for signs of life, and the number before it.
func (v *visitor) line() (number, message string) {
	v.t.Helper()
	for {
		line, err := v.in.ReadString('\n')
		if err != nil {
			v.t.Fatal(err)
		}
		number, message, _ = strings.Cut(strings.TrimSpace(line), " ")
		if !strings.Contains(message, `"method":"ping"`) {
			return number, message
		}
	}
}

func (v *visitor) say(lines ...string) {
	v.t.Helper()
	for _, line := range lines {
		if _, err := v.conn.Write([]byte(line + "\n")); err != nil {
			v.t.Fatal(err)
		}
	}
}

// onlooker never becomes the owner.
func onlooker(_ *place, o *Options) {
	o.Own = func(context.Context) (Owned, error) { return Owned{}, storage.ErrLocked }
}

func good() Welcome { return Welcome{Relay: protocol, Version: "v1", PID: 4711} }

func TestLink_PassesMessagesBothWaysAsTheyAre(t *testing.T) {
	dir := t.TempDir()
	owner := newFakeOwner(t, dir)
	w := newPlace(t, dir).wire(t)
	v := owner.welcome(good())
	w.send(`{"jsonrpc":"2.0",  "id":1,"method":"tools/call","params":{"name":"extract","_meta":{"progressToken":5}}}`)
	if n, m := v.line(); n != "1" || m != `{"jsonrpc":"2.0",  "id":1,"method":"tools/call","params":{"name":"extract","_meta":{"progressToken":5}}}` {
		t.Errorf("the owner got %s %s", n, m)
	}
	v.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1}}`,
		`{"jsonrpc":"2.0","id":"q1","method":"sampling/createMessage","params":{}}`,
		`{"jsonrpc":"2.0","id":8,"method":"elicitation/create","params":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8,"reason":"late"}}`)
	if r := w.receive(); r.Method != "notifications/progress" {
		t.Errorf("the client got %s", r.raw)
	}
	if r := w.receive(); r.Method != "sampling/createMessage" || r.ID != 1.0 {
		t.Errorf("the client got %s", r.raw)
	}
	if r := w.receive(); r.Method != "elicitation/create" || r.ID != 2.0 {
		t.Errorf("the client got %s", r.raw)
	}
	if r := w.receive(); r.Method != "notifications/cancelled" || string(r.Params) != `{"reason":"late","requestId":2}` {
		t.Errorf("the client got %s", r.raw)
	}
	w.send(`{"jsonrpc":"2.0","id":"stranger","result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","id":"1","result":{"role":"assistant"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	for _, want := range []string{`{"id":"q1","jsonrpc":"2.0","result":{"role":"assistant"}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`} {
		if n, m := v.line(); n != "0" || m != want {
			t.Errorf("the owner got %s %s, want %s", n, m, want)
		}
	}
}

// The session goes on with the next owner: initialize is said again and answered
// to nobody, calls in flight come again under their numbers, those that were
// cancelled do not, and the client is told that nobody waits for its answers.
func TestLink_BeginsTheSessionAgainWithTheNextOwner(t *testing.T) {
	dir := t.TempDir()
	first := newFakeOwner(t, dir)
	w := newPlace(t, dir, onlooker).wire(t)
	v := first.welcome(good())
	w.send(initialize)
	if _, m := v.line(); m != initialize {
		t.Fatalf("the owner got %s", m)
	}
	v.say(`{"jsonrpc":"2.0","id":"start","result":{}}`)
	w.receive()
	started := `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	w.send(started, call(1, "remember", text("one")), call(2, "remember", text("two")), call(3, "recall", `{}`),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	for range 5 {
		v.line()
	}
	v.say(`{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{}}`)
	w.receive()
	first.die()
	_ = v.conn.Close()

	if r := w.receive(); r.Method != "notifications/cancelled" || !bytes.Contains(r.Params, []byte(`"requestId":1,`)) {
		t.Errorf("the client got %s", r.raw)
	}
	v = newFakeOwner(t, dir).welcome(good())
	w.send(`{"jsonrpc":"2.0","id":1,"result":{}}`, call(4, "recall", `{}`))
	if n, m := v.line(); n != "0" || m != initialize {
		t.Fatalf("the next owner got %s %s first", n, m)
	}
	v.say(`{"jsonrpc":"2.0","id":"start","result":{}}`)
	for _, want := range []struct{ number, message string }{
		{"0", started}, {"2", call(1, "remember", text("one"))}, {"4", call(3, "recall", `{}`)}, {"5", call(4, "recall", `{}`)},
	} {
		if n, m := v.line(); n != want.number || m != want.message {
			t.Errorf("the next owner got %s %s, want %s %s", n, m, want.number, want.message)
		}
	}
	v.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	if r := w.receive(); r.ID != 1.0 {
		t.Errorf("the client got %s", r.raw)
	}
}

func TestLink_AFrozenOwnerIsNamedAndFoundAgain(t *testing.T) {
	dir := t.TempDir()
	owner := newFakeOwner(t, dir)
	w := newPlace(t, dir, func(_ *place, o *Options) { o.Silence = 300 * time.Millisecond }).wire(t)
	v := owner.welcome(good())
	w.send(call(1, "remember", text("one")))
	r := w.receive()
	if !r.Result.IsError || !strings.Contains(r.raw, "pid 4711") || !strings.Contains(r.raw, "whether the call was done is not known") {
		t.Errorf("a call that was sent: %s", r.raw)
	}
	w.send(call(2, "remember", text("two")), `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	if r = w.receive(); !r.Result.IsError || !strings.Contains(r.raw, "nothing was done") {
		t.Errorf("a call that was not: %s", r.raw)
	}
	if r = w.receive(); r.Error == nil || !strings.Contains(r.Error.Message, "does not answer") {
		t.Errorf("a request that is no call: %s", r.raw)
	}
	v.line()
	v.say(`{"jsonrpc":"2.0","id":1,"result":{}}`) // the late answer is nobody's
	w.send(call(4, "recall", `{}`))
	if _, m := v.line(); m != call(4, "recall", `{}`) {
		t.Errorf("the owner got %s", m)
	}
	v.say(`{"jsonrpc":"2.0","id":4,"result":{}}`)
	if r = w.receive(); r.ID != 4.0 {
		t.Errorf("after the thaw: %s", r.raw)
	}
}

func TestLink_AnOwnerThatSaysNothingAtAllIsNamed(t *testing.T) {
	dir := t.TempDir()
	owner := newFakeOwner(t, dir)
	w := newPlace(t, dir, func(_ *place, o *Options) { o.Patience = 300 * time.Millisecond }).wire(t)
	w.send(initialize)
	if r := w.receive(); r.Error == nil || !strings.Contains(r.Error.Message, "nothing was done") {
		t.Errorf("initialize: %s", r.raw)
	}
	owner.die()
	for { // the lock is free: the process becomes the owner, if not at once
		w.send(initialize)
		if r := w.receive(); r.Error == nil {
			break
		} else if !strings.Contains(r.Error.Message, "nothing was done") {
			t.Fatalf("initialize again: %s", r.raw)
		}
	}
	w.ask(1, "remember", text("one"))
}

func TestLink_AVersionThatSpeaksAnotherProtocolIsNamed(t *testing.T) {
	dir := t.TempDir()
	owner := newFakeOwner(t, dir)
	w := newPlace(t, dir).wire(t)
	owner.welcome(Welcome{Relay: 99, Version: "v9.9", PID: 4711})
	w.send(call(1, "recall", `{}`), call(2, "recall", `{}`))
	for range 2 {
		r := w.receive()
		if !r.Result.IsError || !strings.Contains(r.raw, "v9.9") || !strings.Contains(r.raw, "mcp-memory test") {
			t.Errorf("the refusal: %s", r.raw)
		}
	}
}

func TestHost_RefusesWhatItDoesNotKnow(t *testing.T) {
	dir := t.TempDir()
	p := newPlace(t, dir)
	if own, err := p.Take(t.Context()); !own || err != nil {
		t.Fatal(own, err)
	}
	other, rights := p.hello("ada"), p.hello("ada")
	other.Relay, other.Version, rights.Rights = 0, "v0.1", "half"
	for want, h := range map[string]Hello{"v0.1": other, `rights "half"`: rights} {
		conn, err := dial(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		w, err := exchange(conn, bufio.NewReader(conn), h)
		if err != nil || !strings.Contains(w.Refused, want) {
			t.Errorf("%+v, error %v; want a refusal that says %s", w, err, want)
		}
		if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Error("the connection is still open")
		}
		_ = conn.Close()
	}
}

func TestPort_StrangersStayOutAndLearnNothing(t *testing.T) {
	dir := t.TempDir()
	door, err := listenPort(dir + "/" + portName)
	if err != nil {
		t.Fatal(err)
	}
	defer door.Close()
	ended := make(chan error, 2)
	go func() {
		for range 2 {
			conn, err := door.Accept()
			if err != nil {
				ended <- err
				return
			}
			_ = conn.SetDeadline(time.Now().Add(time.Minute))
			ended <- door.handshake(conn)
			_ = conn.Close()
		}
	}()
	conn, err := net.Dial("tcp", door.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := proveAttached(conn, "a guess"); err == nil {
		t.Error("an owner without the right secret was believed")
	}
	_ = conn.Close()
	if err := <-ended; err == nil {
		t.Error("a stranger was let in")
	}
	raw, err := os.ReadFile(dir + "/" + portName)
	if err != nil {
		t.Fatal(err)
	}
	var p port
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	if conn, err = dial(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if err := <-ended; err != nil {
		t.Errorf("one who knows the secret was refused: %v", err)
	}
}

// Whatever comes over a connection costs that connection alone.
func FuzzHost_ReadsWhateverComes(f *testing.F) {
	hello, err := json.Marshal(Hello{Relay: protocol, Version: "v", Link: "l", User: "ada", Rights: rightsAll})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(string(hello) + "\n1 " + call(1, "recall", `{}`) + "\n"))
	f.Add([]byte(string(hello) + "\nx\n0\n 1 {}\n\n18446744073709551616 {\"id\":1}\n"))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte(`{"relay":1}` + "\n"))
	dir := f.TempDir()
	p := &place{dir: dir, owned: make(chan struct{}, 1)}
	p.Seat = NewSeat(Options{Dir: dir, Version: "test", Own: p.own})
	h, err := p.Seat.own(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = p.Close() })
	f.Fuzz(func(t *testing.T, said []byte) {
		conn, err := h.local()
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			buffer := make([]byte, 4096)
			for {
				if _, err := conn.Read(buffer); err != nil {
					return
				}
			}
		}()
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = conn.Write(said) // refused where the host has hung up
		_ = conn.Close()
		<-done
	})
}

// Whatever an owner says, the client's session stays one of JSON lines.
func FuzzLink_ReadsWhateverComes(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	f.Add([]byte(`{"id":null,"error":{}}` + "\n" + `{"method":"x","id":{"a":1}}` + "\nnonsense\n"))
	f.Add([]byte(`{"id":"start","result":{}}` + "\n" + `{"id":"start","result":{}}`))
	f.Fuzz(func(t *testing.T, said []byte) {
		var out bytes.Buffer
		l := &link{seat: NewSeat(Options{}), out: newOutbox(&out), look: func() {}}
		ours, theirs := net.Pipe()
		defer theirs.Close()
		go func() { _, _ = bufio.NewReader(theirs).WriteTo(&bytes.Buffer{}) }()
		l.connect(&upstream{conn: ours, in: bufio.NewReader(bytes.NewReader(said)), welcome: good()})
		l.begin()
		for line := range l.lines {
			l.fromOwner(line)
		}
		l.lost()
		l.out.close(t.Context(), time.Minute)
		for _, line := range bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n")) {
			if len(line) > 0 && !json.Valid(line) {
				t.Errorf("the client got %q", line)
			}
		}
	})
}

// A client that wrote its calls and closed its input gets all answers, also where the
// owner takes longer for them than a process that is told to end may; what the owner
// asks meanwhile is answered in the client's place, and however slowly it reads.
func TestLink_AnswersAllCallsOfAClientThatClosedItsInput(t *testing.T) {
	dir := t.TempDir()
	owner := newFakeOwner(t, dir)
	w := newPlace(t, dir, func(_ *place, o *Options) { o.Silence = time.Hour }).wire(t) // nobody answers its pings
	v := owner.welcome(good())
	const calls = 100
	for id := range calls {
		w.send(call(id, "remember", text("one of many")))
		v.line()
	}
	if err := w.in.Close(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(stopTime + tickEvery) // the time that is to be outlasted, nothing is waited for
	v.say(`{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{}}`)
	if _, m := v.line(); !strings.Contains(m, `"id":"q1"`) || !strings.Contains(m, `"code":-32010`) {
		t.Errorf("the owner got %s", m)
	}
	for id := range calls {
		v.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
		if id == calls-1 {
			time.Sleep(2 * flushTime) // likewise: nothing more is to come, and the client is slow to read
		}
		if r := w.receive(); r.ID != float64(id) || r.Error != nil || r.Result.IsError {
			t.Fatalf("answered %s", r.raw)
		}
	}
	if err := <-w.ended; err != nil {
		t.Errorf("ended with %v", err)
	}
}
