package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// childLogName is where a child's stderr goes, inside the demo's folder.
const childLogName = "server.log"

// child is this program as a server on stdio, and a client that speaks to it.
type child struct {
	cmd    *exec.Cmd
	log    *os.File
	client *client.Client
	killed bool
}

// startChild starts exe as a server on dir and initialises a session.
func startChild(ctx context.Context, exe, dir string, env []string) (*child, error) {
	log, err := os.OpenFile(filepath.Join(dir, childLogName), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	c := &child{log: log}
	args := []string{"serve", "--dir", filepath.Join(dir, "data"), "--config", os.DevNull, "--user-name", "Ada", "--timezone", "UTC", "--log", "warn"}
	c.client = client.NewClient(transport.NewStdioWithOptions(exe, env, args,
		transport.WithCommandLogger(slog.New(slog.DiscardHandler)),
		transport.WithCommandFunc(func(_ context.Context, exe string, env, args []string) (*exec.Cmd, error) {
			c.cmd = exec.Command(exe, args...)
			c.cmd.Env, c.cmd.Stderr = env, log
			return c.cmd, nil
		})))
	if err := c.initialize(ctx); err != nil {
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
}

func (c *child) initialize(ctx context.Context) error {
	if err := c.client.Start(ctx); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	var req mcp.InitializeRequest
	req.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	req.Params.ClientInfo = mcp.Implementation{Name: "mcp-memory demo", Version: version()}
	if _, err := c.client.Initialize(ctx, req); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	return nil
}

// call calls a tool and decodes its structured answer into out.
func (c *child) call(ctx context.Context, name string, args map[string]any, out any) error {
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = name, args
	res, err := c.client.CallTool(ctx, req)
	if err != nil {
		return fmt.Errorf("call %s: %w", name, err)
	}
	if res.IsError {
		return fmt.Errorf("call %s: %s", name, resultText(res))
	}
	return decodeStructured(name, res, out)
}

// stop closes the child's stdin, on which it ends, and waits for it.
func (c *child) stop() error {
	err := c.client.Close()
	var exit *exec.ExitError
	if c.killed && errors.As(err, &exit) {
		err = nil // that is what a kill looks like
	}
	return errors.Join(err, c.log.Close())
}

// kill ends the child without a warning, as a power cut would, and waits.
func (c *child) kill() error {
	if err := c.cmd.Process.Kill(); err != nil {
		return fmt.Errorf("kill the server: %w", err)
	}
	c.killed = true
	return c.stop()
}

// tools names the tools that the server offers.
func (c *child) tools(ctx context.Context) ([]string, error) {
	res, err := c.client.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, fmt.Errorf("list tools: %w", err)
	}
	names := make([]string, len(res.Tools))
	for i, t := range res.Tools {
		names[i] = t.Name
	}
	return names, nil
}
