package remote

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

var (
	errTooMany        = errors.New("too many sessions of this token")
	errUnknownSession = errors.New("unknown session")
)

// sessions knows whose every open session is, of both transports.
type sessions struct {
	max int // of one token

	mu    sync.Mutex // guards what follows
	owner map[string][sha256.Size]byte
	count map[[sha256.Size]byte]int
	ears  map[string]int // open streams, by session
}

func newSessions(limit int) *sessions {
	return &sessions{max: limit, owner: map[string][sha256.Size]byte{}, count: map[[sha256.Size]byte]int{}, ears: map[string]int{}}
}

// open makes a session id that belongs to token. Error: errTooMany.
func (s *sessions) open(token [sha256.Size]byte) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count[token] >= s.max {
		return "", errTooMany
	}
	id := "session-" + rand.Text()
	s.owner[id] = token
	s.count[token]++
	return id, nil
}

// owns reports whether the session is open and belongs to token.
func (s *sessions) owns(id string, token [sha256.Size]byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	owner, ok := s.owner[id]
	return ok && owner == token
}

func (s *sessions) known(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.owner[id]
	return ok
}

// close ends a session; one that is not open is no error.
func (s *sessions) close(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token, ok := s.owner[id]
	if !ok {
		return
	}
	delete(s.owner, id)
	if s.count[token]--; s.count[token] == 0 {
		delete(s.count, token)
	}
}

// listen counts a stream on which the session can be asked something, until done.
func (s *sessions) listen(id string) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ears[id]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.ears[id]--; s.ears[id] == 0 {
			delete(s.ears, id)
		}
	}
}

func (s *sessions) listens(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ears[id] > 0
}

type reservedKey struct{}

// withReserved carries the id of the session that the request is to open.
func withReserved(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, reservedKey{}, id)
}

func reserved(ctx context.Context) string {
	id, _ := ctx.Value(reservedKey{}).(string)
	return id
}

// ResolveSessionIdManager hands mcp-go the ids that were made before it was
// asked, when a session over the limit could still be refused with a status.
// Its request is nil when mcp-go ends idle sessions.
func (s *sessions) ResolveSessionIdManager(r *http.Request) server.SessionIdManager {
	if r == nil {
		return sessionIDs{sessions: s}
	}
	return sessionIDs{sessions: s, reserved: reserved(r.Context())}
}

type sessionIDs struct {
	sessions *sessions
	reserved string
}

// Generate returns the reserved id.
func (m sessionIDs) Generate() string { return m.reserved }

// Validate refuses ids that are not open. Whose they are is checked before.
func (m sessionIDs) Validate(id string) (isTerminated bool, err error) {
	if !m.sessions.known(id) {
		return false, errUnknownSession
	}
	return false, nil
}

// Terminate ends the session.
func (m sessionIDs) Terminate(id string) (isNotAllowed bool, err error) {
	m.sessions.close(id)
	return false, nil
}
