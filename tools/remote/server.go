package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/layers"
)

// Transports that a server can offer.
const (
	HTTP = "http" // streamable HTTP at /mcp
	SSE  = "sse"  // the older pair /sse and /message
	Both = "both"
)

const (
	defaultAddr        = "127.0.0.1:7373"
	defaultMaxSessions = 256
	defaultIdle        = 30 * time.Minute
	// headerTime is how long a client may take to send its headers.
	headerTime = 10 * time.Second
	// stopTime is how long calls in flight may go on when the server stops.
	stopTime = 1500 * time.Millisecond
)

// Options configure a Server. Server is required.
type Options struct {
	Server      *server.MCPServer
	Transport   string            // HTTP, SSE or Both (default)
	Addr        string            // default 127.0.0.1:7373; port 0 takes a free one
	Tokens      map[string]string // token → user; none: no token is asked
	DefaultUser string            // of a server without tokens; default layers.DefaultUser
	MaxSessions int               // of one token; default 256
	// SessionIdle ends a streamable HTTP session without requests or an open
	// stream, give or take a half; default 30 min. An SSE session ends with its
	// stream.
	SessionIdle time.Duration
	Log         *slog.Logger // nil: nothing is logged
}

// Server serves MCP over HTTP.
type Server struct {
	guard    guard
	sessions *sessions
	inFlight *gauge
	log      *slog.Logger

	listener   net.Listener
	port       string
	http       *http.Server
	streamed   *server.StreamableHTTPServer // nil: not offered
	sse        *server.SSEServer            // nil: not offered
	cutStreams context.CancelFunc
}

// New checks the options and binds the address, so that [Server.Addr] is known
// and an address in use is an error here. [Server.Serve] must follow: it owns
// what New opened.
//
// Errors: an address that other machines can reach, an unknown transport, or
// that of listening.
func New(opts Options) (*Server, error) {
	opts = withDefaults(opts)
	if err := check(opts); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", opts.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", opts.Addr, err)
	}
	host, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil || !isLoopback(host) {
		// A hosts file can point localhost anywhere.
		_ = listener.Close()
		return nil, fmt.Errorf("%s is %s on this machine, which is no loopback address", opts.Addr, listener.Addr())
	}
	s := &Server{
		guard:    newGuard(opts.Tokens, opts.DefaultUser),
		sessions: newSessions(opts.MaxSessions),
		inFlight: newGauge(maxInFlight),
		log:      opts.Log,
		listener: listener,
		port:     port,
	}
	s.build(opts)
	return s, nil
}

func withDefaults(opts Options) Options {
	if opts.Transport == "" {
		opts.Transport = Both
	}
	if opts.Addr == "" {
		opts.Addr = defaultAddr
	}
	if opts.DefaultUser == "" {
		opts.DefaultUser = layers.DefaultUser
	}
	if opts.MaxSessions == 0 {
		opts.MaxSessions = defaultMaxSessions
	}
	if opts.SessionIdle == 0 {
		opts.SessionIdle = defaultIdle
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return opts
}

func check(opts Options) error {
	if opts.Transport != HTTP && opts.Transport != SSE && opts.Transport != Both {
		return fmt.Errorf("transport %q: http, sse or both is wanted", opts.Transport)
	}
	for token, user := range opts.Tokens {
		if token == "" || user == "" {
			return errors.New("a token or its user is empty")
		}
	}
	return checkAddr(opts.Addr)
}

// build makes the transports that are asked for and the HTTP server.
func (s *Server) build(opts Options) {
	if opts.Transport != SSE {
		s.streamed = server.NewStreamableHTTPServer(opts.Server,
			server.WithSessionIdManagerResolver(s.sessions),
			server.WithSessionIdleTTL(opts.SessionIdle),
			// A ping is a sign of life: an open stream keeps its session.
			server.WithHeartbeatInterval(opts.SessionIdle/4),
			server.WithEventStore(newEvents()),
			server.WithStreamableHTTPLogger(opts.Log),
		)
	}
	if opts.Transport != HTTP {
		s.sse = server.NewSSEServer(opts.Server,
			server.WithSessionIDGenerator(func(ctx context.Context, _ *http.Request) (string, error) {
				return reserved(ctx), nil
			}),
			server.WithKeepAliveInterval(opts.SessionIdle/4),
			// Without an origin of its own mcp-go lets every page read.
			server.WithSSECORS(server.WithCORSAllowedOrigins("http://"+s.Addr())),
		)
	}
	streams, cancel := context.WithCancel(context.Background())
	s.cutStreams = cancel
	s.http = &http.Server{
		Handler:           s.routes(s.streamed, s.sse),
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return streams },
		ErrorLog:          slog.NewLogLogger(opts.Log.Handler(), slog.LevelWarn),
	}
}

// Addr returns the address listened on, with the port that port 0 became.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Serve answers requests until ctx is done, then lets calls in flight end, for
// 1.5 s at most, and closes everything. It returns nil after ctx, else why it
// could not go on.
func (s *Server) Serve(ctx context.Context) error {
	s.log.Info("listening", "addr", s.Addr())
	ended := make(chan error, 1)
	go func() { ended <- s.http.Serve(s.listener) }()
	select {
	case err := <-ended:
		s.stop()
		return fmt.Errorf("serve on %s: %w", s.Addr(), err)
	case <-ctx.Done():
		s.stop()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve on %s: %w", s.Addr(), err)
		}
		return nil
	}
}

// stop ends the streams, which would never end on their own, and waits for the
// rest.
func (s *Server) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	defer s.cutStreams()
	if s.streamed != nil {
		// It has no HTTP server of its own, so this ends sessions and sweeper
		// and cannot fail.
		_ = s.streamed.Shutdown(ctx)
	}
	if s.sse != nil {
		s.sse.CloseSessions()
	}
	if err := s.http.Shutdown(ctx); err != nil {
		s.log.Info("closed connections that were still open", "reason", err.Error())
		_ = s.http.Close()
	}
}
