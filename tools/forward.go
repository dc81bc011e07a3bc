package tools

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Caller passes calls on to another server with the same tools, resources and
// prompts,
// which has the memory. The context names the user ([UserFrom]); errors are in
// words for a client.
type Caller interface {
	// Away says that the memory is elsewhere just now. While it is not, calls are
	// done here.
	Away() bool
	CallTool(ctx context.Context, name string, arguments json.RawMessage) (*mcp.CallToolResult, error)
	ReadResource(ctx context.Context, uri string) ([]mcp.ResourceContents, error)
	GetPrompt(ctx context.Context, name string, arguments map[string]string) (*mcp.GetPromptResult, error)
}

// passTool passes on a call of a tool, while the memory is elsewhere.
func (f *face) passTool(name string, here server.ToolHandlerFunc) server.ToolHandlerFunc {
	if f.forward == nil {
		return here
	}
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if !f.forward.Away() {
			return here(ctx, req)
		}
		raw, err := argumentsOf(name, req)
		if err != nil {
			return failure(err), nil
		}
		res, err := f.forward.CallTool(ctx, name, raw)
		if err != nil {
			return failure(f.passed(name, err)), nil
		}
		return res, nil
	}
}

// passResource passes on the reading of a resource, likewise.
func (f *face) passResource(uri string, here server.ResourceHandlerFunc) server.ResourceHandlerFunc {
	if f.forward == nil {
		return here
	}
	return func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		if !f.forward.Away() {
			return here(ctx, req)
		}
		contents, err := f.forward.ReadResource(ctx, req.Params.URI)
		if err != nil {
			return nil, f.passed(uri, err)
		}
		return contents, nil
	}
}

// passPrompt passes on the asking for a prompt, likewise.
func (f *face) passPrompt(name string, here server.PromptHandlerFunc) server.PromptHandlerFunc {
	if f.forward == nil {
		return here
	}
	return func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if !f.forward.Away() {
			return here(ctx, req)
		}
		res, err := f.forward.GetPrompt(ctx, name, req.Params.Arguments)
		if err != nil {
			return nil, f.passed(name, err)
		}
		return res, nil
	}
}

// passed is what a client reads about an error of a call that was passed on.
func (f *face) passed(name string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return f.explain(name, err)
	}
	f.log.Warn("a call that was passed on failed", keyTool, name)
	return err
}
