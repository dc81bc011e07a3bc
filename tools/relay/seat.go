package relay

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"mcp-memory/storage"
)

// Options configure a Seat. Dir, Version and Own are required.
type Options struct {
	Dir     string
	Version string
	// Settings are told to the owner; see Hello.
	Settings map[string]string
	// Own makes this process the owner. Error: storage.ErrLocked while another
	// process is; any other is told to clients, and Own is tried again.
	Own func(ctx context.Context) (Owned, error)
	// Patience bounds how long a call waits for an owner that is reachable;
	// default 30 s.
	Patience time.Duration
	// Silence is how long an owner may say nothing before it is taken for
	// frozen; default 10 s.
	Silence time.Duration
	Log     *slog.Logger // nil discards
}

const (
	defaultPatience = 30 * time.Second
	defaultSilence  = 10 * time.Second
	// poll is how often an owner is looked for. A process that dies lets go of
	// socket and lock at once, so that a take-over takes some polls.
	poll = 20 * time.Millisecond
	// refusedPoll is the same for an owner that refuses us: it may be replaced.
	refusedPoll = time.Second
)

// Seat is a process's place at a data directory: the owner's, or one beside it.
// It is safe for concurrent use.
type Seat struct {
	options Options
	log     *slog.Logger

	mu      sync.Mutex // guards what follows; held while the process becomes the owner
	host    *host      // nil: another process is the owner, or nobody
	owner   int        // pid of the owner that was found last
	failure error      // why the store could not be opened here
	again   time.Time  // when that is tried again
	backoff time.Duration
	closed  bool
}

// Bounds of how long a process leaves the store to others, when it could not
// open it itself.
const (
	firstBackoff = time.Second
	lastBackoff  = time.Minute
)

// failedError is why this process could not open the store.
type failedError struct{ err error }

// Error says so.
func (e *failedError) Error() string { return "the memory could not be opened: " + e.err.Error() }

// Unwrap returns the reason.
func (e *failedError) Unwrap() error { return e.err }

// NewSeat returns a place that is not taken yet: the first link finds the owner,
// or makes the process the owner.
func NewSeat(o Options) *Seat {
	if o.Patience == 0 {
		o.Patience = defaultPatience
	}
	if o.Silence == 0 {
		o.Silence = defaultSilence
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Seat{options: o, log: o.Log}
}

// Close ends what the process owns, so that another one takes over. Links that
// are still there lose their connection.
func (s *Seat) Close() error {
	s.mu.Lock()
	h := s.host
	s.closed, s.host = true, nil
	s.mu.Unlock()
	if h == nil {
		return nil
	}
	return h.close()
}

// Owns reports whether this process is the owner.
func (s *Seat) Owns() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.host != nil
}

// Take makes the process the owner if nobody is, and reports whether it is.
// Error: that of Options.Own, but for storage.ErrLocked.
func (s *Seat) Take(ctx context.Context) (bool, error) {
	h, err := s.own(ctx)
	if errors.Is(err, storage.ErrLocked) {
		err = nil
	}
	return h != nil, err
}

// own returns this process's host, and makes it if nobody else has the store.
func (s *Seat) own(ctx context.Context) (*host, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, errStopping
	case s.host != nil:
		return s.host, nil
	case time.Now().Before(s.again):
		return nil, &failedError{s.failure}
	}
	owned, err := s.options.Own(ctx)
	if err != nil {
		return nil, err
	}
	h := newHost(owned, s.options.Version, s.log)
	if !owned.Alone {
		if err := h.open(s.options.Dir); err != nil {
			s.log.Error("other processes cannot be served", keyError, err)
		}
	}
	s.host = h
	if owned.Opened != nil {
		go s.keep(h)
	}
	return h, nil
}

// keep gives up what this process owns where it cannot open the store and another
// process stands by: what is wrong may be a setting of this process. A process
// that is alone stays the owner, and its calls say what is wrong.
func (s *Seat) keep(h *host) {
	for {
		err := h.owned.Opened()
		if err == nil {
			close(h.opened)
			s.mu.Lock()
			s.backoff = 0
			s.mu.Unlock()
			return
		}
		h.failed.Store(true)
		if !h.alone() {
			s.leave(h, err)
			return
		}
		select {
		case <-h.came:
		case <-h.ctx.Done():
			return
		}
	}
}

