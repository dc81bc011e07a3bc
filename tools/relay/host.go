package relay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/layers"
	"mcp-memory/tools"
)

// Keys of log attributes.
const (
	keyPID     = "pid"
	keyOwner   = "owner_pid"
	keyError   = "error"
	keyVersion = "version"
	keyDiffer  = "settings_differ"
	keyStack   = "stack"
	keyCalls   = "calls"
)

// maxLinks bounds the links of one owner: a machine's clients and then some.
const maxLinks = 512

// Owned is what a process has that owns the store.
type Owned struct {
	Server *server.MCPServer
	// Admit returns the context for the calls of a link, and which of its
	// settings do not count. Its error refuses the link and is told to its
	// client.
	Admit func(ctx context.Context, h Hello) (context.Context, []string, error)
	// Alone says that others cannot come in: the process will not have the
	// store for long, or has no directory to listen in.
	Alone bool
	// Opened waits until the store is open, trying again where it could not be. Its
	// error is one that another process might not meet: where one is attached, it
	// becomes the owner. Nil: the store is open.
	Opened func() error
	// Close lets go of the store. It is called once, when no link is served any
	// more.
	Close func() error
}

// host is the owner's side: it serves links.
type host struct {
	owned   Owned
	version string
	log     *slog.Logger
	ctx     context.Context // of all links; ended by stop
	stop    context.CancelFunc
	running sync.WaitGroup

	came   chan struct{} // another process is there
	failed atomic.Bool   // the store could not be opened yet
	opened chan struct{} // closed when it was, after it could not be

	mu       sync.Mutex // guards what follows
	door     *endpoint  // nil: nobody else comes in
	links    map[net.Conn]struct{}
	attached int // links of other processes
	closed   bool
}

func newHost(owned Owned, version string, log *slog.Logger) *host {
	ctx, stop := context.WithCancel(context.Background())
	return &host{owned: owned, version: version, log: log, ctx: ctx, stop: stop, came: make(chan struct{}, 1), opened: make(chan struct{}), links: map[net.Conn]struct{}{}}
}

// doorEvery is how often the endpoint's file is looked after.
const doorEvery = time.Second

// open lets other processes in, for as long as the host is open. Error: they
// cannot come in now; it is tried again.
func (h *host) open(dir string) error {
	h.running.Go(func() {
		tick := time.NewTicker(doorEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = h.keepOpen(dir) // the next tick tries again
			case <-h.ctx.Done():
				return
			}
		}
	})
	return h.keepOpen(dir)
}

// keepOpen listens where that is not done yet, and anew where the endpoint's
// file was deleted: nobody finds the owner without it.
func (h *host) keepOpen(dir string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.door != nil && h.door.isThere() {
		return nil
	}
	if h.door != nil {
		h.log.Warn("the file by which other processes find this one is gone; it is made again")
		_ = h.door.Close() // of no use any more
		h.door = nil
	}
	door, err := listen(dir)
	if err != nil {
		return err
	}
	h.door = door
	h.running.Go(func() { h.accept(door) })
	return nil
}

// accept takes connections until the endpoint is closed. An error that passes
// (no file descriptor left) is waited out.
func (h *host) accept(door *endpoint) {
	for {
		conn, err := door.Accept()
		if errors.Is(err, net.ErrClosed) || h.ctx.Err() != nil {
			return
		}
		if err != nil {
			h.log.Warn("cannot take a connection of another process", keyError, err)
			select {
			case <-time.After(100 * time.Millisecond):
				continue
			case <-h.ctx.Done():
				return
			}
		}
		h.serve(conn, door.handshake)
	}
}

// local returns a connection of this process to itself.
func (h *host) local() (net.Conn, error) {
	ours, theirs := net.Pipe()
	if !h.serve(theirs, nil) {
		return nil, errors.Join(errStopping, ours.Close())
	}
	return ours, nil
}

// errStopping says that this process is about to end.
var errStopping = errors.New("the server is stopping")

