package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// child is a running server with a client that speaks to it over stdio.
type child struct {
	cmd    *exec.Cmd
	client *client.Client
	ready  time.Duration // from the spawn to the answer to initialize
}

// childOptions say which server is started, and how.
type childOptions struct {
	exe    string
	dir    string   // its data directory
	log    string   // its log level
	stderr *os.File // where its log goes
}

// startChild starts a server and waits until it answers initialize.
func startChild(ctx context.Context, o childOptions) (*child, error) {
	c := &child{}
	c.client = client.NewClient(transport.NewStdioWithOptions(o.exe, nil, []string{"serve"},
		transport.WithCommandLogger(slog.New(slog.DiscardHandler)),
		transport.WithCommandFunc(func(_ context.Context, exe string, _, args []string) (*exec.Cmd, error) {
			c.cmd = exec.Command(exe, args...)
			c.cmd.Env = append(os.Environ(), "MCP_MEMORY_DIR="+o.dir, "MCP_MEMORY_CONFIG="+os.DevNull, "MCP_MEMORY_LOG="+o.log)
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
