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
	for llm, want := range map[string]string{"sampling": layers.GateSingleCall, "auto": layers.GateSingleCall, "off": layers.GateRules} {
		out := extracted(t, "--llm", llm, "--single-call", "true")
		if out.Gate.Mode != want || out.Counts.Stored != 1 {
			t.Errorf("llm %s: gate %s, counts %+v", llm, out.Gate.Mode, out.Counts)
		}
		if asked := out.Counts.ModelCalls == 1 && out.Gate.Model == "house-model"; asked != (want != layers.GateRules) {
			t.Errorf("llm %s: %d calls of %q", llm, out.Counts.ModelCalls, out.Gate.Model)
		}
	}
}

// extracted is what a server answers that a client with a model of its own starts.
func extracted(t *testing.T, settings ...string) (out layers.ExtractOutput) {
	t.Helper()
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
		args := append([]string{"serve", "--dir", t.TempDir(), "--embedder", "off", "--log", "off"}, settings...)
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
	raw, _ := json.Marshal(res.StructuredContent)
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("serve ended with %v", err)
	}
	return out
}
