package tools

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// session is one connection's MCP session. mcp-go's own for stdio is one for
// the whole process; several connections of attached processes need one each.
type session struct {
	id            string
	notifications chan mcp.JSONRPCNotification
	initialized   atomic.Bool
	requests      *requests // to the client
	client        atomic.Pointer[mcp.Implementation]
	capabilities  atomic.Pointer[mcp.ClientCapabilities]
}

var (
	_ server.SessionWithClientInfo  = (*session)(nil)
	_ server.SessionWithSampling    = (*session)(nil)
	_ server.SessionWithElicitation = (*session)(nil)
)

// waitingNotifications is how many notifications a slow client may be behind;
// mcp-go drops what is over.
const waitingNotifications = 64

func newSession(r *requests) *session {
	return &session{id: "stream-" + rand.Text(), notifications: make(chan mcp.JSONRPCNotification, waitingNotifications), requests: r}
}

// SessionID returns the session's random id.
func (s *session) SessionID() string { return s.id }

// Initialize marks the session as initialized.
func (s *session) Initialize() { s.initialized.Store(true) }

// Initialized reports whether Initialize was called.
func (s *session) Initialized() bool { return s.initialized.Load() }

// NotificationChannel takes notifications for the client.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }

// SetClientInfo keeps what the client calls itself.
func (s *session) SetClientInfo(info mcp.Implementation) { s.client.Store(&info) }

// GetClientInfo returns what the client calls itself; zero before initialize.
func (s *session) GetClientInfo() mcp.Implementation { return value(&s.client) }

// SetClientCapabilities keeps what the client can do.
func (s *session) SetClientCapabilities(c mcp.ClientCapabilities) { s.capabilities.Store(&c) }

// GetClientCapabilities returns what the client can do; zero before initialize.
func (s *session) GetClientCapabilities() mcp.ClientCapabilities { return value(&s.capabilities) }

// RequestSampling asks the client's model. Errors: *responseError where the client
// says no, else ctx's.
func (s *session) RequestSampling(ctx context.Context, request mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	raw, err := s.requests.ask(ctx, string(mcp.MethodSamplingCreateMessage), request.CreateMessageParams)
	if err != nil {
		return nil, err
	}
	var result mcp.CreateMessageResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, errors.New("the client's answer is no message")
	}
	if result.Content, err = mcp.ParseSamplingContent(result.Content); err != nil {
		return nil, errors.New("the client's answer holds no content that is known")
	}
	return &result, nil
}

// RequestElicitation asks the client's user. Errors are those of RequestSampling.
func (s *session) RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	raw, err := s.requests.ask(ctx, string(mcp.MethodElicitationCreate), request.Params)
	if err != nil {
		return nil, err
	}
	var result mcp.ElicitationResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, errors.New("the client's answer is none to a question")
	}
	return &result, nil
}

func value[T any](p *atomic.Pointer[T]) T {
	if v := p.Load(); v != nil {
		return *v
	}
	var zero T
	return zero
}