// serve serves a connection in the background; false where the host is closed.
func (h *host) serve(conn net.Conn, handshake func(net.Conn) error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		_ = conn.Close()
		return false
	}
	h.links[conn] = struct{}{}
	h.running.Go(func() {
		defer h.leave(conn)
		defer func() { // one link's panic costs that link
			if p := recover(); p != nil {
				h.log.Error("panic while serving another process", keyStack, string(debug.Stack()))
			}
		}()
		h.link(conn, handshake)
	})
	return true
}

func (h *host) leave(conn net.Conn) {
	_ = conn.Close() // nobody is there to be told
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.links, conn)
}

// usable lets another process wait where the store could not be opened here: it
// will be its turn, or the next attempt succeeds. False where it is its turn.
func (h *host) usable() bool {
	if !h.failed.Load() {
		return true
	}
	signal(h.came)
	select {
	case <-h.opened:
		return true
	case <-h.ctx.Done():
		return false
	}
}

func (h *host) attach(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.attached += n
}

// alone reports whether no other process is attached.
func (h *host) alone() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.attached == 0
}

func (h *host) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.links)
}

// link serves one link until it ends. Without a handshake it is this process's
// own.
func (h *host) link(conn net.Conn, handshake func(net.Conn) error) {
	if err := conn.SetDeadline(time.Now().Add(helloTime)); err != nil {
		return
	}
	if handshake != nil {
		if err := handshake(conn); err != nil {
			h.log.Warn("refused a connection", keyError, err)
			return
		}
	}
	in := bufio.NewReaderSize(conn, 64<<10)
	var hello Hello
	if err := readLine(in, &hello); err != nil {
		return // it went before it said who it is
	}
	hello.Attached = handshake != nil
	if hello.Attached {
		h.attach(1)
		defer h.attach(-1)
		if !h.usable() {
			return
		}
	}
	ctx, welcome := h.admit(hello)
	if err := writeLine(conn, welcome); err != nil || welcome.Refused != "" || conn.SetDeadline(time.Time{}) != nil {
		return
	}
	if hello.Attached {
		h.log.Info("another process is attached", keyPID, hello.PID, keyVersion, hello.Version)
	}
	err := tools.Serve(ctx, h.owned.Server, in, conn, tools.Lines{Unordered: hello.Unordered, Log: h.log, Call: func(number string) layers.Call {
		return layers.Call{ID: hello.Link + "/" + number, Keep: hello.Attached}
	}})
	if hello.Attached {
		h.log.Info("another process has gone", keyPID, hello.PID, "reason", reason(err))
	}
}

func reason(err error) string {
	if err == nil {
		return "it ended"
	}
	return err.Error()
}

// admit decides about a link.
func (h *host) admit(hello Hello) (context.Context, Welcome) {
	w := Welcome{Relay: protocol, Version: h.version, PID: os.Getpid()}
	switch {
	case hello.Relay != protocol:
		w.Refused = mismatch(hello.Version, hello.Relay, w.Version, w.Relay, w.PID)
	case hello.Rights != rightsAll:
		w.Refused = fmt.Sprintf("rights %q are not known to mcp-memory %s; nothing was done", hello.Rights, h.version)
	case h.count() > maxLinks:
		w.Refused = fmt.Sprintf("%d sessions use this memory already; nothing was done\nend some of them", maxLinks)
	}
	if w.Refused != "" {
		return nil, w
	}
	ctx, differ, err := h.owned.Admit(tools.WithUser(h.ctx, hello.User), hello)
	if err != nil {
		w.Refused = err.Error()
	}
	w.Differ = differ
	return ctx, w
}

// lastCalls is how long calls that were cancelled may take to notice.
const lastCalls = 300 * time.Millisecond

// close ends all links, so that their processes look for another owner, and
// lets go of the store. What was not answered was cut off without an answer: it
// is sent again to the next owner.
func (h *host) close() error {
	err := h.shut()
	h.stop()
	gone := make(chan struct{})
	go func() { h.running.Wait(); close(gone) }()
	select {
	case <-gone:
	case <-time.After(lastCalls):
	}
	return errors.Join(err, h.owned.Close())
}

func (h *host) shut() (err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if h.door != nil {
		err = h.door.Close()
	}
	for conn := range h.links {
		_ = conn.Close() // before its calls are cancelled
	}
	return err
}
