package tools

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// defaultProgress is how often a call that takes long says that it goes on.
const defaultProgress = 5 * time.Second

// maxExact is the largest number that floating point, in which a token of a number
// comes, keeps apart from its neighbours.
const maxExact = 1 << 53

// reporting has a call say from time to time that it goes on, where its client gave
// a token for that: many give a call up after a minute of silence, and extract by a
// local model may take longer. How much is left nobody knows: progress counts up,
// without a total.
func (f *face) reporting(run server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		token, srv := progressToken(req), server.ServerFromContext(ctx)
		if token == nil || srv == nil {
			return run(ctx, req)
		}
		done, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			f.report(ctx, srv, token, done)
		}()
		defer func() { close(done); <-ended }()
		return run(ctx, req)
	}
}

// report sends notifications until done is closed.
func (f *face) report(ctx context.Context, srv *server.MCPServer, token any, done <-chan struct{}) {
	every := time.NewTicker(f.progress)
	defer every.Stop()
	for n := 1; ; n++ {
		select {
		case <-every.C:
			// An error: the client has not initialized, or takes no more.
			_ = srv.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
				"progressToken": token, "progress": n, "message": "still at it",
			})
		case <-done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// progressToken is the client's token, a string or a number; nil where there is none,
// or it would come back as another.
func progressToken(req mcp.CallToolRequest) any {
	if req.Params.Meta == nil {
		return nil
	}
	switch token := req.Params.Meta.ProgressToken.(type) {
	case string:
		return token
	case float64:
		if token == float64(int64(token)) && token <= maxExact && token >= -maxExact {
			return int64(token)
		}
	}
	return nil
}
