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
	CallTool(ctx context.Context, name string, arguments json.RawMessage) (*mcp.CallToolResult, error)
	ReadResource(ctx context.Context, uri string) ([]mcp.ResourceContents, error)
	GetPrompt(ctx context.Context, name string, arguments map[string]string) (*mcp.GetPromptResult, error)
}

// passTool passes on a call of a tool.
func (f *face) passTool(name string) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
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

// passResource passes on the reading of a resource.
func (f *face) passResource(uri string) server.ResourceHandlerFunc {
	return func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		contents, err := f.forward.ReadResource(ctx, req.Params.URI)
		if err != nil {
			return nil, f.passed(uri, err)
		}
		return contents, nil
	}
}

// passPrompt passes on the asking for a prompt.
func (f *face) passPrompt(name string) server.PromptHandlerFunc {
	return func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
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
