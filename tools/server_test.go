package tools_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/storage"
	"mcp-memory/tools"
)

func TestServer_AnswersBeforeTheMemoryIsLoaded(t *testing.T) {
	srv := tools.NewServer(tools.Options{LoadWait: time.Millisecond, Ready: func(ctx context.Context) (tools.Memory, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	c := connect(t, srv)
	if got := srv.HandleMessage(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)); fmt.Sprintf("%T", got) != "mcp.JSONRPCResponse" {
		t.Errorf("ping got %T %+v", got, got)
	}
	if _, err := c.ListTools(t.Context(), mcp.ListToolsRequest{}); err != nil {
		t.Error(err)
	}
	res := callTool(t, c, "remember", `{"text":"a"}`)
	if !res.IsError || !strings.Contains(textOf(res), "still being loaded") {
		t.Errorf("a call got %q, want that the memory is being loaded", textOf(res))
	}
	if _, err := read(t, c.ReadResource, "memory://profile"); err == nil || !strings.Contains(err.Error(), "still being loaded") {
		t.Errorf("a resource got %v, want that the memory is being loaded", err)
	}
}

func TestServer_CallsWaitForLoading(t *testing.T) {
	loaded := make(chan struct{})
	m := &fake{}
	srv := tools.NewServer(tools.Options{Ready: func(ctx context.Context) (tools.Memory, error) {
		select {
		case <-loaded:
			return m, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}})
	c := connect(t, srv)
	answered := make(chan *mcp.CallToolResult, 1)
	go func() { answered <- callTool(t, c, "remember", `{"text":"a"}`) }()
	close(loaded)
	if res := <-answered; res.IsError {
		t.Errorf("got %q", textOf(res))
	}
}

func TestServer_FilesThatCannotBeOpenedAreNamed(t *testing.T) {
	_, cause := os.Open(filepath.Join(t.TempDir(), "memory.db"))
	srv := tools.NewServer(tools.Options{Ready: func(context.Context) (tools.Memory, error) { return nil, fmt.Errorf("open store: %w", cause) }})
	text := textOf(callTool(t, connect(t, srv), "recall", `{}`))
	for _, want := range []string{"memory.db: no such file", "nothing was done", "doctor"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
}

func TestServer_SaysWhyTheMemoryCouldNotBeLoaded(t *testing.T) {
	srv := tools.NewServer(tools.Options{Ready: func(context.Context) (tools.Memory, error) { return nil, storage.ErrLocked }})
	res := callTool(t, connect(t, srv), "recall", `{}`)
	if !res.IsError || !strings.Contains(textOf(res), "store is held by another process") {
		t.Errorf("got %q", textOf(res))
	}
}

func TestServer_KeepsAPanicToItself(t *testing.T) {
	var log bytes.Buffer
	m := &fake{panics: true}
	srv := tools.NewServer(tools.Options{Ready: tools.Loaded(m), Log: slog.New(slog.NewTextHandler(&log, nil))})
	c := connect(t, srv)
	res := callTool(t, c, "remember", `{"text":"a"}`)
	text := textOf(res)
	if !res.IsError || !strings.HasPrefix(text, "internal error ") || strings.Contains(text, "secret") {
		t.Errorf("the client got %q", text)
	}
	if _, err := read(t, c.ReadResource, "memory://stats"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a resource gave %v", err)
	}
	id := strings.Fields(text)[2]
	if !strings.Contains(log.String(), id) || strings.Contains(log.String(), "secret words") {
		t.Errorf("the log lacks %s or holds what was said:\n%s", id, log.String())
	}
}

func TestServer_LogsTheTextOfAnUnknownError(t *testing.T) {
	var log bytes.Buffer
	srv := tools.NewServer(tools.Options{Ready: tools.Loaded(&fake{err: errors.New("wheel fell off")}), Log: slog.New(slog.NewTextHandler(&log, nil))})
	text := textOf(callTool(t, connect(t, srv), "remember", `{"text":"a"}`))
	if strings.Contains(text, "wheel") || !strings.Contains(log.String(), "wheel fell off") || !strings.Contains(log.String(), strings.Fields(text)[2]) {
		t.Errorf("the client got %q, the log\n%s", text, log.String())
	}
}

func TestServer_TakesTheUserFromTheContext(t *testing.T) {
	m := &fake{}
	c := connect(t, serve(m))
	callTool(t, c, "recall", `{}`)
	req := mcp.CallToolRequest{}
	req.Params.Name = "recall"
	if _, err := c.CallTool(tools.WithUser(t.Context(), "alice"), req); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(m.users, " "); got != "default alice" {
		t.Errorf("users %q, want default alice", got)
	}
}

func read(t *testing.T, readResource func(context.Context, mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error), uri string) (mcp.TextResourceContents, error) {
	t.Helper()
	req := mcp.ReadResourceRequest{}
	req.Params.URI = uri
	res, err := readResource(t.Context(), req)
	if err != nil {
		return mcp.TextResourceContents{}, err
	}
	return res.Contents[0].(mcp.TextResourceContents), nil
}

func TestResources_AreListedAndRead(t *testing.T) {
	c := connect(t, serve(&fake{}))
	list, err := c.ListResources(t.Context(), mcp.ListResourcesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	templates, err := c.ListResourceTemplates(t.Context(), mcp.ListResourceTemplatesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Resources) != 5 || len(templates.ResourceTemplates) != 4 {
		t.Errorf("%d resources and %d templates, want 5 and 4", len(list.Resources), len(templates.ResourceTemplates))
	}
	for _, tc := range []struct{ uri, mime, want string }{
		{"memory://profile", "text/markdown", "# default"},
		{"memory://recent", "text/markdown", "Nothing was remembered yet."},
		{"memory://receipts", "application/json", `"id": "RC1"`},
		{"memory://receipt/RC7", "application/json", `"id": "RC7"`},
		{"memory://upcoming", "text/markdown", "- 2024-05-01T12:00:00Z: Dentist at noon [" + idA + "]"},
		{"memory://stats", "application/json", `"by_layer": {}`},
		{"memory://job/" + idA, "application/json", `"id": "` + idA + `"`},
		{"memory://record/" + idA, "application/json", `"chain": []`},
		{"memory://timeline/Aunt%20Olga", "application/json", `"entity": "Aunt Olga"`},
		{"memory://timeline/%E5%BC%A0%E4%B8%89", "application/json", `"entity": "张三"`},
		{"memory://timeline/张三", "application/json", `"entity": "张三"`},
		{"memory://timeline/Aunt Olga/Berg 100%", "application/json", `"entity": "Aunt Olga/Berg 100%"`},
		{"memory://timeline/a%2Fb", "application/json", `"entity": "a/b"`},
	} {
		got, err := read(t, c.ReadResource, tc.uri)
		if err != nil {
			t.Errorf("%s: %v", tc.uri, err)
			continue
		}
		if got.MIMEType != tc.mime || !strings.Contains(got.Text, tc.want) {
			t.Errorf("%s: got %s\n%s\nwant %s with %q", tc.uri, got.MIMEType, got.Text, tc.mime, tc.want)
		}
	}
}

func TestResources_SayWhatIsNotThere(t *testing.T) {
	c := connect(t, serve(&fake{}))
	for uri, want := range map[string]string{
		"memory://record/none": `nothing is known of the id "none"`,
		"memory://nothing":     "not found",
	} {
		if _, err := read(t, c.ReadResource, uri); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", uri, err, want)
		}
	}
}
