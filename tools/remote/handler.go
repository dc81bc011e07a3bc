package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/tools"
)

const (
	// maxBody bounds a request in bytes.
	maxBody = 4 << 20
	// bodyTime is how long a client may take to send it.
	bodyTime = 30 * time.Second
	// maxInFlight bounds the open requests of a token, streams included.
	maxInFlight = 1024
)

// routes puts the checks in front of the transports.
func (s *Server) routes(streamable *server.StreamableHTTPServer, sse *server.SSEServer) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok\n")
	})
	if streamable != nil {
		mux.Handle("/mcp", s.authenticate(s.streamable(streamable)))
	}
	if sse != nil {
		mux.Handle("/sse", s.authenticate(s.stream(sse.SSEHandler())))
		mux.Handle("/message", s.authenticate(s.message(sse.MessageHandler())))
	}
	return s.local(mux)
}

// local refuses requests that did not come from this machine's own programs.
func (s *Server) local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !hostAllowed(r, s.port):
			http.Error(w, "the Host header does not name this server; use http://"+s.Addr(), http.StatusForbidden)
		case !originAllowed(r):
			http.Error(w, "requests from web pages of other hosts are refused", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// authenticate finds the holder and makes the request its user's.
func (s *Server) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, ok := s.guard.holder(r)
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer realm="mcp-memory"`)
			http.Error(w, "a valid bearer token is wanted: Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		if !s.inFlight.enter(h.token) {
			tooMany(w, "too many requests of this token are open; wait for some to end")
			return
		}
		defer s.inFlight.leave(h.token)
		ctx := context.WithValue(r.Context(), holderKey{}, h)
		next.ServeHTTP(w, r.WithContext(tools.WithUser(ctx, h.user)))
	})
}

func tooMany(w http.ResponseWriter, text string) {
	w.Header().Set("Retry-After", "60")
	http.Error(w, text, http.StatusTooManyRequests)
}

const tooManySessions = "too many sessions of this token are open; end some (DELETE /mcp, or close the SSE stream) or wait until idle ones end"

// streamable guards /mcp. mcp-go does not ask whose a session is, nor whether
// a GET names one at all, so that is done here.
func (s *Server) streamable(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, token := r.Header.Get(server.HeaderKeySessionID), holderOf(r.Context()).token
		switch {
		case id != "" && !s.sessions.owns(id, token):
			http.Error(w, "no such session; initialize a new one", http.StatusNotFound)
		case r.Method == http.MethodPost:
			if !s.sessions.listens(id) {
				r = r.WithContext(tools.WithoutListener(r.Context()))
			}
			s.post(w, r, next)
		case id == "":
			http.Error(w, server.HeaderKeySessionID+" is missing", http.StatusBadRequest)
		case r.Method == http.MethodGet:
			defer s.sessions.listen(id)()
			next.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// post reads the body within its limits and, for initialize, reserves a session
// first; it is given back if none was opened.
func (s *Server) post(w http.ResponseWriter, r *http.Request, next http.Handler) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	var m struct {
		Method string `json:"method"`
	}
	if json.Unmarshal(body, &m) != nil || m.Method != string(mcp.MethodInitialize) {
		next.ServeHTTP(w, r)
		return
	}
	id, err := s.sessions.open(holderOf(r.Context()).token)
	if err != nil {
		tooMany(w, tooManySessions)
		return
	}
	next.ServeHTTP(w, r.WithContext(withReserved(r.Context(), id)))
	if w.Header().Get(server.HeaderKeySessionID) != id {
		s.sessions.close(id)
	}
}

// readBody reads the whole body and puts it back; false if it has answered
// with an error.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	deadline := http.NewResponseController(w)
	// Without deadlines (not net/http's own writer) the read is unbounded in
	// time only; its size stays bounded.
	_ = deadline.SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	_ = deadline.SetReadDeadline(time.Time{})
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		http.Error(w, "the request is larger than 4 MiB; split it into several calls", http.StatusRequestEntityTooLarge)
		return nil, false
	case err != nil:
		http.Error(w, "the request could not be read", http.StatusBadRequest)
		return nil, false
	case refuseFrame(w, body):
		return nil, false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, true
}

// stream guards /sse, whose session lasts as long as the stream.
func (s *Server) stream(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			http.Error(w, "only GET opens a stream", http.StatusMethodNotAllowed)
			return
		}
		id, err := s.sessions.open(holderOf(r.Context()).token)
		if err != nil {
			tooMany(w, tooManySessions)
			return
		}
		defer s.sessions.close(id)
		next.ServeHTTP(w, r.WithContext(withReserved(r.Context(), id)))
	})
}

// message guards /message, which names its session in the query.
func (s *Server) message(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.sessions.owns(r.URL.Query().Get("sessionId"), holderOf(r.Context()).token) {
			http.Error(w, "no such session; open a stream at /sse", http.StatusNotFound)
			return
		}
		if _, ok := readBody(w, r); ok {
			next.ServeHTTP(w, r)
		}
	})
}

// gauge counts what each token has open.
type gauge struct {
	max int

	mu    sync.Mutex // guards count
	count map[[sha256.Size]byte]int
}

func newGauge(limit int) *gauge { return &gauge{max: limit, count: map[[sha256.Size]byte]int{}} }

// enter reports whether there is room for one more; leave gives it back.
func (g *gauge) enter(token [sha256.Size]byte) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.count[token] >= g.max {
		return false
	}
	g.count[token]++
	return true
}

func (g *gauge) leave(token [sha256.Size]byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.count[token]--; g.count[token] == 0 {
		delete(g.count, token)
	}
}
