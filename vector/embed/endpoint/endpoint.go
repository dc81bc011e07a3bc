// Package endpoint embeds texts by a server that speaks OpenAI's embeddings:
// OpenAI itself, llama.cpp, Ollama, vLLM, TEI, LM Studio, or others that follow.
//
// What a text is sent as: what is not UTF-8 becomes U+FFFD, NUL becomes a space,
// and a text without anything visible becomes a full stop, for there are servers
// that refuse each of these. The prefix of its kind goes in front. What is then
// over MaxTextBytes is cut, and where the server still finds it too long, it is
// halved until the server takes it: the beginning of a long text stands for it.
//
// Vectors are brought to unit length. They all must have the length of the first;
// a server that changes its model under a running process is refused.
package endpoint

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"mcp-memory/internal/openai"
	"mcp-memory/vector/embed"
)

// Options are the server and how it is used. URL and Model are needed.
type Options struct {
	URL    string // the base of the calls, such as http://127.0.0.1:11434/v1
	APIKey string
	Model  string // as the server names it

	// What goes in front of a text, for models that are trained so: "query: " and
	// "passage: " for E5, "search_query: " and "search_document: " for nomic.
	QueryPrefix   string
	PassagePrefix string

	BatchTexts   int // at most so many texts in a request; 64
	BatchBytes   int // and of so many bytes together, but for a single text; 128 KiB
	MaxTextBytes int // of a text with its prefix; 8,000

	Timeout  time.Duration // of one try; 0 as internal/openai has it, and so the next two
	Retries  int           // tries after the first; none where negative
	Patience time.Duration // of all tries of a request together
}

const (
	defaultBatchTexts = 64
	// A token is a byte at least: no more than 131,072 of the 300,000 that OpenAI
	// takes in a request.
	defaultBatchBytes = 128 << 10
	// For the same reason, within the 8,191 tokens that OpenAI's models take.
	defaultMaxTextBytes = 8000
	// minTextBytes is where a text is not halved any more: still no more tokens
	// than the 512 of the smallest models in use.
	minTextBytes = 384
	// maxPrefixBytes leaves a third of that to the text itself.
	maxPrefixBytes = 256
)

// Embedder asks a server for vectors. It is safe for concurrent use.
type Embedder struct {
	options Options
	client  *openai.Client
	name    string
	dim     atomic.Int64 // of the first answer; 0 before
	batch   atomic.Int64 // texts in a request: less than the options say, once the server found that too many
}

var _ embed.Embedder = (*Embedder)(nil)

// New checks the options; it does not reach for the server.
func New(options Options) (*Embedder, error) {
	if err := options.fill(); err != nil {
		return nil, fmt.Errorf("embeddings endpoint: %w", err)
	}
	client, err := openai.New(openai.Options{
		BaseURL: options.URL, APIKey: options.APIKey,
		Timeout: options.Timeout, Retries: options.Retries, Patience: options.Patience,
	})
	if err != nil {
		return nil, fmt.Errorf("embeddings endpoint: %w", err)
	}
	e := &Embedder{options: options, client: client, name: modelName(client.BaseURL(), options)}
	e.batch.Store(int64(options.BatchTexts))
	return e, nil
}

// fill puts the defaults where nothing is set, and refuses what makes no sense.
func (o *Options) fill() error {
	if strings.TrimSpace(o.Model) == "" {
		return errors.New("model: is empty; want the name the server has for it")
	}
	for _, limit := range []struct {
		name          string
		value         *int
		fallback, min int
	}{
		{"batch texts", &o.BatchTexts, defaultBatchTexts, 1},
		{"batch bytes", &o.BatchBytes, defaultBatchBytes, 1},
		{"max text bytes", &o.MaxTextBytes, defaultMaxTextBytes, minTextBytes},
	} {
		if *limit.value == 0 {
			*limit.value = limit.fallback
		}
		if *limit.value < limit.min {
			return fmt.Errorf("%s: is %d; want %d or more, or 0 for %d", limit.name, *limit.value, limit.min, limit.fallback)
		}
	}
	for _, prefix := range []struct{ name, value string }{{"query prefix", o.QueryPrefix}, {"passage prefix", o.PassagePrefix}} {
		if len(prefix.value) > maxPrefixBytes {
			return fmt.Errorf("%s: is %d bytes long; want at most %d", prefix.name, len(prefix.value), maxPrefixBytes)
		}
	}
	return nil
}

// modelName names everything that decides a vector: model and host to be read,
// and the rest in a hash.
func modelName(baseURL string, o Options) string {
	host := baseURL
	if u, err := url.Parse(baseURL); err == nil {
		host = u.Host
	}
	rest := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d", baseURL, o.QueryPrefix, o.PassagePrefix, o.MaxTextBytes))
	return fmt.Sprintf("openai:%s@%s#%x", strings.Join(strings.Fields(o.Model), " "), host, rest[:8])
}

// Close closes idle connections to the server.
func (e *Embedder) Close() error {
	e.client.Close()
	return nil
}

// Model is openai:, the model, @, the host, # and a hash of the whole address,
// the prefixes and the length at which texts are cut. The key is not in it.
func (e *Embedder) Model() string { return e.name }

// Dim is the length of the vectors, 0 before the first answer.
func (e *Embedder) Dim() int { return int(e.dim.Load()) }

// Embed returns the vectors of the texts, as [embed.Embedder] says.
func (e *Embedder) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	sent := make([]string, len(texts))
	for i, text := range texts {
		sent[i] = e.prepare(kind, text)
	}
	vectors := make([][]float32, 0, len(texts))
	for len(sent) > 0 {
		n := e.next(sent)
		batch, err := e.request(ctx, sent[:n])
		if err != nil {
			return nil, fmt.Errorf("embed texts %d to %d of %d: %w", len(vectors)+1, len(vectors)+n, len(texts), translate(err))
		}
		vectors = append(vectors, batch...)
		sent = sent[n:]
	}
	return vectors, nil
}

// translate gives an error of the client its meaning in the contract. The end of
// the context stays what it is.
func translate(err error) error {
	switch {
	case errors.Is(err, openai.ErrUnavailable), errors.Is(err, openai.ErrTimeout):
		return fmt.Errorf("%w: %w", embed.ErrUnavailable, err)
	case errors.Is(err, openai.ErrRefused), errors.Is(err, openai.ErrTooLarge):
		return fmt.Errorf("%w: %w", embed.ErrRefused, err)
	}
	return err
}