func (s *Seat) leave(h *host, why error) {
	s.mu.Lock()
	if s.host != h { // closed meanwhile
		s.mu.Unlock()
		return
	}
	s.backoff = min(max(2*s.backoff, firstBackoff), lastBackoff)
	s.host, s.failure, s.again = nil, why, time.Now().Add(s.backoff)
	s.mu.Unlock()
	s.log.Warn("the memory is left to another process, as this one cannot open it", keyError, why)
	if err := h.close(); err != nil {
		s.log.Warn("give up the memory", keyError, err)
	}
}

// hello is how a link of the user introduces itself.
func (s *Seat) hello(user string) Hello {
	return Hello{
		Relay: protocol, Version: s.options.Version, PID: os.Getpid(), Link: rand.Text(),
		User: user, Rights: rightsAll, Settings: s.options.Settings,
	}
}

// errEnding says that a session ended before a call was answered.
var errEnding = errors.New("the session ended before the answer came")

// upstream is a connection to the owner that has been introduced.
type upstream struct {
	conn    net.Conn
	in      *bufio.Reader
	welcome Welcome
}

// connect finds the owner, or makes this process it, however long that takes.
// What is in the way meanwhile goes to trouble. Error: ctx's, or errStopping.
func (s *Seat) connect(ctx context.Context, h Hello, trouble func(error)) (*upstream, error) {
	for {
		up, err := s.try(ctx, h)
		if err == nil {
			return up, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, errStopping) {
			return nil, err
		}
		trouble(err)
		wait := poll
		var refused *refusedError
		if errors.As(err, &refused) {
			wait = refusedPoll
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// try looks for an owner once.
func (s *Seat) try(ctx context.Context, h Hello) (*upstream, error) {
	silent := false
	if !s.Owns() {
		up, err := s.visit(ctx, h)
		if up != nil || !errors.Is(err, errNobody) && !errors.Is(err, errSilent) {
			return up, err
		}
		silent = errors.Is(err, errSilent)
	}
	own, err := s.own(ctx)
	if errors.Is(err, storage.ErrLocked) && silent {
		return nil, fmt.Errorf("%w (%v)", errSilent, err)
	}
	if err != nil {
		return nil, err
	}
	conn, err := own.local()
	if err != nil {
		return nil, err
	}
	return introduce(ctx, conn, h)
}

// visit introduces a link to another process that is the owner.
func (s *Seat) visit(ctx context.Context, h Hello) (*upstream, error) {
	conn, err := dial(ctx, s.options.Dir)
	if err != nil {
		return nil, err
	}
	return introduce(ctx, conn, h)
}

// introduce introduces a link over a new connection, which it closes where that
// fails or ctx ends.
func introduce(ctx context.Context, conn net.Conn, h Hello) (*upstream, error) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	in := bufio.NewReaderSize(conn, 64<<10)
	w, err := greet(conn, in, h)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &upstream{conn, in, w}, nil
}

// attached notes which owner a link has found, and what it does not heed.
func (s *Seat) attached(w Welcome) {
	s.mu.Lock()
	known := s.owner == w.PID
	s.owner = w.PID
	s.mu.Unlock()
	if known {
		return
	}
	s.log.Info("the memory is reached", keyOwner, w.PID, keyVersion, w.Version)
	if len(w.Differ) > 0 {
		s.log.Warn("some settings of this process do not count: those of the process that owns the memory do; put them into the config file that all share", keyOwner, w.PID, keyDiffer, w.Differ)
	}
}

// explain is what a client reads about what is in the way.
func explain(err error) string {
	var refused *refusedError
	var failed *failedError
	switch {
	case err == nil:
		return "the memory is not reachable yet; nothing was done\ncall again in a moment"
	case errors.As(err, &refused):
		return refused.text
	case errors.As(err, &failed):
		return failed.Error() + "; nothing was done\nsee to that and call again in a moment"
	case errors.Is(err, errEnding):
		return errEnding.Error() + "; nothing was done\nleave the input open until the answers have come"
	case errors.Is(err, errSilent):
		return err.Error() + "; nothing was done\nit may be stopped or overloaded: call again in a moment, or end that process, and another one takes over"
	case errors.Is(err, storage.ErrLocked):
		return fmt.Sprintf("%v, which does not take calls of others; nothing was done\ncall again when it has ended", err)
	}
	return fmt.Sprintf("the memory cannot be reached: %v; nothing was done\ncall again in a moment", err)
}
