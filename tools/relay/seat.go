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

	mu     sync.Mutex // guards what follows; held while the process becomes the owner
	host   *host      // nil: another process is the owner, or nobody
	owner  int        // pid of the owner that was found last
	closed bool
}

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
	s.closed = true
	h := s.host
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
	return h, nil
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
	switch {
	case err == nil:
		return "the memory is not reachable yet; nothing was done\ncall again in a moment"
	case errors.As(err, &refused):
		return refused.text
	case errors.Is(err, errEnding):
		return errEnding.Error() + "; nothing was done\nleave the input open until the answers have come"
	case errors.Is(err, errSilent):
		return err.Error() + "; nothing was done\nit may be stopped or overloaded: call again in a moment, or end that process, and another one takes over"
	case errors.Is(err, storage.ErrLocked):
		return fmt.Sprintf("%v, which does not take calls of others; nothing was done\ncall again when it has ended", err)
	}
	return fmt.Sprintf("the memory cannot be reached: %v; nothing was done\ncall again in a moment", err)
}
