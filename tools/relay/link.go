package relay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"mcp-memory/internal/jsonrpc"
)

// How long calls in flight may go on: when the client's input has ended, since one
// that wrote its requests and closed the pipe gets its answers, hundreds of writes
// among them; and when the process is to end, by a signal or since its parent is gone.
const (
	drainTime = 30 * time.Second
	stopTime  = 1500 * time.Millisecond
)

// tickEvery is how often waiting calls are looked after.
const tickEvery = 250 * time.Millisecond

// flushTime bounds how long last answers may take to be written when the process is
// to end. A client that closed its input may be slower to read them.
const flushTime = 200 * time.Millisecond

// Relay serves the session of user's client over in and out, whoever owns the
// store, until in ends, out breaks or ctx is done. Calls in flight have 30 s to be
// answered when in ends, and their answers as long to be read, and 1.5 s from when
// ctx is done; what they ask the client then is answered in its place. The goroutine that reads in ends with in. It
// returns nil at the end of in, ctx's error, or that of in or out.
func (s *Seat) Relay(ctx context.Context, user string, in io.Reader, out io.Writer) error {
	return s.relay(ctx, s.hello(user), in, out)
}

func (s *Seat) relay(ctx context.Context, h Hello, in io.Reader, out io.Writer) error {
	l := &link{seat: s, hello: h, out: newOutbox(out), events: make(chan event)}
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	defer running.Wait()
	defer l.out.close(ctx, drainTime)
	defer l.disconnect()
	defer cancel()
	l.look = func() { running.Go(func() { l.find(work) }) }
	return l.run(ctx, in)
}

// link is one client's session. All its state belongs to the goroutine that
// runs it.
type link struct {
	seat   *Seat
	hello  Hello
	out    *outbox    // to the client
	events chan event // of those that look for an owner
	look   func()     // starts looking for one
	calls  calls

	start, started []byte // the client's initialize, once answered, and its initialized

	up      *upstream // nil: no owner is known
	send    *outbox   // to the owner
	lines   chan []byte
	gone    chan struct{} // closed when up is given up
	ready   bool          // the session has begun there
	asked   asked
	mute    bool // the client says nothing any more
	quiet   int  // ticks since the owner said something, while it should
	pings   uint64
	frozen  bool
	trouble error // what is in the way of an owner
}

// event is what came of looking for an owner.
type event struct {
	up      *upstream
	trouble error
}

// find looks for an owner until there is one.
func (l *link) find(ctx context.Context) {
	tell := func(e event) {
		select {
		case l.events <- e:
		case <-ctx.Done():
			if e.up != nil {
				_ = e.up.conn.Close()
			}
		}
	}
	up, err := l.seat.connect(ctx, l.hello, func(err error) { tell(event{trouble: err}) })
	if ctx.Err() == nil || up != nil {
		tell(event{up, err})
	}
}

func (l *link) run(ctx context.Context, in io.Reader) error {
	l.look()
	stop := make(chan struct{})
	defer close(stop)
	client := make(chan jsonrpc.Line)
	end := jsonrpc.Feed(in, client, stop)
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	var drain <-chan time.Time // set when no more comes from the client
	var why error
	done := ctx.Done()
	for drain == nil || len(l.calls.list) > 0 {
		select {
		case line := <-client:
			l.fromClient(line)
		case err := <-end:
			why, end, drain = err, nil, time.After(drainTime)
			l.hush()
		case <-done:
			why, done, client, end, drain = ctx.Err(), nil, nil, nil, time.After(stopTime)
			l.hush()
		case <-drain:
			if l.up != nil { // the owner is there, and slower than the client had time
				l.trouble = errEnding
			}
			l.refuse(func(*pending) bool { return true }, l.trouble)
			return why
		case e := <-l.events:
			l.found(e)
		case line, ok := <-l.fromUpstream():
			if !ok {
				l.lost()
				continue
			}
			l.fromOwner(line)
		case <-l.out.room:
		case <-l.out.broken:
			return fmt.Errorf("write to the client: %w", l.out.failed())
		case now := <-tick.C:
			l.watch(now)
		}
	}
	return why
}

