package tools

import (
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// Sizes in bytes of JSON. A result message has at most 60,000: clients cut or
// drop what is longer (Claude Code at 25,000 tokens). Structure and text leave
// 2,000 for the envelope: request id, keys, what a protocol version adds.
const (
	maxResult    = 58_500
	maxStructure = 50_000
	maxText      = 8_000
)

// cuts are the lengths that texts are cut to, one after the other, until an
// answer fits. 100 memories cut to 32 bytes a text are about 40,000 bytes.
var cuts = [...]int{512, 256, 128, 64, 32, 0}

// result is a tool's answer: the structure, and the text for clients that show
// no structure. If both together are too large, summary stands for the text.
func result(structure any, text, summary string) (*mcp.CallToolResult, error) {
	for _, t := range []string{text, summary} {
		res := &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(t)}, StructuredContent: structure}
		size, err := resultSize(res)
		if err != nil {
			return nil, err
		}
		if size <= maxResult {
			return res, nil
		}
	}
	return nil, bad("the answer is larger than a message may be", "ask for less: a smaller limit, fewer ids, or one id alone")
}

func resultSize(res *mcp.CallToolResult) (int, error) {
	data, err := json.Marshal(res)
	if err != nil {
		return 0, fmt.Errorf("encode result: %w", err)
	}
	return len(data), nil
}

// failure is an answer that says what went wrong.
func failure(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(cutJSON(err.Error(), maxText))}, IsError: true}
}

// jsonSize is the length of v as JSON; 0 for what cannot be encoded, which
// result will refuse.
func jsonSize(v any) int {
	data, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(data)
}

// cutJSON cuts text until it takes at most n bytes as a JSON string, quotes
// apart. Text without escapes is cut once.
func cutJSON(text string, n int) string {
	for {
		over := jsonSize(text) - 2 - n
		if over <= 0 {
			return text
		}
		// An escape takes 6 bytes at most for one, so that many may go
		// without going too far.
		text = cut(text, len(text)-max(over/6, 1))
	}
}

// list makes a slice that is encoded as [] where there is nothing.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func first[T any](s []T, n int) []T {
	return s[:min(len(s), n)]
}
