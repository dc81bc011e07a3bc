// Package openai calls servers that speak OpenAI's HTTP interface: OpenAI's own,
// and llama.cpp, Ollama, vLLM, TEI, LM Studio and others that follow it.
//
// It is go-openai with what a program that runs unattended needs besides: a
// time limit on every try, tries again after errors that pass, with growing
// waits and the server's own Retry-After, a limit on what is read, no redirects
// (they would carry what was said to another host), and errors of few kinds.
// A call is one [Client] method, [Client.Embeddings] or [Client.Chat]: its request,
// its answer, and the exchange that both share.
//
// The text of an error never holds the key, nor what was sent: what a server
// says is shown only where it repeats neither.
package openai

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	goopenai "github.com/sashabaranov/go-openai"
)

// Options are how a server is reached. Only BaseURL is needed.
type Options struct {
	BaseURL string // such as http://127.0.0.1:11434/v1, without the name of a call
	APIKey  string // sent as a bearer token; none where empty

	Timeout  time.Duration // of one try; 60 s
	Retries  int           // tries after the first; 2, and none where negative
	Patience time.Duration // of all tries and waits together; 90 s, at least Timeout
	MaxBytes int           // of an answer, decompressed; 32 MiB
	Parallel int           // calls at once, others wait their turn; 0: no limit

	Transport http.RoundTripper // nil: one of the client's own
}

// Defaults of the options.
const (
	defaultTimeout  = 60 * time.Second // 64 texts take a small model on a laptop's CPU 10 to 40 s
	defaultPatience = 90 * time.Second // a full try, and another that is cut short
	defaultRetries  = 2
	defaultMaxBytes = 32 << 20 // 512 vectors of 3,072 numbers, each of 20 digits
)

// Limits of the client's own transport. A server of one's own is near, and one
// that is not there should be found out soon; the time of an answer is bounded
// by Timeout.
const (
	connectTime   = 10 * time.Second
	handshakeTime = 10 * time.Second
	idleTime      = 90 * time.Second
	idleConns     = 4
)

// Client calls one server. It is safe for concurrent use.
type Client struct {
	options Options // with the defaults filled in
	http    *http.Client
	format  atomic.Int32  // what is known of the server's embeddings: see encoding
	slots   chan struct{} // one for each call that is under way; nil: no limit

	mu       sync.Mutex         // guards profiles
	profiles map[string]profile // by model: what its chat takes
}

// New checks the options; it does not reach for the server.
func New(options Options) (*Client, error) {
	base, err := parseBaseURL(options.BaseURL)
	if err != nil {
		return nil, err
	}
	options.BaseURL = base
	if strings.ContainsFunc(options.APIKey, unicode.IsControl) {
		return nil, fmt.Errorf("api key: holds a line break or another control character, which no HTTP header can carry")
	}
	if err := options.fill(); err != nil {
		return nil, err
	}
	return &Client{
		options: options,
		slots:   newSlots(options.Parallel),
		http: &http.Client{
			Transport:     options.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// fill puts the defaults where nothing is set, and refuses what makes no sense.
func (o *Options) fill() error {
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"timeout", int64(o.Timeout)},
		{"patience", int64(o.Patience)},
		{"max bytes", int64(o.MaxBytes)},
		{"parallel", int64(o.Parallel)},
	} {
		if limit.value < 0 {
			return fmt.Errorf("%s: is negative; want more than 0, or 0 for the default", limit.name)
		}
	}
	o.Timeout = orDefault(o.Timeout, defaultTimeout)
	o.Patience = max(orDefault(o.Patience, defaultPatience), o.Timeout)
	o.MaxBytes = orDefault(o.MaxBytes, defaultMaxBytes)
	o.Retries = max(orDefault(o.Retries, defaultRetries), 0)
	if o.Transport == nil {
		o.Transport = newTransport()
	}
	return nil
}

func newSlots(parallel int) chan struct{} {
	if parallel == 0 {
		return nil
	}
	return make(chan struct{}, parallel)
}

// enter waits for a call's turn, and reports whether the context let it. Who
// entered must leave.
func (c *Client) enter(ctx context.Context) bool {
	if c.slots == nil {
		return true
	}
	select {
	case c.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (c *Client) leave() {
	if c.slots != nil {
		<-c.slots
	}
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTime}).DialContext,
		TLSHandshakeTimeout: handshakeTime,
		IdleConnTimeout:     idleTime,
		MaxIdleConnsPerHost: idleConns,
		ForceAttemptHTTP2:   true,
	}
}

// Close closes the connections that are idle. Calls after it open new ones.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
}

// BaseURL is the address that calls are made under, without a slash at its end.
func (c *Client) BaseURL() string { return c.options.BaseURL }

// api returns go-openai for one call, which x carries.
func (c *Client) api(x *exchange) *goopenai.Client {
	config := goopenai.DefaultConfig(c.options.APIKey)
	config.BaseURL = c.options.BaseURL
	config.HTTPClient = x
	return goopenai.NewClientWithConfig(config)
}
