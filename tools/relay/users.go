package relay

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/tools"
)

// Users has a session with the owner for each user whose calls pass through
// this process. It is a [tools.Caller].
type Users struct {
	seat *Seat

	mu     sync.Mutex // guards what follows; held while a session begins
	open   map[string]*Client
	closed bool
}

var _ tools.Caller = (*Users)(nil)

// NewUsers returns sessions over seat, which are opened when they are needed.
func NewUsers(seat *Seat) *Users { return &Users{seat: seat, open: map[string]*Client{}} }

// Away reports whether another process is the owner, or none.
func (u *Users) Away() bool { return !u.seat.Owns() }

// Open opens the session of the context's user, and keeps it open.
func (u *Users) Open(ctx context.Context) error {
	_, err := u.client(ctx)
	return err
}

// CallTool calls a tool as the user of the context.
func (u *Users) CallTool(ctx context.Context, name string, arguments json.RawMessage) (*mcp.CallToolResult, error) {
	c, err := u.client(ctx)
	if err != nil {
		return nil, err
	}
	return c.CallTool(ctx, name, arguments)
}

// ReadResource reads a resource as the user of the context.
func (u *Users) ReadResource(ctx context.Context, uri string) ([]mcp.ResourceContents, error) {
	c, err := u.client(ctx)
	if err != nil {
		return nil, err
	}
	return c.ReadResource(ctx, uri)
}

// GetPrompt asks for a prompt as the user of the context.
func (u *Users) GetPrompt(ctx context.Context, name string, arguments map[string]string) (*mcp.GetPromptResult, error) {
	c, err := u.client(ctx)
	if err != nil {
		return nil, err
	}
	return c.GetPrompt(ctx, name, arguments)
}

func (u *Users) client(ctx context.Context) (*Client, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return nil, errStopping
	}
	user := tools.UserFrom(ctx)
	if c := u.open[user]; c != nil {
		return c, nil
	}
	h := u.seat.hello(user)
	h.Unordered = true
	c, err := u.seat.client(ctx, h)
	if err != nil {
		return nil, err
	}
	u.open[user] = c
	return c, nil
}

// Close ends all sessions.
func (u *Users) Close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	for _, c := range u.open {
		c.Close()
	}
	clear(u.open)
}
