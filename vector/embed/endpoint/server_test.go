package endpoint_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"mcp-memory/internal/leaktest"
	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/embedtest"
	"mcp-memory/vector/embed/endpoint"
)

func TestMain(m *testing.M) {
	leaktest.Main(m)
}

const (
	key = "sk-test-0123456789abcdef"
	dim = 64
)

// strict is a server that refuses what any server in use refuses, and numbers
// its answers from the last. Real servers that do so cannot be had on demand;
// service_test.go has one that can.
type strict struct {
	t        *testing.T
	maxTexts int // of a request; 0: no limit
	maxBytes int // of a text; 0: no limit
	floats   bool
	answer   func(sent request, vectors [][]float32) // changes what is answered; may be nil
	before   func(w http.ResponseWriter, r *http.Request, sent request) bool

	mu       sync.Mutex
	requests []request // that came
}

type request struct {
	Model  string   `json:"model"`
	Input  []string `json:"input"`
	Format string   `json:"encoding_format"`
}

func (s *strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var sent request
	if err := json.NewDecoder(r.Body).Decode(&sent); err != nil { // a call that was cancelled
		refuse(w, http.StatusBadRequest, "not JSON")
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, sent)
	s.mu.Unlock()
	if s.before != nil && s.before(w, r, sent) {
		return
	}
	if status, message := s.refuse(sent); status != 0 {
		refuse(w, status, message)
		return
	}
	vectors, err := embedtest.Words(dim).Embed(context.WithoutCancel(r.Context()), embed.Passage, sent.Input)
	if err != nil {
		s.t.Errorf("embed: %v", err)
	}
	for _, vector := range vectors {
		for i := range vector {
			vector[i] *= 3 // to be normalised
		}
	}
	if s.answer != nil {
		s.answer(sent, vectors)
	}
	s.write(w, vectors, sent.Format == "base64" && !s.floats)
}

// refuse returns the status and the message of what the server does not take.
func (s *strict) refuse(sent request) (status int, message string) {
	if s.maxTexts != 0 && len(sent.Input) > s.maxTexts {
		return http.StatusRequestEntityTooLarge, fmt.Sprintf("batch size %d > maximum allowed batch size %d", len(sent.Input), s.maxTexts)
	}
	for _, text := range sent.Input {
		switch {
		case strings.TrimSpace(text) == "":
			return http.StatusBadRequest, "input cannot be an empty string"
		case strings.Contains(text, "\x00") || !utf8.ValidString(text):
			return http.StatusBadRequest, "input holds an invalid character"
		case s.maxBytes != 0 && len(text) > s.maxBytes:
			return http.StatusBadRequest, fmt.Sprintf("maximum context length is %d tokens", s.maxBytes)
		}
	}
	return 0, ""
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": message, "type": "invalid_request_error"}})
}

func (s *strict) write(w http.ResponseWriter, vectors [][]float32, packed bool) {
	data := make([]map[string]any, len(vectors))
	for i, vector := range vectors {
		data[i] = map[string]any{"object": "embedding", "index": i, "embedding": vector}
		if packed {
			data[i]["embedding"] = pack(vector)
		}
	}
	slices.Reverse(data)
	body, err := json.Marshal(map[string]any{"object": "list", "data": data})
	if err != nil {
		s.t.Errorf("write the answer: %v", err)
	}
	w.Write(body) // to a caller that may have gone
}

func pack(vector []float32) string {
	var raw []byte
	for _, x := range vector {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// sizes returns the number of texts of each request.
func (s *strict) sizes() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	sizes := make([]int, len(s.requests))
	for i, r := range s.requests {
		sizes[i] = len(r.Input)
	}
	return sizes
}

// open starts the server and returns an embedder of it.
func (s *strict) open(t *testing.T, options endpoint.Options) *endpoint.Embedder {
	t.Helper()
	s.t = t
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	options.URL, options.APIKey = server.URL+"/v1", key
	if options.Model == "" {
		options.Model = "words"
	}
	return open(t, options)
}

func open(t *testing.T, options endpoint.Options) *endpoint.Embedder {
	t.Helper()
	e, err := endpoint.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// texts returns n texts that differ.
func texts(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("text number%d", i)
	}
	return all
}
