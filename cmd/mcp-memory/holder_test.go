package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// exitWithin is when a server that should be gone counts as one that stays. It ends
// within 2 s of its client, unless the machine has no time for it.
const exitWithin = 20 * time.Second

type holderKey struct{}

// holder is a server that a script keeps running and speaks to.
type holder struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	asked  int
}

// hold [-under-sh] ARG… starts "mcp-memory ARG…", as a child of the test or of
// a shell, and initialises a session. $server is its pid, or the shell's.
func hold(ts *testscript.TestScript, neg bool, args []string) {
	h := ts.Value(holderKey{}).(*holder)
	if neg || h.cmd != nil {
		ts.Fatalf("usage: hold [-under-sh] ARG…, once at a time")
	}
	name := "mcp-memory"
	if len(args) > 0 && args[0] == "-under-sh" {
		// A shell gives a background job the null device as stdin, unless told.
		name, args = "sh", append([]string{"-c", `exec 3<&0; mcp-memory "$@" <&3 & wait`, "sh"}, args[1:]...)
	}
	h.cmd = exec.Command(name, args...)
	h.cmd.Dir, h.cmd.Stderr = ts.Getenv("WORK"), os.Stderr
	h.cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("WORK"), "TZ=UTC", "MCP_MEMORY_LOG=off", "PATH="+ts.Getenv("PATH"))
	ts.Check(h.start())
	ts.Defer(func() { h.end() })
	ts.Setenv("server", fmt.Sprint(h.cmd.Process.Pid))
	_, err := h.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "script", "version": "1"},
	})
	ts.Check(err)
	ts.Check(h.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}))
}

func (h *holder) start() (err error) {
	if h.stdin, err = h.cmd.StdinPipe(); err != nil {
		return err
	}
	stdout, err := h.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	h.stdout = bufio.NewReader(stdout)
	return h.cmd.Start()
}

// ask TOOL ARGUMENTS FILE calls a tool of the server that is held and writes
// its structured answer to FILE; "! ask" wants an error, whose text it writes. A recall
// whose words alone were searched, since the embedder had no time, is made again.
func ask(ts *testscript.TestScript, neg bool, args []string) {
	h := ts.Value(holderKey{}).(*holder)
	if h.cmd == nil || len(args) != 3 {
		ts.Fatalf("usage: ask TOOL ARGUMENTS FILE, after hold")
	}
	var answer []byte
	for answer == nil || bytes.Contains(answer, []byte("the embedder did not answer within")) {
		answer = h.ask(ts, args[0], args[1], neg)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), answer, 0o600))
}

// ask calls a tool once.
func (h *holder) ask(ts *testscript.TestScript, tool, arguments string, neg bool) []byte {
	raw, err := h.request("tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(arguments)})
	ts.Check(err)
	var res struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	ts.Check(json.Unmarshal(raw, &res))
	answer := []byte(res.StructuredContent)
	if res.IsError {
		answer = []byte(res.Content[0].Text)
	}
	if res.IsError != neg {
		ts.Fatalf("%s answers %s", tool, answer)
	}
	return answer
}

// settle is "settle": it waits until the memory held has made all vectors. A
// recall itself waits 2 s for them, which a busy machine may need longer for.
func settle(ts *testscript.TestScript, neg bool, args []string) {
	h := ts.Value(holderKey{}).(*holder)
	if h.cmd == nil || neg || len(args) != 0 {
		ts.Fatalf("usage: settle, after hold")
	}
	for pending := -1; pending != 0; {
		raw, err := h.request("resources/read", map[string]any{"uri": "memory://stats"})
		ts.Check(err)
		var res struct{ Contents []struct{ Text string } }
		ts.Check(json.Unmarshal(raw, &res))
		var stats struct {
			VectorsPending *int `json:"vectors_pending"`
		}
		ts.Check(json.Unmarshal([]byte(res.Contents[0].Text), &stats))
		if stats.VectorsPending == nil {
			ts.Fatalf("stats have no vectors_pending: %s", res.Contents[0].Text)
		}
		pending = *stats.VectorsPending
		time.Sleep(10 * time.Millisecond) // leave the processor to what makes them
	}
}

func (h *holder) send(message map[string]any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = h.stdin.Write(append(line, '\n'))
	return err
}

// request sends a request and returns its result.
func (h *holder) request(method string, params any) (json.RawMessage, error) {
	h.asked++
	if err := h.send(map[string]any{"jsonrpc": "2.0", "id": h.asked, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		line, err := h.stdout.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: no answer: %w", method, err)
		}
		var m struct {
			ID     int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.NewDecoder(strings.NewReader(line)).Decode(&m); err != nil {
			return nil, fmt.Errorf("stdout holds %q: %w", line, err)
		}
		if m.ID == h.asked && m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		}
		if m.ID == h.asked {
			return m.Result, nil
		}
	}
}

// let-go close|int|kill|orphan ends the server: its stdin is closed, it is
// interrupted, it is killed, or the shell above it is. It must be gone in time.
func letGo(ts *testscript.TestScript, neg bool, args []string) {
	h := ts.Value(holderKey{}).(*holder)
	if neg || h.cmd == nil || len(args) != 1 {
		ts.Fatalf("usage: let-go close|int|kill|orphan, after hold")
	}
	switch args[0] {
	case "close":
		ts.Check(h.stdin.Close())
	case "int":
		ts.Check(h.cmd.Process.Signal(os.Interrupt))
	case "kill", "orphan":
		ts.Check(h.cmd.Process.Kill())
	}
	gone := make(chan error, 1)
	// The server's end of stdout closes with it, whoever its parent is.
	go func() { _, err := io.Copy(io.Discard, h.stdout); gone <- err }()
	select {
	case err := <-gone:
		ts.Check(err)
	case <-time.After(exitWithin):
		ts.Fatalf("the server is still there after %s", exitWithin)
	}
	if err := h.end(); err != nil && args[0] != "kill" && args[0] != "orphan" {
		ts.Fatalf("the server ended with %v", err)
	}
}

// end stops what is still running. A shell's child ends with its stdin.
func (h *holder) end() error {
	if h.cmd == nil {
		return nil
	}
	_ = h.stdin.Close() // closed already where let-go did it
	timer := time.AfterFunc(exitWithin, func() { _ = h.cmd.Process.Kill() })
	defer timer.Stop()
	err := h.cmd.Wait()
	h.cmd = nil
	return err
}