// hush answers the owner in the place of a client that says nothing any more.
func (l *link) hush() {
	l.mute = true
	for _, line := range l.asked.end() {
		l.send.put(numbered(0, line))
	}
}

// fromUpstream is where the owner's lines come from; nil while the client is too
// slow to take more.
func (l *link) fromUpstream() <-chan []byte {
	if l.out.full() {
		return nil
	}
	return l.lines
}

// fromClient takes a line of the client.
func (l *link) fromClient(line jsonrpc.Line) {
	if len(line.Text) == 0 {
		return
	}
	if line.Over {
		l.out.put(jsonrpc.Refusal(jsonrpc.IDOf(line.Text), jsonrpc.CodeInvalid, fmt.Sprintf("the message is longer than %d bytes", jsonrpc.MaxLine)))
		return
	}
	m, err := jsonrpc.Peek(line.Text)
	switch {
	case err != nil:
		l.out.put(jsonrpc.Refusal(jsonrpc.IDOf(line.Text), jsonrpc.CodeParse, "the line is not valid JSON, or nests too deeply"))
	case m.IsResponse():
		l.answer(m, line.Text)
	case m.IsNotification():
		l.notify(m, line.Text)
	case l.calls.full():
		l.out.put(jsonrpc.Refusal(m.ID, jsonrpc.CodeBusy, fmt.Sprintf("%d requests are waiting for their answers; send more when some have come", len(l.calls.list))))
	default:
		p := l.calls.add(m, line.Text, time.Now())
		l.pass()
		if refusal := l.final(); refusal != nil && !p.sent {
			l.refuse(func(q *pending) bool { return q == p }, refusal)
		}
	}
}

// answer passes on what the client answers to the owner of now. What another
// owner had asked is nobody's business any more.
func (l *link) answer(m jsonrpc.Message, text []byte) {
	if line, waits := l.asked.answered(m.ID, text); waits && l.send != nil {
		l.send.put(numbered(0, line))
	}
}

// notify passes on a notification. That the session has begun is kept, for
// owners to come; a call that was never sent is cancelled here.
func (l *link) notify(m jsonrpc.Message, text []byte) {
	switch m.Method {
	case "notifications/initialized":
		l.started = text
	case "notifications/cancelled":
		if p := l.calls.find(m.Params.RequestID); p != nil {
			p.cancelled = true
			if !p.sent {
				l.calls.drop(func(q *pending) bool { return q == p })
				return
			}
		}
	}
	if l.ready {
		l.send.put(numbered(0, text))
	}
}

// final is why no owner will take calls, where waiting would not help.
func (l *link) final() error {
	var refused *refusedError
	var failed *failedError
	if l.up == nil && (errors.As(l.trouble, &refused) || errors.As(l.trouble, &failed)) {
		return l.trouble
	}
	return nil
}

// found takes a connection to an owner, or what is in the way of one.
func (l *link) found(e event) {
	if e.up == nil {
		l.trouble = e.trouble
		if refusal := l.final(); refusal != nil {
			l.refuse(func(*pending) bool { return true }, refusal)
		}
		return
	}
	l.connect(e.up)
	l.seat.attached(e.up.welcome)
	if l.start == nil {
		l.begin()
		return
	}
	l.send.put(numbered(0, l.start)) // its answer lets the rest begin
}

// connect makes up the owner's connection.
func (l *link) connect(up *upstream) {
	l.up, l.send, l.trouble = up, newOutbox(up.conn), nil
	l.lines, l.gone = make(chan []byte), make(chan struct{})
	l.quiet, l.frozen, l.ready = 0, false, false
	go read(up.in, l.lines, l.gone)
}

// read passes on the owner's lines until the connection ends, and closes lines
// then.
func read(in *bufio.Reader, lines chan<- []byte, gone <-chan struct{}) {
	defer close(lines)
	for {
		line, err := jsonrpc.ReadLine(in)
		if err != nil || line.Over {
			return
		}
		select {
		case lines <- line.Text:
		case <-gone:
			return
		}
	}
}

// begin sends what waits, now that the session stands.
func (l *link) begin() {
	l.ready = true
	if l.start != nil && l.started != nil {
		l.send.put(numbered(0, l.started))
	}
	l.pass()
}

