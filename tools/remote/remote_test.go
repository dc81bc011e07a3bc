package remote_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"go.uber.org/goleak"

	"mcp-memory/internal/leaktest"
	"mcp-memory/layers"
	"mcp-memory/storage/bunt"
	"mcp-memory/tools"
	"mcp-memory/tools/remote"
)

// BuntDB's own goroutine sees that its store was closed up to a second later.
func TestMain(m *testing.M) {
	leaktest.Main(m, goleak.IgnoreTopFunction("github.com/tidwall/buntdb.(*DB).backgroundManager"))
}

const (
	aliceToken = "alice-token-0123456789"
	bobToken   = "bob-token-0123456789ab"
)

func twoUsers() map[string]string {
	return map[string]string{aliceToken: "alice", bobToken: "bob"}
}

// running is a server over the real memory in a temporary directory.
type running struct {
	*remote.Server
	stop  context.CancelFunc
	ended chan error
}

func start(t *testing.T, opts remote.Options) *running {
	t.Helper()
	store, err := bunt.Open(t.Context(), bunt.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	m, err := layers.Open(t.Context(), layers.Options{Store: store, Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	opts.Server = tools.NewServer(tools.Options{Ready: tools.Loaded(m), Sampling: true, SamplingWait: time.Minute, ElicitationWait: time.Minute})
	opts.Addr = "127.0.0.1:0"
	opts.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	srv, err := remote.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	r := &running{Server: srv, stop: stop, ended: make(chan error, 1)}
	go func() { r.ended <- srv.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-r.ended; err != nil {
			t.Errorf("serve: %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return r
}

// request sends a request and reads the answer, or the first part of it where
// it is a stream.
func (r *running) request(t *testing.T, method, path, body string, headers ...string) (status int, header http.Header, text string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+r.Addr()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.Header.Get("Content-Type") == "text/event-stream" {
		return res.StatusCode, res.Header, ""
	}
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(data)
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`

func bearer(token string) []string { return []string{"Authorization", "Bearer " + token} }

// open initializes a session of token and returns its id.
func (r *running) open(t *testing.T, token string) string {
	t.Helper()
	status, header, text := r.request(t, "POST", "/mcp", initialize, bearer(token)...)
	id := header.Get("Mcp-Session-Id")
	if status != 200 || id == "" {
		t.Fatalf("initialize: %d %s", status, text)
	}
	return id
}

func TestServer_RefusesWhoShouldNotAsk(t *testing.T) {
	r := start(t, remote.Options{Tokens: twoUsers()})
	_, port, _ := net.SplitHostPort(r.Addr())
	ok := bearer(aliceToken)
	with := func(headers ...string) []string { return append(headers, ok...) }
	mine := r.open(t, aliceToken)
	for _, tc := range []struct {
		name, method, path, body string
		headers                  []string
		want                     int
	}{
		{"the right token", "POST", "/mcp", ping, with("Mcp-Session-Id", mine), 200},
		{"health needs no token", "GET", "/healthz", "", nil, 200},
		{"no token", "POST", "/mcp", initialize, nil, 401},
		{"a wrong token", "POST", "/mcp", initialize, bearer("wrong-token-0123456789"), 401},
		{"a part of a token", "POST", "/mcp", initialize, bearer(aliceToken[:10]), 401},
		{"another scheme", "POST", "/mcp", initialize, []string{"Authorization", "Basic " + aliceToken}, 401},
		{"no token for a stream", "GET", "/sse", "", nil, 401},
		{"no token for a message", "POST", "/message?sessionId=x", ping, nil, 401},
		{"evil host", "POST", "/mcp", initialize, with("Host", "evil.example:"+port), 403},
		{"evil host that begins like ours", "POST", "/mcp", initialize, with("Host", "localhost.evil.example:"+port), 403},
		{"our host with another port", "POST", "/mcp", initialize, with("Host", "127.0.0.1:1"), 403},
		{"our host without a port", "POST", "/mcp", initialize, with("Host", "127.0.0.1"), 403},
		{"evil host asks for health", "GET", "/healthz", "", []string{"Host", "evil.example:" + port}, 403},
		{"our host by name", "POST", "/mcp", ping, with("Mcp-Session-Id", mine, "Host", "localhost:"+port), 200},
		{"evil origin", "POST", "/mcp", initialize, with("Origin", "https://evil.example"), 403},
		{"null origin", "POST", "/mcp", initialize, with("Origin", "null"), 403},
		{"evil origin for a stream", "GET", "/sse", "", with("Origin", "https://evil.example"), 403},
		{"an origin of this machine", "POST", "/mcp", ping, with("Mcp-Session-Id", mine, "Origin", "http://localhost:3000"), 200},
		{"a body over 4 MiB", "POST", "/mcp", strings.Repeat(" ", 4<<20+1), with("Mcp-Session-Id", mine), 413},
		{"a made-up session", "POST", "/mcp", ping, with("Mcp-Session-Id", "session-made-up"), 404},
		{"no session", "POST", "/mcp", ping, ok, 404},
		{"a session of another token", "POST", "/mcp", ping, append([]string{"Mcp-Session-Id", mine}, bearer(bobToken)...), 404},
		{"listening to a session of another token", "GET", "/mcp", "", append([]string{"Mcp-Session-Id", mine}, bearer(bobToken)...), 404},
		{"ending a session of another token", "DELETE", "/mcp", "", append([]string{"Mcp-Session-Id", mine}, bearer(bobToken)...), 404},
		{"listening without a session", "GET", "/mcp", "", ok, 400},
		{"an SSE message to another kind of session", "POST", "/message?sessionId=" + mine, ping, bearer(bobToken), 404},
		{"no JSON", "POST", "/mcp", `{`, ok, 400},
		{"POST to a stream", "POST", "/sse", "", ok, 405},
		{"an unknown path", "GET", "/", "", ok, 404},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, header, text := r.request(t, tc.method, tc.path, tc.body, tc.headers...)
			if status != tc.want {
				t.Errorf("status %d %s, want %d", status, text, tc.want)
			}
			if status == 401 && !strings.HasPrefix(header.Get("WWW-Authenticate"), "Bearer") {
				t.Error("401 without WWW-Authenticate")
			}
			if strings.Contains(text, aliceToken) || strings.Contains(text, ".go:") {
				t.Errorf("internals in %q", text)
			}
		})
	}
}

// mcp-go keeps ids as floating point: the answer would be to somebody else.
func TestServer_RefusesWhatItsAnswerWouldNotReach(t *testing.T) {
	r := start(t, remote.Options{})
	id := r.open(t, "")
	for body, want := range map[string]int{
		`{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`:     200,
		`{"jsonrpc":"2.0","id":1764511200000000000,"method":"ping"}`:  200,
		`{"jsonrpc":"2.0","id":"9007199254740993","method":"ping"}`:   200,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:                  200,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:      202,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`:     400,
		`{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}`: 400,
		` [` + ping + `,` + ping + `]`:                                400,
	} {
		status, _, text := r.request(t, "POST", "/mcp", body, "Mcp-Session-Id", id)
		if status != want || want == 400 && !strings.Contains(text, "string") && !strings.Contains(text, "batches") {
			t.Errorf("%s: %d %s, want %d", body, status, text, want)
		}
		if strings.Contains(body, `"id":9007199254740993,`) && !strings.Contains(text, `"id":9007199254740993,`) {
			t.Errorf("%s: %s bears another id", body, text)
		}
	}
}

func TestServer_BoundsTheSessionsOfAToken(t *testing.T) {
	r := start(t, remote.Options{Tokens: twoUsers()})
	var last string
	for range 256 {
		last = r.open(t, aliceToken)
	}
	status, header, text := r.request(t, "POST", "/mcp", initialize, bearer(aliceToken)...)
	if status != 429 || header.Get("Retry-After") == "" || !strings.Contains(text, "too many sessions") {
		t.Errorf("session 257: %d %q, want 429", status, text)
	}
	if status, _, _ := r.request(t, "GET", "/sse", "", bearer(aliceToken)...); status != 429 {
		t.Errorf("session 257 over SSE: %d, want 429", status)
	}
	r.open(t, bobToken)
	if status, _, text := r.request(t, "DELETE", "/mcp", "", append(bearer(aliceToken), "Mcp-Session-Id", last)...); status != 200 {
		t.Errorf("ending a session: %d %s", status, text)
	}
	r.open(t, aliceToken)
	if status, _, _ := r.request(t, "POST", "/mcp", ping, append(bearer(aliceToken), "Mcp-Session-Id", last)...); status != 404 {
		t.Errorf("an ended session: %d, want 404", status)
	}
}

func TestServer_GivesBackTheSessionOfAFailedInitialize(t *testing.T) {
	r := start(t, remote.Options{MaxSessions: 1})
	for range 3 {
		if status, _, _ := r.request(t, "POST", "/mcp", initialize, "Content-Type", "text/plain"); status != 400 {
			t.Fatalf("status %d, want 400", status)
		}
	}
	r.open(t, "")
}

func TestServer_EndsIdleSessionsButNotThoseThatListen(t *testing.T) {
	r := start(t, remote.Options{SessionIdle: 3 * time.Second, MaxSessions: 2})
	idle, listening := r.open(t, ""), r.open(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", "http://"+r.Addr()+"/mcp", nil)
	req.Header.Set("Mcp-Session-Id", listening)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	// Every ping that arrives keeps the session alive. A request to the idle one would
	// too: that it is gone shows by its place, which another one gets.
	go func() { _, _ = io.Copy(io.Discard, res.Body) }()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		status, _, text := r.request(t, "POST", "/mcp", initialize)
		if status == 200 {
			break
		}
		if status != 429 || time.Now().After(end) {
			t.Fatalf("a third session: %d %s", status, text)
		}
	}
	if status, _, _ := r.request(t, "POST", "/mcp", ping, "Mcp-Session-Id", idle); status != 404 {
		t.Errorf("the idle session: %d, want 404", status)
	}
	if status, _, text := r.request(t, "POST", "/mcp", ping, "Mcp-Session-Id", listening); status != 200 {
		t.Errorf("the listening session: %d %s, want 200", status, text)
	}
}

// listeningHTTP is streamable HTTP with a stream open on which the client can be asked.
const listeningHTTP = "listening http"

// dial connects a client of mcp-go over one of the transports.
func (r *running) dial(t *testing.T, kind, token string, options ...client.ClientOption) *client.Client {
	t.Helper()
	headers := map[string]string{"Authorization": "Bearer " + token}
	var over transport.Interface
	var err error
	switch kind {
	case remote.SSE:
		over, err = transport.NewSSE("http://"+r.Addr()+"/sse", transport.WithHeaders(headers))
	case listeningHTTP:
		//lint:ignore SA1019 the old protocol is what is tested
		listening := transport.WithContinuousListening() //nolint:staticcheck // the old protocol is what is tested
		over, err = transport.NewStreamableHTTP("http://"+r.Addr()+"/mcp", transport.WithHTTPHeaders(headers), listening)
	default:
		over, err = transport.NewStreamableHTTP("http://"+r.Addr()+"/mcp", transport.WithHTTPHeaders(headers))
	}
	if err != nil {
		t.Fatal(err)
	}
	c := client.NewClient(over, options...)
	t.Cleanup(func() { _ = c.Close() })
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(cancel)
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	req := mcp.InitializeRequest{}
	req.Params.ProtocolVersion = "2025-06-18"
	if _, err := c.Initialize(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	return c
}

func call(t *testing.T, c *client.Client, name string, args map[string]any) (*mcp.CallToolResult, string) {
	t.Helper()
	req := mcp.CallToolRequest{}
	req.Params.Name, req.Params.Arguments = name, args
	res, err := c.CallTool(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(data)
}

func TestServer_KeepsTwoUsersApartOverEachTransport(t *testing.T) {
	for _, kind := range []string{remote.HTTP, remote.SSE} {
		t.Run(kind, func(t *testing.T) {
			r := start(t, remote.Options{Tokens: twoUsers(), Transport: kind})
			alice, bob := r.dial(t, kind, aliceToken), r.dial(t, kind, bobToken)
			res, text := call(t, alice, "remember", map[string]any{"text": "The well is deep."})
			if res.IsError {
				t.Fatal(text)
			}
			for c, want := range map[*client.Client]bool{alice: true, bob: false} {
				_, text := call(t, c, "recall", map[string]any{"query": "well"})
				if got := strings.Contains(text, "The well is deep."); got != want {
					t.Errorf("recall shows it: %v, want %v\n%s", got, want, text)
				}
				req := mcp.ReadResourceRequest{}
				req.Params.URI = "memory://recent"
				recent, err := c.ReadResource(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Contains(fmt.Sprint(recent.Contents), "The well is deep."); got != want {
					t.Errorf("recent shows it: %v, want %v", got, want)
				}
			}
		})
	}
}

func TestServer_OffersOnlyTheTransportAskedFor(t *testing.T) {
	for kind, want := range map[string]map[string]int{
		remote.HTTP: {"/mcp": 200, "/message": 404},
		remote.SSE:  {"/mcp": 404, "/message": 404},
	} {
		r := start(t, remote.Options{Transport: kind})
		for path, status := range want {
			if got, _, _ := r.request(t, "POST", path, initialize); got != status {
				t.Errorf("%s: POST %s gives %d, want %d", kind, path, got, status)
			}
		}
	}
}

func TestServer_SSESessionBelongsToItsToken(t *testing.T) {
	r := start(t, remote.Options{Tokens: twoUsers()})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", "http://"+r.Addr()+"/sse", nil)
	req.Header.Set("Authorization", "Bearer "+aliceToken)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got := res.Header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("every page may read: %q", got)
	}
	stream := bufio.NewReader(res.Body)
	var endpoint string
	for endpoint == "" {
		line, err := stream.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		endpoint, _ = strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !strings.HasPrefix(endpoint, "/message") {
			endpoint = ""
		}
	}
	if status, _, _ := r.request(t, "POST", endpoint, ping, bearer(bobToken)...); status != 404 {
		t.Errorf("another token: %d, want 404", status)
	}
	if status, _, _ := r.request(t, "POST", endpoint, strings.Repeat(" ", 4<<20+1), bearer(aliceToken)...); status != 413 {
		t.Errorf("a body over the limit: %d, want 413", status)
	}
	if status, _, _ := r.request(t, "POST", endpoint, ping, bearer(aliceToken)...); status != 202 {
		t.Errorf("its own token: %d, want 202", status)
	}
}

func TestServer_StopsWithClientsAttached(t *testing.T) {
	r := start(t, remote.Options{})
	for _, kind := range []string{remote.HTTP, remote.SSE} {
		call(t, r.dial(t, kind, ""), "recall", map[string]any{})
	}
	began := time.Now()
	r.stop()
	err := <-r.ended
	r.ended <- err // for the cleanup
	t.Logf("stopped in %v", time.Since(began))
	if _, err := net.DialTimeout("tcp", r.Addr(), time.Second); err == nil {
		t.Error("the address still answers")
	}
}

func TestNew_RefusesWhatItCannotServe(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tc := range []struct {
		name string
		opts remote.Options
		want string
	}{
		{"all addresses", remote.Options{Addr: ":0"}, "other machines"},
		{"all IPv4 addresses", remote.Options{Addr: "0.0.0.0:0"}, "other machines"},
		{"all IPv6 addresses", remote.Options{Addr: "[::]:0"}, "other machines"},
		{"a private address", remote.Options{Addr: "192.168.1.2:7373"}, "other machines"},
		{"a name", remote.Options{Addr: "localhost.example:7373"}, "other machines"},
		{"no port", remote.Options{Addr: "127.0.0.1"}, "host:port"},
		{"a taken port", remote.Options{Addr: taken.Addr().String()}, "in use"},
		{"an unknown transport", remote.Options{Addr: "127.0.0.1:0", Transport: "ftp"}, "http, sse or both"},
		{"an empty token", remote.Options{Addr: "127.0.0.1:0", Tokens: map[string]string{"": "bob"}}, "empty"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.opts.Server = tools.NewServer(tools.Options{})
			if _, err := remote.New(tc.opts); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestServer_AnswersManyCallsAtOnce(t *testing.T) {
	r := start(t, remote.Options{})
	id := r.open(t, "")
	const n = 100
	failed := make(chan string, n)
	for i := range n {
		go func() {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"recall","arguments":{}}}`, i)
			req, _ := http.NewRequest("POST", "http://"+r.Addr()+"/mcp", bytes.NewReader([]byte(body)))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Mcp-Session-Id", id)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				failed <- err.Error()
				return
			}
			defer res.Body.Close()
			data, _ := io.ReadAll(res.Body)
			if res.StatusCode != 200 || !strings.Contains(string(data), fmt.Sprintf(`"id":%d,`, i)) || strings.Contains(string(data), "isError") {
				failed <- string(data)
				return
			}
			failed <- ""
		}()
	}
	for range n {
		if text := <-failed; text != "" {
			t.Error(text)
		}
	}
}
