package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// serving runs serve in this process until the test cancels it, and returns
// the address it says it listens on.
func serving(t *testing.T, args ...string) (addr string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stderr, log := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, append([]string{"serve", "--addr", "127.0.0.1:0", "--embedder", "off"}, args...), strings.NewReader(""), io.Discard, log)
		log.Close()
		ended <- err
	}()
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if found := regexp.MustCompile(`addr=(\S+)`).FindStringSubmatch(lines.Text()); found != nil {
			go io.Copy(io.Discard, stderr)
			return found[1], func() error { cancel(); return <-ended }
		}
	}
	cancel()
	t.Fatalf("serve ended with %v before it listened", <-ended)
	return "", nil
}

func TestServe_AnswersOverHTTPAndReleasesTheStore(t *testing.T) {
	dir := t.TempDir()
	addr, stop := serving(t, "--transport", "both", "--dir", dir)
	res, err := http.Get("http://" + addr + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("healthz answers %s", res.Status)
	}
	if err := stop(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
	if err := run(t.Context(), []string{"list", "--dir", dir}, strings.NewReader(""), io.Discard, io.Discard); err != nil {
		t.Errorf("list after serve: %v", err)
	}
}

func TestServe_AsksForATokenWhereThereAreTokens(t *testing.T) {
	token := strings.Repeat("t", minTokenBytes)
	addr, stop := serving(t, "--transport", "http", "--dir", t.TempDir(), "--tokens", "ada:"+token)
	for given, want := range map[string]int{"": http.StatusUnauthorized, "Bearer " + token: http.StatusOK} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if given != "" {
			req.Header.Set("Authorization", given)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("with %d bytes of authorization: %s, want %d", len(given), res.Status, want)
		}
	}
	if err := stop(); err != nil {
		t.Errorf("serve ended with %v", err)
	}
}
