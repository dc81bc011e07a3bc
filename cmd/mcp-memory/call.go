package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/spf13/pflag"

	"mcp-memory/tools"
)

// toolbox calls the tools in this process: the same decoding, checks and
// answers as a client gets.
type toolbox struct{ srv *server.MCPServer }

func (a *app) toolbox(mem *memory) toolbox {
	return toolbox{srv: tools.NewServer(tools.Options{
		Version: version(), Ready: tools.Loaded(mem), User: a.user, Log: mem.log,
	})}
}

// user is the tenant of every call but those over HTTP, where the token tells.
func (a *app) user(context.Context) string { return a.set.User }

// call runs the tool and decodes its structured answer into out. A refusal is
// an error with the tool's own words.
func (t toolbox) call(ctx context.Context, name string, args map[string]any, out any) error {
	tool := t.srv.GetTool(name)
	if tool == nil {
		return fmt.Errorf("call %s: no such tool", name)
	}
	for argument, value := range args { // JSON would put U+FFFD in its place
		if !validWords(value) {
			return fmt.Errorf("%s is not valid UTF-8; nothing was done", argument)
		}
	}
	req := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: name, Arguments: args}}
	res, err := tool.Handler(ctx, req)
	if err != nil {
		return fmt.Errorf("call %s: %w", name, err)
	}
	if res.IsError {
		return errors.New(resultText(res))
	}
	return decodeStructured(name, res, out)
}

// validWords reports whether every string in an argument is valid UTF-8.
func validWords(value any) bool {
	switch v := value.(type) {
	case string:
		return utf8.ValidString(v)
	case []any:
		return !slices.ContainsFunc(v, func(x any) bool { return !validWords(x) })
	}
	return true
}

// decodeStructured decodes a tool's structured answer into out.
func decodeStructured(name string, res *mcp.CallToolResult, out any) error {
	raw, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return fmt.Errorf("encode answer of %s: %w", name, err)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("decode answer of %s: %w", name, err)
	}
	return nil
}

// resultText is the text content of a tool's result.
func resultText(res *mcp.CallToolResult) string {
	var words []string
	for _, content := range res.Content {
		if t, ok := content.(mcp.TextContent); ok {
			words = append(words, t.Text)
		}
	}
	return strings.Join(words, "\n")
}

// given collects the arguments whose flags were given, by the tool's names.
func given(flags *pflag.FlagSet, arguments []argument) map[string]any {
	args := map[string]any{}
	for _, a := range arguments {
		f := flags.Lookup(a.flagName())
		if !f.Changed {
			continue
		}
		if many, ok := f.Value.(pflag.SliceValue); ok {
			args[a.name] = toAny(many.GetSlice())
			continue
		}
		args[a.name] = scalar(f)
	}
	return args
}

// scalar is a flag's value as a client would send it in JSON.
func scalar(f *pflag.Flag) any {
	switch f.Value.Type() {
	case "bool":
		return f.Value.String() == "true"
	case "int", "float64":
		return json.Number(f.Value.String())
	}
	return f.Value.String()
}

func toAny(words []string) []any {
	list := make([]any, len(words))
	for i, w := range words {
		list[i] = w
	}
	return list
}
