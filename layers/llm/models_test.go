package llm_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers/llm"
)

func newModels(t *testing.T, config llm.Config) *llm.Models {
	t.Helper()
	m, err := llm.NewModels(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// A key, a model, a timeout are no consent: without an address nobody is asked.
func TestModels_NobodyIsAskedWithoutAnAddress(t *testing.T) {
	m := newModels(t, llm.Config{Default: llm.Endpoint{APIKey: "k", Model: "m", Timeout: time.Second}, Gate: llm.Endpoint{Model: "g"}})
	for _, role := range llm.Roles {
		if c := m.Caller(role); c != nil {
			t.Errorf("%s is asked of %s", role, c.Model())
		}
	}
	if m.Any() || (*llm.Models)(nil).Any() || (*llm.Models)(nil).Caller(llm.Gate) != nil {
		t.Error("something may leave the machine")
	}
}

func TestModels_EachRoleItsModel(t *testing.T) {
	m := newModels(t, llm.Config{
		Default: llm.Endpoint{BaseURL: "http://a.test/v1"},
		Gate:    llm.Endpoint{Model: "gate-1"},
		Layers:  llm.Endpoint{Model: "layer-1"},
		Roles:   map[llm.Role]llm.Endpoint{llm.Identity: {Model: "strong"}},
	})
	for role, want := range map[llm.Role]string{llm.Gate: "gate-1", llm.Identity: "strong", llm.Activity: "layer-1", llm.Single: "layer-1", llm.Summary: "layer-1"} {
		if got := m.Caller(role).Model(); got != want {
			t.Errorf("%s: %s, want %s", role, got, want)
		}
	}
	one := newModels(t, llm.Config{Default: llm.Endpoint{BaseURL: "http://a.test/v1"}, Gate: llm.Endpoint{Model: "only"}})
	if got := one.Caller(llm.Preference).Model(); got != "only" {
		t.Errorf("a layer is asked of %q", got)
	}
}

// One role may have an address while the others have none.
func TestModels_ConsentIsByRole(t *testing.T) {
	m := newModels(t, llm.Config{Gate: llm.Endpoint{BaseURL: "http://a.test/v1", Model: "g"}})
	if m.Caller(llm.Gate) == nil || m.Caller(llm.Identity) != nil || !m.Any() {
		t.Error("the gate alone has an address")
	}
}

// server answers every chat and keeps what authorization it got.
func server(t *testing.T, answer http.HandlerFunc) (url string, keys *[]string) {
	t.Helper()
	keys = new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*keys = append(*keys, r.Header.Get("Authorization"))
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", keys
}

// hang answers nothing until the client goes away, which shows once the body is read.
func hang(_ http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func content(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"model":"served","choices":[{"message":{"content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`, text)
	}
}

// A key goes to the address it was given with, and to no other.
func TestModels_KeysStayWithTheirAddress(t *testing.T) {
	home, homeKeys := server(t, content("{}"))
	other, otherKeys := server(t, content("{}"))
	m := newModels(t, llm.Config{
		Default: llm.Endpoint{BaseURL: home, APIKey: "home-key", Model: "m"},
		Roles: map[llm.Role]llm.Endpoint{
			llm.Identity:   {BaseURL: other},
			llm.Preference: {BaseURL: other, APIKey: "other-key"},
			llm.Activity:   {BaseURL: home + "/ "}, // the same address
		},
	})
	for _, role := range []llm.Role{llm.Gate, llm.Activity, llm.Identity, llm.Preference} {
		if _, err := m.Caller(role).Call(t.Context(), llm.Request{Prompt: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(*homeKeys, ","); got != "Bearer home-key,Bearer home-key" {
		t.Errorf("home got %q", got)
	}
	if got := strings.Join(*otherKeys, ","); got != ",Bearer other-key" {
		t.Errorf("the other got %q", got)
	}
}

func TestNewModels_NamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		config llm.Config
		want   string
	}{
		{llm.Config{Default: llm.Endpoint{BaseURL: "http://a.test"}}, "no model is named; set gate_model or layer_model"},
		{llm.Config{Default: llm.Endpoint{BaseURL: "a.test", Model: "m"}}, "begins with neither http:// nor https://"},
		{llm.Config{Default: llm.Endpoint{BaseURL: "http://a.test", Model: "m", Timeout: -1}}, "is negative"},
		{llm.Config{Roles: map[llm.Role]llm.Endpoint{"judge": {}}}, `model for "judge": there is no such role`},
		{llm.Config{Default: llm.Endpoint{BaseURL: "http://a.test", Model: "m"}, Parallel: -1}, "parallel: is negative"},
	} {
		if _, err := llm.NewModels(c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func TestCaller_GivesFaultsTheirKind(t *testing.T) {
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "100000") // so that no try is repeated
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   error
	}{
		"429":            {status(429, "{}"), llm.ErrUnavailable},
		"500":            {status(500, "{}"), llm.ErrUnavailable},
		"a page":         {status(502, "<html>"), llm.ErrUnavailable},
		"wrong key":      {status(401, "{}"), llm.ErrRejected},
		"200 error":      {status(200, `{"error":{"message":"quota exceeded"}}`), llm.ErrRejected},
		"no choices":     {status(200, `{"choices":[]}`), llm.ErrRejected},
		"too large":      {status(400, `{"error":{"message":"exceeds the available context size"}}`), llm.ErrTooLarge},
		"a hang":         {hang, llm.ErrUnavailable},
		"a cut of a key": {status(200, `{"choices":[{"mess`), llm.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := server(t, c.answer)
			timeout := time.Minute
			if name == "a hang" {
				timeout = 20 * time.Millisecond
			}
			m := newModels(t, llm.Config{Default: llm.Endpoint{BaseURL: url, Model: "m", Timeout: timeout}})
			if _, err := m.Caller(llm.Gate).Call(t.Context(), llm.Request{Prompt: "x"}); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}

func TestCaller_ReturnsWhatTheServerSays(t *testing.T) {
	url, _ := server(t, content("hello"))
	m := newModels(t, llm.Config{Default: llm.Endpoint{BaseURL: url, Model: "m"}})
	got, err := m.Caller(llm.Gate).Call(t.Context(), llm.Request{Prompt: "x"})
	if want := (llm.Response{Text: "hello", Model: "served", Input: 3, Output: 4}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCaller_KeepsToTheLimitOfItsEndpoint(t *testing.T) {
	var bodies []string
	url, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		content("{}")(w, r)
	})
	m := newModels(t, llm.Config{Default: llm.Endpoint{BaseURL: url, Model: "m", MaxTokens: 50}})
	for asked, want := range map[int]string{0: `"max_tokens":50`, 20: `"max_tokens":20`, 100: `"max_tokens":50`} {
		if _, err := m.Caller(llm.Gate).Call(t.Context(), llm.Request{Prompt: "x", MaxTokens: asked}); err != nil {
			t.Fatal(err)
		}
		if body := bodies[len(bodies)-1]; !strings.Contains(body, want) {
			t.Errorf("asked for %d: %s", asked, body)
		}
	}
}
