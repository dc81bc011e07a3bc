package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/spf13/pflag"

	"mcp-memory/layers"
	"mcp-memory/tools/relay"
)

// toolbox is the memory as a verb has it: the tools and resources of whoever
// owns the store, with the same decoding, checks and answers as a client gets.
type toolbox struct{ client *relay.Client }

// call runs the tool and decodes its structured answer into out. A refusal is
// an error with the tool's own words.
func (t toolbox) call(ctx context.Context, name string, args map[string]any, out any) error {
	for argument, value := range args { // JSON would put U+FFFD in its place
		if !validWords(value) {
			return fmt.Errorf("%s is not valid UTF-8; nothing was done", argument)
		}
	}
	res, err := t.client.CallTool(ctx, name, args)
	if err != nil {
		return err
	}
	if res.IsError {
		return errors.New(resultText(res))
	}
	return decodeStructured(name, res, out)
}

// read decodes a resource into out.
func (t toolbox) read(ctx context.Context, uri string, out any) error {
	contents, err := t.client.ReadResource(ctx, uri)
	if err != nil {
		return err
	}
	text, ok := contents[0].(mcp.TextResourceContents)
	if !ok {
		return fmt.Errorf("read %s: it is no text", uri)
	}
	if err := json.Unmarshal([]byte(text.Text), out); err != nil {
		return fmt.Errorf("decode %s: %w", uri, err)
	}
	return nil
}

// Record reads a record with its chain.
func (t toolbox) Record(ctx context.Context, id string) (view layers.RecordView, err error) {
	return view, t.read(ctx, "memory://record/"+url.PathEscape(id), &view)
}

// Timeline reads all that was said about an entity.
func (t toolbox) Timeline(ctx context.Context, entity string) (view layers.TimelineView, err error) {
	return view, t.read(ctx, "memory://timeline/"+url.PathEscape(entity), &view)
}

// Receipts reads the latest receipts.
func (t toolbox) Receipts(ctx context.Context) (all []layers.ReceiptView, err error) {
	return all, t.read(ctx, "memory://receipts", &all)
}

// receipt reads one, and reports false where it cannot.
func (t toolbox) receipt(ctx context.Context, id string) (view layers.ReceiptView, known bool) {
	err := t.read(ctx, "memory://receipt/"+url.PathEscape(id), &view)
	return view, err == nil && view.ID == id
}

// Stats reads the numbers and the state of the memory.
func (t toolbox) Stats(ctx context.Context) (view layers.StatsView, err error) {
	return view, t.read(ctx, "memory://stats", &view)
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
