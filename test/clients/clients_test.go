//go:build clients

// Package clients drives the built server with the official MCP clients, over
// each transport, as their users would:
//
//	go test -tags clients ./test/clients
//
// It is behind a tag because it installs the clients from their registries, at
// the versions pinned in testdata, into a temporary folder. It needs python3
// (3.10 or later, with venv), node (18 or later) and npm, and fails where they
// are missing.
package clients

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Bounds on what a client may take, so that one that hangs is a failure that
// says so.
const (
	installTime = 10 * time.Minute
	clientTime  = 5 * time.Minute
)

// connection is what a client's script is given, as JSON.
type connection struct {
	Transport string `json:"transport"`
	Mode      string `json:"mode"`
	Server    string `json:"server,omitempty"`
	Dir       string `json:"dir,omitempty"`
	URL       string `json:"url,omitempty"`
	Token     string `json:"token,omitempty"`
	Other     string `json:"other,omitempty"`
	Wrong     string `json:"wrong,omitempty"`
}

// script is an installed client: the command that the connection is appended to.
type script []string

func TestOfficialClients(t *testing.T) {
	server := buildServer(t)
	python, node := installPython(t), installNode(t)
	clients := []struct {
		name string
		run  script
		mode string
	}{
		{"python, newest protocol", python, "auto"},
		{"python, initialize handshake", python, "legacy"},
		{"typescript", node, ""},
	}
	for _, c := range clients {
		for _, transport := range []string{"stdio", "http", "sse"} {
			t.Run(c.name+" over "+transport, func(t *testing.T) {
				c.run.check(t, connect(t, server, transport, c.mode))
			})
		}
	}
}

// connect is a connection to a memory of its own; for HTTP it starts the server.
func connect(t *testing.T, exe, transport, mode string) connection {
	c := connection{Transport: transport, Mode: mode}
	if transport == "stdio" {
		c.Server, c.Dir = exe, t.TempDir()
		return c
	}
	path := map[string]string{"http": "/mcp", "sse": "/sse"}[transport]
	c.URL = startServer(t, exe) + path
	c.Token, c.Other, c.Wrong = adaToken, bobToken, wrongToken
	return c
}

// check runs the script; it exits 0 if all that it checks holds.
func (s script) check(t *testing.T, c connection) {
	t.Helper()
	given, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(output(t, clientTime, "", append(s[:len(s):len(s)], string(given))...))
}

// buildServer builds the server of this checkout.
func buildServer(t *testing.T) string {
	exe := filepath.Join(t.TempDir(), "mcp-memory")
	t.Setenv("CGO_ENABLED", "0")
	output(t, installTime, "", "go", "build", "-o", exe, "mcp-memory/cmd/mcp-memory")
	return exe
}

func installPython(t *testing.T) script {
	need(t, "python3")
	venv := filepath.Join(t.TempDir(), "venv")
	python := filepath.Join(venv, "bin", "python")
	output(t, installTime, "", "python3", "-m", "venv", venv)
	output(t, installTime, "", python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", inTestdata(t, "requirements.txt"))
	return script{python, inTestdata(t, "client.py")}
}

// installNode copies the script beside its dependencies: modules are looked up
// from where it lies, and nothing is installed into the checkout.
func installNode(t *testing.T) script {
	need(t, "node")
	need(t, "npm")
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "client.mjs"} {
		content, err := os.ReadFile(inTestdata(t, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	output(t, installTime, dir, "npm", "ci", "--no-audit", "--no-fund")
	return script{"node", filepath.Join(dir, "client.mjs")}
}

func need(t *testing.T, command string) {
	t.Helper()
	if _, err := exec.LookPath(command); err != nil {
		t.Fatalf("the official clients need %s on this machine: %v", command, err)
	}
}

func inTestdata(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// output runs a command in dir and returns what it printed; a failure ends the
// test with it.
func output(t *testing.T, most time.Duration, dir string, command ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), most, fmt.Errorf("it took more than %v", most))
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v %v\n%s", filepath.Base(command[0]), err, context.Cause(ctx), out)
	}
	return string(out)
}