// pass sends what was not sent yet.
func (l *link) pass() {
	if !l.ready || l.frozen {
		return
	}
	if !l.calls.anySent() {
		l.quiet = 0 // until now nothing was due
	}
	for _, p := range l.calls.list {
		if !p.sent {
			p.sent, p.tried = true, true
			l.send.put(p.line())
		}
	}
}

// fromOwner takes a line of the owner.
func (l *link) fromOwner(text []byte) {
	l.quiet = 0
	if l.frozen {
		l.frozen = false
		l.pass()
	}
	m, err := jsonrpc.Peek(text)
	switch {
	case err != nil: // it would break the client's session
	case m.IsResponse() && !m.IsNotification():
		l.response(m, text)
	case m.Method == "notifications/cancelled" && m.IsNotification():
		if line, waits := l.asked.cancelled(m.Params.RequestID, text); waits {
			l.out.put(line)
		}
	case m.IsNotification():
		l.out.put(text)
	case l.mute:
		l.send.put(numbered(0, ended(m.ID)))
	default:
		if line, ok := l.asked.ask(m.ID, text); ok {
			l.out.put(line)
		}
	}
}

// response passes on an answer that somebody waits for.
func (l *link) response(m jsonrpc.Message, text []byte) {
	if strings.HasPrefix(string(m.ID), l.pingPrefix()) {
		return
	}
	if p := l.calls.take(m.ID); p != nil {
		if p.method == "initialize" && m.Result != nil {
			l.start = p.text
		}
		l.out.put(text)
		return
	}
	if !l.ready {
		l.begin() // that was the answer to the start that was said again
	}
}

// lost gives up the connection to an owner that is gone, and looks for the next.
func (l *link) lost() {
	l.disconnect()
	now := time.Now()
	l.calls.drop(func(p *pending) bool { return p.cancelled })
	for _, p := range l.calls.list {
		p.sent, p.since = false, now
	}
	for _, line := range l.asked.drop() {
		l.out.put(line)
	}
	l.seat.log.Info("the owner of the memory is gone; looking for the next", keyCalls, len(l.calls.list))
	l.look()
}

func (l *link) disconnect() {
	if l.up == nil {
		return
	}
	_ = l.up.conn.Close() // it is of no use any more
	close(l.gone)
	l.send.end()
	l.up, l.send, l.lines, l.ready, l.frozen = nil, nil, nil, false, false
}

// watch answers calls that have waited for too long, and asks an owner that is
// silent whether it is there. Silence is counted in ticks: a process that was
// itself stopped for an hour has missed them too.
func (l *link) watch(now time.Time) {
	if l.up != nil && !l.out.full() && (l.frozen || !l.ready || l.calls.anySent()) {
		l.quiet++
		limit := max(2, int(l.seat.options.Silence/tickEvery))
		if l.quiet%max(1, limit/5) == 0 && !l.frozen {
			l.ping()
		}
		if l.quiet >= limit {
			l.frozen = true
			l.refuse(func(p *pending) bool { return p.sent || now.Sub(p.since) > l.seat.options.Silence }, l.silent())
			return
		}
	}
	patience := l.seat.options.Patience
	if errors.Is(l.trouble, errSilent) {
		patience = l.seat.options.Silence
	}
	l.refuse(func(p *pending) bool { return !p.sent && now.Sub(p.since) > patience }, l.trouble)
}

func (l *link) silent() error {
	return fmt.Errorf("%w (pid %d)", errSilent, l.up.welcome.PID)
}

func (l *link) pingPrefix() string { return `"ping-` + l.hello.Link + `-` }

// ping asks the owner for a sign of life.
func (l *link) ping() {
	l.pings++
	l.send.put(fmt.Appendf(nil, `0 {"jsonrpc":"2.0","id":%s%d","method":"ping"}`, l.pingPrefix(), l.pings))
}

// refuse answers calls with what is in the way. Those that were sent may have
// been done.
func (l *link) refuse(which func(*pending) bool, trouble error) {
	for _, p := range l.calls.drop(which) {
		if p.cancelled {
			continue
		}
		text := explain(trouble)
		if p.tried {
			text = strings.ReplaceAll(text, "nothing was done", "whether the call was done is not known")
		}
		l.out.put(p.refusal(text))
	}
}
