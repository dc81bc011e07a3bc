package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// buildServer builds the server of this checkout into dir and returns its path.
func buildServer(ctx context.Context, dir string) (string, error) {
	exe := filepath.Join(dir, "mcp-memory")
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", exe, "mcp-memory/cmd/mcp-memory")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the server (run this in a checkout, or give --server): %w\n%s", err, out)
	}
	return exe, nil
}

// scratch makes a folder that goes with a measurement, and builds the server into
// it unless one is given.
func scratch(ctx context.Context, server string) (dir, exe string, remove func() error, err error) {
	if dir, err = os.MkdirTemp("", "memory-bench-"); err != nil {
		return "", "", nil, fmt.Errorf("make a folder for the stores: %w", err)
	}
	remove = func() error { return os.RemoveAll(dir) }
	if exe = server; exe == "" {
		if exe, err = buildServer(ctx, dir); err != nil {
			return "", "", nil, errors.Join(err, remove())
		}
	}
	return dir, exe, remove, nil
}

// child is a running server with a client that speaks to it over stdio.
type child struct {
	cmd    *exec.Cmd
	client *client.Client
	ready  time.Duration // from the spawn to the answer to initialize
}

// childOptions say which server is started, and how.
type childOptions struct {
	exe      string
	dir      string   // its data directory
	log      string   // its log level
	embedder string   // builtin, off; empty: the server's default
	env      []string // further settings
	stderr   *os.File // where its log goes
}

// environment is this process's without the settings that a person at the shell
// has for a server of their own, and with those of the options.
func (o childOptions) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "MCP_MEMORY_") })
	env = append(env, "MCP_MEMORY_DIR="+o.dir, "MCP_MEMORY_CONFIG="+os.DevNull, "MCP_MEMORY_LOG="+o.log)
	if o.embedder != "" {
		env = append(env, "MCP_MEMORY_EMBEDDER="+o.embedder)
	}
	return append(env, o.env...)
}

// startChild starts a server and waits until it answers initialize.
func startChild(ctx context.Context, o childOptions) (*child, error) {
	c := &child{}
	c.client = client.NewClient(transport.NewStdioWithOptions(o.exe, nil, []string{"serve"},
		transport.WithCommandLogger(slog.New(slog.DiscardHandler)),
		transport.WithCommandFunc(func(_ context.Context, exe string, _, args []string) (*exec.Cmd, error) {
			c.cmd = exec.Command(exe, args...)
			c.cmd.Env = o.environment()
			c.cmd.Stderr = o.stderr
			return c.cmd, nil
		})))
	begin := time.Now()
	if err := c.initialize(ctx); err != nil {
		_ = c.client.Close() // the first error says why
		return nil, err
	}
	c.ready = time.Since(begin)
	return c, nil
}

func (c *child) initialize(ctx context.Context) error {
	if err := c.client.Start(ctx); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	var req mcp.InitializeRequest
	req.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	req.Params.ClientInfo = mcp.Implementation{Name: "memory-bench", Version: "1"}
	if _, err := c.client.Initialize(ctx, req); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	return nil
}

// call calls a tool, decodes its structured content into answer and returns
// how long the call took, decoding apart.
func (c *child) call(ctx context.Context, tool string, args, answer any) (time.Duration, error) {
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	begin := time.Now()
	result, err := c.client.CallTool(ctx, req)
	took := time.Since(begin)
	if err != nil {
		return 0, fmt.Errorf("call %s: %w", tool, err)
	}
	if result.IsError {
		return 0, fmt.Errorf("call %s: the tool answered an error: %s", tool, textOf(result))
	}
	raw, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, answer)
	}
	if err != nil {
		return 0, fmt.Errorf("call %s: read the structured answer: %w", tool, err)
	}
	return took, nil
}

// serverStats is what is read of memory://stats.
type serverStats struct {
	Role          string `json:"role"`
	OwnerPID      int    `json:"owner_pid"`
	Records       int    `json:"records"`
	Goroutines    int    `json:"goroutines"`
	Embedder      string `json:"embedder"`
	EmbedderError string `json:"embedder_error"`
	Vectors       int    `json:"vectors"`
	Pending       int    `json:"vectors_pending"`
	Engine        string `json:"vector_engine"` // that answers
	Note          string `json:"vector_note"`   // why that is another than was asked for
	ModelCalls    int    `json:"model_calls"`
}

// stats asks how the server is doing.
func (c *child) stats(ctx context.Context) (out serverStats, err error) {
	return out, c.read(ctx, "memory://stats", &out)
}

// read reads a resource of JSON.
func (c *child) read(ctx context.Context, uri string, into any) error {
	var req mcp.ReadResourceRequest
	req.Params.URI = uri
	result, err := c.client.ReadResource(ctx, req)
	if err != nil {
		return fmt.Errorf("read %s: %w", uri, err)
	}
	for _, content := range result.Contents {
		if text, ok := content.(mcp.TextResourceContents); ok {
			if err := json.Unmarshal([]byte(text.Text), into); err != nil {
				return fmt.Errorf("read %s: %w", uri, err)
			}
			return nil
		}
	}
	return fmt.Errorf("read %s: the answer has no text", uri)
}

func textOf(result *mcp.CallToolResult) string {
	for _, content := range result.Content {
		if text, ok := content.(mcp.TextContent); ok {
			return text.Text
		}
	}
	return "(no text)"
}

// pid is the server's process id.
func (c *child) pid() int { return c.cmd.Process.Pid }

// stop ends the server as a client does, by closing its stdin, and waits.
func (c *child) stop() error {
	if err := c.client.Close(); err != nil {
		return fmt.Errorf("stop the server: %w", err)
	}
	return nil
}

// listed is a match of a recall that is asked for all it has.
type listed struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// recallAll returns all that a recall with these arguments has, page by page.
func (c *child) recallAll(ctx context.Context, args map[string]any) (all []listed, err error) {
	args = maps.Clone(args)
	for {
		var page struct {
			Matches []listed `json:"matches"`
			Next    string   `json:"next_cursor"`
		}
		if _, err := c.call(ctx, "recall", args, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Matches...)
		if page.Next == "" {
			return all, nil
		}
		args["cursor"] = page.Next
	}
}
