package main

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"time"

	"mcp-memory/vector/embed"
)

// The settings of a server that asks for stand-ins: by the prefix of a text the
// service tells a question from what is remembered, as E5 models do.
const (
	standInsModel = "stand-ins"
	queryPrefix   = "query: "
	passagePrefix = "passage: "
)

// Limits of the service.
const (
	maxEmbeddingsBody  = 1 << 20
	readHeaderDeadline = 10 * time.Second
)

// embeddingsService serves an embedder's vectors on loopback, at /v1/embeddings, as
// OpenAI has it.
type embeddingsService struct {
	embedder embed.Embedder
	server   http.Server
	address  string
	ended    chan error
}

// serveEmbeddings listens at an address of loopback; ":0" behind it is any port.
func serveEmbeddings(ctx context.Context, e embed.Embedder, address string) (*embeddingsService, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve embeddings (the vectors of a store that is kept belong to the address they came from; end what listens there): %w", err)
	}
	s := &embeddingsService{embedder: e, address: listener.Addr().String(), ended: make(chan error, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", s.embeddings)
	s.server = http.Server{Handler: mux, ReadHeaderTimeout: readHeaderDeadline}
	go func() { s.ended <- s.server.Serve(listener) }()
	return s, nil
}

// environment is the settings of a server that asks this service.
func (s *embeddingsService) environment() []string {
	return []string{
		"MCP_MEMORY_EMBED_URL=http://" + s.address + "/v1", "MCP_MEMORY_EMBED_MODEL=" + standInsModel,
		"MCP_MEMORY_EMBED_QUERY_PREFIX=" + queryPrefix, "MCP_MEMORY_EMBED_PASSAGE_PREFIX=" + passagePrefix,
	}
}

// close ends the service and waits for that.
func (s *embeddingsService) close() error {
	err := s.server.Close()
	if ended := <-s.ended; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

// embeddingsRequest is what is read of a request. Texts are taken, tokens are not.
type embeddingsRequest struct {
	Model  string   `json:"model"`
	Input  []string `json:"input"`
	Format string   `json:"encoding_format"`
}

// kinds parts the texts by their prefix, and takes that off.
func (r *embeddingsRequest) kinds() (texts map[embed.Kind][]string, places map[embed.Kind][]int, err error) {
	texts, places = map[embed.Kind][]string{}, map[embed.Kind][]int{}
	for i, text := range r.Input {
		kind := embed.Passage
		bare, ok := strings.CutPrefix(text, passagePrefix)
		if !ok {
			kind = embed.Query
			bare, ok = strings.CutPrefix(text, queryPrefix)
		}
		if !ok {
			return nil, nil, fmt.Errorf("input[%d]: begins neither with %q nor with %q", i, queryPrefix, passagePrefix)
		}
		texts[kind], places[kind] = append(texts[kind], bare), append(places[kind], i)
	}
	return texts, places, nil
}

// embeddings answers a request.
func (s *embeddingsService) embeddings(w http.ResponseWriter, r *http.Request) {
	var req embeddingsRequest
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxEmbeddingsBody))
	if err == nil {
		err = json.Unmarshal(body, &req)
	}
	if err == nil && req.Model != standInsModel {
		err = fmt.Errorf("model: is %q; this service has %q", req.Model, standInsModel)
	}
	if err == nil && len(req.Input) == 0 {
		err = errors.New("input: is empty; want at least one text")
	}
	if err != nil {
		refuseEmbeddings(w, http.StatusBadRequest, err)
		return
	}
	texts, places, err := req.kinds()
	if err != nil {
		refuseEmbeddings(w, http.StatusBadRequest, err)
		return
	}
	vectors := make([][]float32, len(req.Input))
	for kind := range texts {
		made, err := s.embedder.Embed(r.Context(), kind, texts[kind])
		if err != nil {
			refuseEmbeddings(w, http.StatusInternalServerError, err)
			return
		}
		for i, at := range places[kind] {
			vectors[at] = made[i]
		}
	}
	answerEmbeddings(w, http.StatusOK, embeddingsAnswer(vectors, req.Format == "base64"))
}

// embedding is one of an answer.
type embedding struct {
	Object    string `json:"object"`
	Index     int    `json:"index"`
	Embedding any    `json:"embedding"` // numbers, or base64 of float32, little endian
}

func embeddingsAnswer(vectors [][]float32, packed bool) any {
	data := make([]embedding, len(vectors))
	for i, v := range vectors {
		data[i] = embedding{"embedding", i, v}
		if packed {
			data[i].Embedding = base64.StdEncoding.EncodeToString(packFloats(v))
		}
	}
	return map[string]any{"object": "list", "model": standInsModel, "data": data, "usage": map[string]int{"prompt_tokens": 0, "total_tokens": 0}}
}

// packFloats writes float32, little endian.
func packFloats(v []float32) []byte {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return raw
}

// refuseEmbeddings answers an error as OpenAI has it.
func refuseEmbeddings(w http.ResponseWriter, status int, err error) {
	kind := "invalid_request_error"
	if status >= http.StatusInternalServerError {
		kind = "server_error"
	}
	answerEmbeddings(w, status, map[string]any{"error": map[string]string{"message": err.Error(), "type": kind}})
}

func answerEmbeddings(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // who asked has gone
}
