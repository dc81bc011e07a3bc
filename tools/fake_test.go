package tools_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/layers"
	"mcp-memory/storage"
	"mcp-memory/tools"
)

// fake is a memory whose answers a test sets. It keeps the inputs it got.
type fake struct {
	mu         sync.Mutex
	remembered []layers.RememberInput
	recalled   []layers.RecallInput
	forgotten  []layers.ForgetInput
	users      []string

	remember layers.RememberOutput
	recall   layers.RecallOutput
	forget   layers.ForgetOutput
	extract  layers.ExtractOutput
	err      error
	panics   bool
}

func (f *fake) before(user string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.users = append(f.users, user)
	if f.panics {
		panic("secret words")
	}
	return f.err
}

func (f *fake) Remember(_ context.Context, user string, in layers.RememberInput) (layers.RememberOutput, error) {
	if err := f.before(user); err != nil {
		return layers.RememberOutput{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.remembered = append(f.remembered, in)
	return f.remember, nil
}

func (f *fake) Recall(_ context.Context, user string, in layers.RecallInput) (layers.RecallOutput, error) {
	if err := f.before(user); err != nil {
		return layers.RecallOutput{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recalled = append(f.recalled, in)
	out := f.recall
	out.Note = strings.TrimSpace(fmt.Sprintf("%s remembered before: %d", out.Note, len(f.remembered)))
	return out, nil
}

func (f *fake) Forget(_ context.Context, user string, in layers.ForgetInput) (layers.ForgetOutput, error) {
	if err := f.before(user); err != nil {
		return layers.ForgetOutput{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forgotten = append(f.forgotten, in)
	return f.forget, nil
}

func (f *fake) Extract(_ context.Context, user string, _ layers.ExtractInput) (layers.ExtractOutput, error) {
	return f.extract, f.before(user)
}

func (f *fake) Job(_ context.Context, user, id string) (layers.JobView, error) {
	if id != idA {
		return layers.JobView{}, fmt.Errorf("job %s: %w", id, storage.ErrNotFound)
	}
	return layers.JobView{Job: layers.JobInfo{ID: id}}, f.before(user)
}

func (f *fake) Profile(_ context.Context, user string) (string, error) {
	return "# " + user + "\n", f.before(user)
}

func (f *fake) Recent(_ context.Context, user string) (string, error) { return "", f.before(user) }

func (f *fake) Upcoming(_ context.Context, user string) ([]layers.Upcoming, error) {
	return []layers.Upcoming{{ID: idA, Text: "Dentist\nat noon", StartsAt: "2024-05-01T12:00:00Z"}}, f.before(user)
}

func (f *fake) Record(_ context.Context, user, id string) (layers.RecordView, error) {
	if id != idA {
		return layers.RecordView{}, fmt.Errorf("get %s: %w", id, storage.ErrNotFound)
	}
	return layers.RecordView{Record: layers.Match{ID: id, Text: "The bell is cast."}}, f.before(user)
}

func (f *fake) Timeline(_ context.Context, user, entity string) (layers.TimelineView, error) {
	return layers.TimelineView{Entity: entity}, f.before(user)
}

func (f *fake) Receipts(_ context.Context, user string) ([]layers.ReceiptView, error) {
	return []layers.ReceiptView{{ID: "RC1", Reason: user}}, nil
}

func (f *fake) ReceiptByID(_ context.Context, _, id string) (layers.ReceiptView, error) {
	return layers.ReceiptView{ID: id}, nil
}

func (f *fake) Stats(_ context.Context, user string) (layers.StatsView, error) {
	return layers.StatsView{Role: "owner"}, f.before(user)
}

const (
	idA = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	idB = "01ARZ3NDEKTSV4RRFFQ69G5FAW"
)

func serve(m tools.Memory) *server.MCPServer {
	return tools.NewServer(tools.Options{Version: "test", Ready: tools.Loaded(m)})
}

// connect starts an in-process client of mcp-go on srv.
func connect(t testing.TB, srv *server.MCPServer) *client.Client {
	t.Helper()
	c, err := client.NewInProcessClient(srv)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	req := mcp.InitializeRequest{}
	req.Params.ProtocolVersion = "2025-06-18"
	req.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := c.Initialize(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	return c
}

// callTool calls a tool with arguments as they would be on the wire.
func callTool(t testing.TB, c *client.Client, name, args string) *mcp.CallToolResult {
	t.Helper()
	req := mcp.CallToolRequest{}
	req.Params.Name = name
	req.Params.RawArguments = []byte(args)
	res, err := c.CallTool(t.Context(), req)
	if err != nil {
		t.Fatalf("%s %s: %v", name, cutTo(args, 200), err)
	}
	return res
}

func textOf(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, content := range res.Content {
		if text, ok := content.(mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

func cutTo(s string, n int) string { return s[:min(len(s), n)] }
