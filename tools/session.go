package tools

import (
	"crypto/rand"
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
	client        atomic.Pointer[mcp.Implementation]
	capabilities  atomic.Pointer[mcp.ClientCapabilities]
}

var _ server.SessionWithClientInfo = (*session)(nil)

// waitingNotifications is how many notifications a slow client may be behind;
// mcp-go drops what is over.
const waitingNotifications = 64

func newSession() *session {
	return &session{id: "stream-" + rand.Text(), notifications: make(chan mcp.JSONRPCNotification, waitingNotifications)}
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

func value[T any](p *atomic.Pointer[T]) T {
	if v := p.Load(); v != nil {
		return *v
	}
	var zero T
	return zero
}
