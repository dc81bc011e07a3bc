package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/jsonrpc"
)

// requests are what the server asks of one client, and waits for. It is safe for
// concurrent use.
type requests struct {
	send func(line []byte)
	over chan struct{} // closed when no answer can come any more

	mu      sync.Mutex // guards what follows
	last    int64      // id that was given
	waiting map[string]chan jsonrpc.Message
}

func newRequests(send func([]byte)) *requests {
	return &requests{send: send, over: make(chan struct{}), waiting: map[string]chan jsonrpc.Message{}}
}

// responseError is a client's no. Its words stay out: they may repeat what was asked,
// and errors are logged.
type responseError struct{ code int }

// Error names the code.
func (e *responseError) Error() string { return fmt.Sprintf("the client refused (code %d)", e.code) }

// errSpokenOut is the end of a request whose client sends nothing any more.
var errSpokenOut = errors.New("the client has ended its side of the connection")

// ask sends a request and waits for its result. Where ctx ends first the client is
// told that nobody waits any more. Error: errSpokenOut where it cannot answer.
func (r *requests) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id, answer := r.open()
	defer r.close(id)
	line, err := json.Marshal(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": json.RawMessage(id), "method": method, "params": params})
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", method, err)
	}
	r.send(line)
	select {
	case m := <-answer:
		return outcome(m)
	case <-ctx.Done():
		r.cancel(id)
		return nil, ctx.Err()
	case <-r.over:
		return nil, errSpokenOut
	}
}

// end gives up what waits and what will be asked: the client's side has ended.
func (r *requests) end() { close(r.over) }

func (r *requests) open() (id string, answer chan jsonrpc.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	id, answer = strconv.FormatInt(r.last, 10), make(chan jsonrpc.Message, 1)
	r.waiting[id] = answer
	return id, answer
}

func (r *requests) close(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.waiting, id)
}

// answered hands a response to who waits for it; one that nobody waits for any more
// is dropped.
func (r *requests) answered(m jsonrpc.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := strings.Trim(string(m.ID), `"`) // some clients give a number back as text
	if waiting, ok := r.waiting[id]; ok {
		waiting <- m
		delete(r.waiting, id) // a second answer finds nobody
	}
}

func (r *requests) cancel(id string) {
	line, err := json.Marshal(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": "notifications/cancelled",
		"params": map[string]any{"requestId": json.RawMessage(id), "reason": "it took too long, or is not wanted any more"}})
	if err == nil {
		r.send(line)
	}
}

// outcome is the result of a response, or its error: errSpokenOut where another
// process answers in the place of a client of its own that has ended.
func outcome(m jsonrpc.Message) (json.RawMessage, error) {
	if m.Error == nil || string(m.Error) == "null" {
		return m.Result, nil
	}
	var refusal struct {
		Code int `json:"code"`
	}
	if err := json.Unmarshal(m.Error, &refusal); err != nil {
		return nil, &responseError{}
	}
	if refusal.Code == jsonrpc.CodeEnded {
		return nil, errSpokenOut
	}
	return nil, &responseError{refusal.Code}
}
