package relay

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/jsonrpc"
)

// Client is an MCP client within this process that speaks to whoever owns the
// store. Answers stay as they were written. It is safe for concurrent use.
type Client struct {
	cancel context.CancelFunc
	ended  sync.WaitGroup

	write sync.Mutex // one message at a time
	out   *io.PipeWriter

	mu      sync.Mutex // guards what follows
	number  int
	waiting map[string]chan answer // by id; nil once the session has ended
}

// answer is what became of a request.
type answer struct {
	result json.RawMessage
	err    error
}

// RemoteError is a JSON-RPC error of the server.
type RemoteError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns the server's own words.
func (e *RemoteError) Error() string { return e.Message }

// Client opens a session for user's calls. Close ends it; the Seat stays.
func (s *Seat) Client(ctx context.Context, user string) (*Client, error) {
	return s.client(ctx, s.hello(user))
}

func (s *Seat) client(ctx context.Context, h Hello) (*Client, error) {
	toLink, out := io.Pipe()
	in, fromLink := io.Pipe()
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c := &Client{cancel: cancel, out: out, waiting: map[string]chan answer{}}
	c.ended.Go(func() {
		_ = s.relay(work, h, toLink, fromLink) // its end is told to those who wait
		_ = fromLink.Close()
		_ = toLink.Close()
	})
	c.ended.Go(func() { c.read(in) })
	if err := c.begin(ctx, s.options.Version); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Client) begin(ctx context.Context, version string) error {
	_, err := c.Request(ctx, string(mcp.MethodInitialize), map[string]any{
		"protocolVersion": mcp.LATEST_LEGACY_PROTOCOL_VERSION, "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "mcp-memory", "version": version},
	})
	if err != nil {
		return err
	}
	return c.send(map[string]any{"method": "notifications/initialized"})
}

// Request sends a request and returns its result. Error: *RemoteError for the
// server's, ctx's, or errStopping at the end of the session.
func (c *Client) Request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id, reply := c.expect()
	if reply == nil {
		return nil, errStopping
	}
	if err := c.send(map[string]any{"id": id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	select {
	case a := <-reply:
		return a.result, a.err
	case <-ctx.Done():
		c.forget(strconv.Itoa(id))
		_ = c.send(map[string]any{"method": "notifications/cancelled", "params": map[string]any{"requestId": id}})
		return nil, ctx.Err()
	}
}

// expect makes a request's id and where its answer goes; nil after the end.
func (c *Client) expect() (id int, reply chan answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		return 0, nil
	}
	c.number++
	reply = make(chan answer, 1)
	c.waiting[strconv.Itoa(c.number)] = reply
	return c.number, reply
}

func (c *Client) forget(id string) chan answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	reply := c.waiting[id]
	delete(c.waiting, id)
	return reply
}

func (c *Client) send(message map[string]any) error {
	message["jsonrpc"] = mcp.JSONRPC_VERSION
	line, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode a request: %w", err)
	}
	c.write.Lock()
	defer c.write.Unlock()
	if _, err := c.out.Write(append(line, '\n')); err != nil {
		return errStopping
	}
	return nil
}

// read hands out answers until the session ends.
func (c *Client) read(in *io.PipeReader) {
	r := bufio.NewReader(in)
	for {
		line, err := jsonrpc.ReadLine(r)
		if err != nil {
			break
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  *RemoteError    `json:"error"`
		}
		if line.Over || json.Unmarshal(line.Text, &m) != nil {
			continue
		}
		reply := c.forget(string(m.ID))
		switch {
		case reply == nil: // nobody waits for it, or it is a notification
		case m.Error != nil:
			reply <- answer{err: m.Error}
		default:
			reply <- answer{result: m.Result}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, reply := range c.waiting {
		reply <- answer{err: errStopping}
	}
	c.waiting = nil
}

// Close ends the session and waits for its end.
func (c *Client) Close() {
	_ = c.out.Close() // never fails
	c.cancel()
	c.ended.Wait()
}

// CallTool calls a tool, with arguments as JSON or what encodes as it. The
// structure of the answer is JSON as the server wrote it.
func (c *Client) CallTool(ctx context.Context, name string, arguments any) (*mcp.CallToolResult, error) {
	raw, err := c.Request(ctx, string(mcp.MethodToolsCall), map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return nil, err
	}
	res, err := mcp.ParseCallToolResult(&raw)
	if err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", name, err)
	}
	var of struct {
		Structure json.RawMessage `json:"structuredContent"`
	}
	if err := json.Unmarshal(raw, &of); err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", name, err)
	}
	if of.Structure != nil {
		res.StructuredContent = of.Structure
	}
	return res, nil
}

// GetPrompt asks for a prompt.
func (c *Client) GetPrompt(ctx context.Context, name string, arguments map[string]string) (*mcp.GetPromptResult, error) {
	raw, err := c.Request(ctx, string(mcp.MethodPromptsGet), map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return nil, err
	}
	res, err := mcp.ParseGetPromptResult(&raw)
	if err != nil {
		return nil, fmt.Errorf("read prompt %s: %w", name, err)
	}
	return res, nil
}

// ReadResource reads a resource.
func (c *Client) ReadResource(ctx context.Context, uri string) ([]mcp.ResourceContents, error) {
	raw, err := c.Request(ctx, string(mcp.MethodResourcesRead), map[string]any{"uri": uri})
	if err != nil {
		return nil, err
	}
	res, err := mcp.ParseReadResourceResult(&raw)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", uri, err)
	}
	if len(res.Contents) == 0 {
		return nil, errors.New("read " + uri + ": it is empty")
	}
	return res.Contents, nil
}
