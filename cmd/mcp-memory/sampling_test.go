package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/layers"
)

// singleCall is a client's model that answers gate and extractors in one.
type singleCall struct{}

func (singleCall) CreateMessage(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	const none = `{"should_extract":false,"reasoning":"no","memories":[]}`
	text := `{"activity":` + none + `,"context":` + none + `,"experience":` + none + `,"preference":` + none + `,"identity":{"should_extract":true,"reasoning":"a trade",` +
		`"memories":[{"text":"The user is a beekeeper.","importance":5,"confidence":0.9,"entity":"user","attribute":"occupation","value":"beekeeper","quote":"I am a beekeeper."}]}}`
	return &mcp.CreateMessageResult{SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent(text)}, Model: "house-model"}, nil
}

// The whole program over the system's pipes, with mcp-go's client at the other end.
func TestServe_AsksTheModelOfItsClient(t *testing.T) {
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		args := []string{"serve", "--dir", t.TempDir(), "--embedder", "off", "--llm", "auto", "--single-call", "true", "--log", "off"}
		ended <- run(context.WithoutCancel(t.Context()), args, inR, outW, io.Discard)
		outW.Close()
	}()
	c := client.NewClient(transport.NewIO(outR, inW, io.NopCloser(strings.NewReader(""))), client.WithSamplingHandler(singleCall{}))
	if err := c.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	init := mcp.InitializeRequest{}
	init.Params.ProtocolVersion = "2025-11-25"
	if _, err := c.Initialize(t.Context(), init); err != nil {
		t.Fatal(err)
	}
	req := mcp.CallToolRequest{}
	req.Params.Name, req.Params.Arguments = "extract", map[string]any{"text": "I am a beekeeper."}
	res, err := c.CallTool(t.Context(), req)
	if err != nil || res.IsError {
		t.Fatalf("extract: %v %+v", err, res)
	}
	var out layers.ExtractOutput
	raw, _ := json.Marshal(res.StructuredContent)
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	if out.Gate.Mode != layers.GateSingleCall || out.Gate.Model != "house-model" || out.Counts.Stored != 1 || out.Counts.ModelCalls != 1 {
		t.Errorf("gate %s by %q, counts %+v", out.Gate.Mode, out.Gate.Model, out.Counts)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("serve ended with %v", err)
	}
}
