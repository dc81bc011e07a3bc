package llm

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcp-memory/internal/openai"
)

// Endpoint is a model and where it is. An empty field is taken from what stands
// above it, see Config.
type Endpoint struct {
	Model     string
	BaseURL   string
	APIKey    string
	Timeout   time.Duration // of one try
	MaxTokens int           // of an answer, at most; 0: what the call asks for
}

// Config is the settings of the models. A role's field comes from Roles, else from
// Gate (for the gate) or Layers (for the others), else from Default. A role without
// a base URL has no model: a key, or a model's name, is not consent.
//
// A key goes only to the address it was given with: a role with a base URL of its
// own takes no key from above unless the address is the same.
type Config struct {
	Default Endpoint
	Gate    Endpoint
	Layers  Endpoint
	Roles   map[Role]Endpoint

	Parallel  int               // calls at once to one server; 8
	Transport http.RoundTripper // nil: the client's own; for tests
}

const (
	// defaultTimeout lets a small model on a laptop's CPU finish: it reads 30 and
	// writes 20 tokens a second (services/README.md).
	defaultTimeout = 120 * time.Second
	// defaultParallel is five layers, a gate and some room.
	defaultParallel = 8
)

// Models hands out who is asked for what. It is safe for concurrent use.
type Models struct {
	callers map[Role]Caller
	clients []*openai.Client
}

// server is what a client is made for: two roles with the same share it, and with
// it the limit of calls at once.
type server struct {
	url, key string
	timeout  time.Duration
}

// NewModels checks the settings; it reaches for no server. An error names the
// setting's role and what would be right.
func NewModels(config Config) (*Models, error) {
	for role := range config.Roles {
		if !slices.Contains(Roles, role) {
			return nil, fmt.Errorf("model for %q: there is no such role; give one of %v", role, Roles)
		}
	}
	m := &Models{callers: map[Role]Caller{}}
	clients := map[server]*openai.Client{}
	for _, role := range Roles {
		if err := m.add(role, &config, clients); err != nil {
			m.Close()
			return nil, fmt.Errorf("model for %s: %w", role, err)
		}
	}
	return m, nil
}

// add makes the caller of a role that has an address.
func (m *Models) add(role Role, config *Config, clients map[server]*openai.Client) error {
	e := config.endpoint(role)
	switch {
	case e.BaseURL == "":
		return nil
	case e.Model == "":
		return fmt.Errorf("a base URL is set but no model is named; set gate_model or layer_model")
	case e.Timeout < 0 || e.MaxTokens < 0:
		return fmt.Errorf("timeout %v, max tokens %d: a limit is negative; want more than 0, or 0 for the default", e.Timeout, e.MaxTokens)
	}
	at := server{plainAddress(e.BaseURL), e.APIKey, cmp.Or(e.Timeout, defaultTimeout)}
	client := clients[at]
	if client == nil {
		var err error
		client, err = openai.New(openai.Options{
			BaseURL: at.url, APIKey: at.key, Timeout: at.timeout,
			Parallel: cmp.Or(config.Parallel, defaultParallel), Transport: config.Transport,
		})
		if err != nil {
			return err
		}
		clients[at] = client
		m.clients = append(m.clients, client)
	}
	m.callers[role] = &endpoint{client: client, model: e.Model, maxTokens: e.MaxTokens}
	return nil
}

// endpoint gathers a role's settings from those above it.
func (c *Config) endpoint(role Role) Endpoint {
	chain := []Endpoint{c.Roles[role], c.Layers, c.Default}
	if role == Gate {
		chain[1] = c.Gate
	}
	e := inherit(inherit(chain[0], chain[1]), chain[2])
	// Who names one model means it for all that is asked of that server.
	e.Model = cmp.Or(e.Model, c.Layers.Model, c.Gate.Model)
	return e
}

// inherit fills what own leaves open. A key stays with its address.
func inherit(own, above Endpoint) Endpoint {
	elsewhere := own.BaseURL != "" && plainAddress(own.BaseURL) != plainAddress(above.BaseURL)
	own.Model = cmp.Or(own.Model, above.Model)
	own.BaseURL = cmp.Or(own.BaseURL, above.BaseURL)
	own.Timeout = cmp.Or(own.Timeout, above.Timeout)
	own.MaxTokens = cmp.Or(own.MaxTokens, above.MaxTokens)
	if !elsewhere {
		own.APIKey = cmp.Or(own.APIKey, above.APIKey)
	}
	return own
}

// plainAddress is an address as two that mean the same are compared.
func plainAddress(url string) string { return strings.TrimRight(strings.TrimSpace(url), "/") }

// Caller returns who is asked for a role, or nil where nobody is.
func (m *Models) Caller(role Role) Caller {
	if m == nil {
		return nil
	}
	return m.callers[role]
}

// Any reports whether any role has a model: whether anything may leave the machine.
func (m *Models) Any() bool { return m != nil && len(m.callers) > 0 }

// Close closes idle connections.
func (m *Models) Close() {
	for _, c := range m.clients {
		c.Close()
	}
}
