//go:build clients

package clients

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Two users' tokens, and one that is nobody's.
const (
	adaToken   = "ada-0123456789abcdef"
	bobToken   = "bob-0123456789abcdef"
	wrongToken = "eve-0123456789abcdef"
)

var listening = regexp.MustCompile(`msg=listening addr=(\S+)`)

// startServer serves a memory of its own over both HTTP transports and returns
// the address as a URL. When the test ends the server is stopped, and must
// exit cleanly.
func startServer(t *testing.T, exe string) string {
	t.Helper()
	cmd := exec.Command(exe, "serve", "--transport", "both", "--addr", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "MCP_MEMORY_DIR="+t.TempDir(), "MCP_MEMORY_TOKENS=ada:"+adaToken+",bob:"+bobToken)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	log := bufio.NewReader(stderr)
	addr, err := readAddress(log)
	if err != nil {
		_ = cmd.Process.Kill() // it may hang; what is wrong is said below
		t.Fatalf("the server does not listen: %v; it ended with %v", err, cmd.Wait())
	}
	rest := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(log) // a broken pipe shows as the server's end
		rest <- text
	}()
	t.Cleanup(func() { stop(t, cmd, rest) })
	return "http://" + addr
}

// readAddress reads the server's log up to the line that says where it listens.
func readAddress(log *bufio.Reader) (string, error) {
	var read strings.Builder
	for {
		line, err := log.ReadString('\n')
		read.WriteString(line)
		if found := listening.FindStringSubmatch(line); found != nil {
			return found[1], nil
		}
		if err != nil {
			return "", fmt.Errorf("read its log: %w\n%s", err, read.String())
		}
	}
}

// stop interrupts the server, which must exit cleanly; log yields the rest of
// what it logged.
func stop(t *testing.T, cmd *exec.Cmd, log <-chan []byte) {
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error("stop the server:", err)
	}
	rest := <-log
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ends with %v\n%s", err, rest)
	}
}

func TestHTTP_RefusesStrangers(t *testing.T) {
	url := startServer(t, buildServer(t))
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"stranger","version":"1"}}}`
	doors := []struct{ method, path, body string }{
		{http.MethodPost, "/mcp", initialize},
		{http.MethodGet, "/sse", ""},
		{http.MethodPost, "/message?sessionId=1", initialize},
	}
	strangers := []struct {
		name, token, host, origin string
		want                      int
	}{
		{"no token", "", "", "", http.StatusUnauthorized},
		{"wrong token", wrongToken, "", "", http.StatusUnauthorized},
		{"part of a token", adaToken[:len(adaToken)-1], "", "", http.StatusUnauthorized},
		{"evil Host", adaToken, "evil.example", "", http.StatusForbidden},
		{"evil Host that begins well", adaToken, "127.0.0.1.evil.example", "", http.StatusForbidden},
		{"evil Origin", adaToken, "", "https://evil.example", http.StatusForbidden},
		{"evil Origin that begins well", adaToken, "", "http://localhost.evil.example", http.StatusForbidden},
		{"Origin of nobody", adaToken, "", "null", http.StatusForbidden},
	}
	for _, door := range doors {
		for _, s := range strangers {
			t.Run(s.name+" at "+door.path, func(t *testing.T) {
				req := newRequest(t, door.method, url+door.path, door.body, s.token)
				if s.host != "" {
					req.Host = s.host
				}
				if s.origin != "" {
					req.Header.Set("Origin", s.origin)
				}
				if got := status(t, req); got != s.want {
					t.Errorf("status %d, want %d", got, s.want)
				}
			})
		}
	}
	// What refuses strangers lets the owner in.
	if got := status(t, newRequest(t, http.MethodPost, url+"/mcp", initialize, adaToken)); got != http.StatusOK {
		t.Errorf("the right token: status %d, want 200", got)
	}
}

func newRequest(t *testing.T, method, url, body, token string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return req
}

func status(t *testing.T, req *http.Request) int {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // only the status was wanted
	return resp.StatusCode
}
