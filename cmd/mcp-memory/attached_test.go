package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"mcp-memory/layers"
)

// session is one session of a streamable HTTP server.
type session struct {
	t        *testing.T
	url, id  string
	requests int
}

func (s *session) post(method string, params any) string {
	s.t.Helper()
	s.requests++
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.requests, "method": method, "params": params})
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if s.id != "" {
		req.Header.Set("Mcp-Session-Id", s.id)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s %s, %v", method, res.Status, answer, err)
	}
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		s.id = id
	}
	return string(answer)
}

// An HTTP server beside an owner passes its sessions' calls on, and its sessions
// outlive that owner.
func TestServe_OverHTTPBesideAnOwner(t *testing.T) {
	dir := t.TempDir()
	owner := process(t, dir)
	begin(t, owner)
	if _, err := owner.request("tools/call", rememberParams("The anvil is in the yard.", false)); err != nil {
		t.Fatal(err)
	}
	addr, stop := serving(t, "--transport", "http", "--dir", dir)
	s := &session{t: t, url: "http://" + addr + "/mcp"}
	s.post("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}})
	stats := map[string]any{"uri": "memory://stats"}
	for what, answers := range map[string][2]string{
		"a call":     {s.post("tools/call", rememberParams("The bellows are torn.", false)), `"status":"stored"`},
		"a mistake":  {s.post("tools/call", map[string]any{"name": "recall", "arguments": map[string]any{"qery": "x"}}), "did you mean query?"},
		"a resource": {s.post("resources/read", stats), `\"role\": \"` + layers.RoleAttached},
		"a prompt":   {s.post("prompts/get", map[string]any{"name": "review", "arguments": map[string]string{}}), "anvil"},
	} {
		if !strings.Contains(answers[0], answers[1]) {
			t.Errorf("%s: %s", what, answers[0])
		}
	}
	kill(t, owner.cmd.Process.Pid)
	if got := s.post("tools/call", map[string]any{"name": "recall", "arguments": map[string]any{"query": "anvil"}}); !strings.Contains(got, "in the yard") {
		t.Errorf("after the owner: %s", got)
	}
	if got := s.post("resources/read", stats); !strings.Contains(got, `\"role\": \"`+layers.RoleOwner) {
		t.Errorf("after the owner: %s", got)
	}
	if err := stop(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
}
