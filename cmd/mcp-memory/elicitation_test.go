package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// consenting is a client whose user says yes.
type consenting struct{ asked []string }

func (c *consenting) Elicit(_ context.Context, req mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	c.asked = append(c.asked, req.Params.Message)
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept}}, nil
}

// An HTTP server beside an owner asks its own clients' users, who the owner does not see.
func TestServe_AsksUsersBesideAnOwner(t *testing.T) {
	dir := t.TempDir()
	owner := process(t, dir)
	begin(t, owner)
	if _, err := owner.request("tools/call", rememberParams("The anvil is in the yard.", false)); err != nil {
		t.Fatal(err)
	}
	addr, stop := serving(t, "--transport", "http", "--dir", dir)
	over, err := transport.NewStreamableHTTP("http://" + addr + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	user := &consenting{}
	c := client.NewClient(over, client.WithElicitationHandler(user))
	if err := c.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	begin := mcp.InitializeRequest{}
	begin.Params.ProtocolVersion = "2025-11-25"
	if _, err := c.Initialize(t.Context(), begin); err != nil {
		t.Fatal(err)
	}
	req := mcp.CallToolRequest{}
	req.Params.Name, req.Params.Arguments = "forget", map[string]any{"query": "anvil", "mode": "erase"}
	res, err := c.CallTool(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := json.Marshal(res); !strings.Contains(string(got), `"forgotten":1,`) || !strings.Contains(string(got), `"verified":true`) {
		t.Errorf("forget: %s", got)
	}
	if len(user.asked) != 1 || !strings.Contains(user.asked[0], "Erase 1 memory") || !strings.Contains(user.asked[0], "The anvil is in the yard.") {
		t.Errorf("asked %q", user.asked)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := stop(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
}
