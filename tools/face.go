package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Keys of log attributes.
const (
	keyTool    = "tool"
	keyErrorID = "error_id"
	keyError   = "error"
	keyStack   = "stack"
)

// face turns MCP calls into calls of the memory.
type face struct {
	ready   func(context.Context) (Memory, error)
	wait    time.Duration
	user    func(context.Context) string
	forward Caller // nil: the memory is always here
	log     *slog.Logger

	sampling    *sampling // nil: clients' models are not asked
	elicitation *elicitation
	progress    time.Duration // between two notifications of a long call
}

func newFace(opts Options) *face {
	f := &face{ready: opts.Ready, wait: opts.LoadWait, user: opts.User, forward: opts.Forward, log: opts.Log}
	f.elicitation = &elicitation{wait: cmp.Or(opts.ElicitationWait, defaultElicitationWait)}
	f.progress = cmp.Or(opts.Progress, defaultProgress)
	if f.wait == 0 {
		f.wait = defaultLoadWait
	}
	if f.user == nil {
		f.user = UserFrom
	}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	return f
}

// call is one decoded call of a tool.
type call struct {
	args   arguments
	user   string
	memory func(context.Context) (Memory, error) // waits for loading

	sampling *sampling // nil: clients' models are not asked
}

// memory waits for the memory to be loaded, at most f.wait.
func (f *face) memory(ctx context.Context) (Memory, error) {
	bounded, cancel := context.WithTimeout(ctx, f.wait)
	defer cancel()
	m, err := f.ready(bounded)
	if err == nil {
		return m, nil
	}
	if bounded.Err() != nil && ctx.Err() == nil {
		return nil, errLoading
	}
	return nil, err
}

// handler runs t. Its failures are results, so that a model reads them and can
// do better; nothing of a panic reaches the client.
func (f *face) handler(t tool) server.ToolHandlerFunc {
	s := mustSchema(t.input)
	return func(ctx context.Context, req mcp.CallToolRequest) (res *mcp.CallToolResult, err error) {
		defer func() {
			if p := recover(); p != nil {
				res, err = failure(f.panicked(t.name, p)), nil
			}
		}()
		args, err := decodeCall(s, t.name, req)
		if err != nil {
			return failure(f.explain(t.name, err)), nil
		}
		res, err = t.run(ctx, call{args: args, user: f.user(ctx), memory: f.memory, sampling: f.sampling})
		if err != nil {
			return failure(f.explain(t.name, err)), nil
		}
		return res, nil
	}
}

// decodeCall decodes a call's arguments. In-process clients bring a map, all
// others the bytes of the wire, which still hold every digit of a number.
func decodeCall(s *schema, name string, req mcp.CallToolRequest) (arguments, error) {
	raw, err := argumentsOf(name, req)
	if err != nil {
		return nil, err
	}
	return decodeArguments(s, name, raw)
}

func argumentsOf(name string, req mcp.CallToolRequest) (json.RawMessage, error) {
	if len(req.Params.RawArguments) > 0 || req.Params.Arguments == nil {
		return req.Params.RawArguments, nil
	}
	raw, err := json.Marshal(req.Params.Arguments)
	if err != nil {
		return nil, bad("the arguments of "+name+" are not JSON", "they are a JSON object")
	}
	return raw, nil
}

// panicked logs a panic with its stack and returns what the client may see. The
// panic's value stays out of the log, as it may hold what was said.
func (f *face) panicked(name string, p any) error {
	id := errorID()
	f.log.Error("panic in a call", keyTool, name, keyErrorID, id, keyError, panicKind(p), keyStack, string(debug.Stack()))
	return internalError(id)
}

func panicKind(p any) string {
	var runtimeError interface{ RuntimeError() }
	if err, ok := p.(error); ok && errors.As(err, &runtimeError) {
		return err.Error()
	}
	return "a value"
}
