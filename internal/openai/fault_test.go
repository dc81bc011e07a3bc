package openai_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"mcp-memory/internal/openai"
)

// Every fault of an answer has its kind, and a text that says what was wrong.
// tries is the number of requests it costs: a fault that may pass is tried
// again, and a first refusal might be about base64.
func TestEmbeddings_Faults(t *testing.T) {
	const page = "<html><body>Bad gateway</body></html>"
	for _, c := range []struct {
		name   string
		status int
		body   string
		kind   error
		want   string
		tries  int
	}{
		{"wrong key", 401, `{"error":{"message":"Incorrect key","type":"invalid_request_error","code":"invalid_api_key"}}`,
			openai.ErrRefused, "401 Unauthorized: Incorrect key (invalid_request_error); check the API key", 1},
		{"forbidden, no text", 403, ``, openai.ErrRefused, "403 Forbidden: check the API key", 1},
		{"no such model, Ollama", 404, `{"error":"model \"e6\" not found"}`, openai.ErrRefused, `model "e6" not found; no such model, or a wrong base URL`, 1},
		{"no such path", 404, "404 page not found\n", openai.ErrRefused, "404 page not found; no such model", 1},
		{"bad request, vLLM", 400, `{"object":"error","message":"bad value","type":"BadRequestError","code":400}`, openai.ErrRefused, "bad value (BadRequestError)", 2},
		{"bad request, a list of texts", 400, `{"error":{"message":["one","two"],"code":null}}`, openai.ErrRefused, `["one","two"]`, 2},
		{"bad request, silent", 400, `{}`, openai.ErrRefused, "400 Bad Request: the server does not say why", 2},
		{"not implemented", 501, `{"error":{"message":"start it with --embeddings","type":"not_supported_error"}}`, openai.ErrRefused, "start it with --embeddings", 1},
		{"text over the context, OpenAI", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens"}}`, openai.ErrTooLarge, "8192 tokens", 1},
		{"text over the batch, llama.cpp", 500, `{"error":{"code":500,"message":"input is too large to process","type":"server_error"}}`, openai.ErrTooLarge, "too large to process", 1},
		{"too many texts, TEI", 413, `{"message":"batch size 64 > maximum allowed batch size 32","type":"validation","code":413}`, openai.ErrTooLarge, "batch size 64", 1},
		{"overloaded", 503, `{"error":{"message":"loading","type":"unavailable_error","code":503}}`, openai.ErrUnavailable, "loading (unavailable_error) (2 tries)", 2},
		{"rate limit", 429, `{"error":{"message":"slow down"}}`, openai.ErrUnavailable, "slow down; too many requests", 2},
		{"timeout of the server", 408, ``, openai.ErrUnavailable, "408 Request Timeout", 2},
		{"a gateway's page", 502, page, openai.ErrUnavailable, "502 Bad Gateway: its answer is not the interface's", 2},
		{"200 with an error", 200, `{"error":{"message":"no such model","type":"x"}}`, openai.ErrRefused, "its answer is an error: no such model (x)", 1},
		{"200 with an error's text", 200, `{"error":"no such model"}`, openai.ErrRefused, "its answer is an error: no such model", 1},
		{"200 with an error that passes", 200, `{"error":{"message":"upstream","code":502}}`, openai.ErrUnavailable, "its answer is an error: upstream", 2},
		{"200 with a page", 200, page, openai.ErrRefused, "the answer is not a JSON object", 1},
		{"200 with a list", 200, `[1]`, openai.ErrRefused, "the answer is not a JSON object", 1},
		{"200 with nothing", 200, "", openai.ErrUnavailable, "the answer is empty", 2},
		{"200 cut off", 200, `{"data":[{"index":0,"embed`, openai.ErrUnavailable, "the answer was cut off", 2},
		{"an object of another kind", 200, `{"choices":[]}`, openai.ErrRefused, "it holds 0 for 1 texts", 1},
		{"too many", 200, answer(embedding{0, packed(1)}, embedding{1, packed(1)}), openai.ErrRefused, "it holds 2 for 1 texts", 1},
		{"an index too high", 200, answer(embedding{1, packed(1)}), openai.ErrRefused, "index 1, of 1 texts", 1},
		{"a negative index", 200, answer(embedding{-1, packed(1)}), openai.ErrRefused, "index -1", 1},
		{"an empty vector", 200, answer(embedding{0, []float64{}}), openai.ErrRefused, "index 0 is empty", 1},
		{"a null vector", 200, answer(embedding{0, nil}), openai.ErrRefused, "index 0 is empty", 1},
		{"no base64", 200, answer(embedding{0, "!!"}), openai.ErrRefused, "neither a list of numbers nor base64", 1},
		{"numbers too large", 200, `{"data":[{"index":0,"embedding":[1e39]}]}`, openai.ErrRefused, "number 1e39", 1},
		{"NaN", 200, `{"data":[{"index":0,"embedding":[NaN]}]}`, openai.ErrRefused, "the answer is not a JSON object", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			fault := func(w http.ResponseWriter, _ *http.Request) { reply(w, c.status, c.body) }
			bubble(t, openai.Options{APIKey: key, Retries: 1}, fault, func(t *testing.T, client *openai.Client, visits func() []visit) {
				_, err := client.Embeddings(t.Context(), "e5", []string{"tea"})
				wantError(t, err, c.kind, c.want)
				if got := len(visits()); got != c.tries {
					t.Errorf("%d requests, want %d", got, c.tries)
				}
			})
		})
	}
}

// wantError holds an error to its kind and to its text, which names the call.
func wantError(t *testing.T, err, kind error, want string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("error %v, want it to be %v", err, kind)
	}
	if text := err.Error(); !strings.Contains(text, want) || !strings.HasPrefix(text, "POST http") || !strings.Contains(text, "/v1/embeddings: ") {
		t.Errorf("error %q, want it to name the call and hold %q", text, want)
	}
}

func TestEmbeddings_TwoOfOneIndex(t *testing.T) {
	for name, body := range map[string]string{
		"twice":    answer(embedding{1, packed(1)}, embedding{1, packed(2)}),
		"no index": `{"data":[{"embedding":[1]},{"embedding":[2]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := serve(t, openai.Options{}, func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, body) })
			_, err := client.Embeddings(t.Context(), "e5", []string{"tea", "milk"})
			wantError(t, err, openai.ErrRefused, "it holds two with index")
		})
	}
}

func TestEmbeddings_AfterAFaultThatPassed(t *testing.T) {
	faults := map[string]http.HandlerFunc{
		"a page":       func(w http.ResponseWriter, _ *http.Request) { reply(w, 502, "<html>") },
		"a rate limit": func(w http.ResponseWriter, _ *http.Request) { reply(w, 429, "{}") },
		"a cut body": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"data":[`)
		},
		"a closed connection": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			first := true
			handler := func(w http.ResponseWriter, r *http.Request) {
				if first {
					first = false
					fault(w, r)
					return
				}
				reply(w, 200, answer(embedding{0, packed(1)}))
			}
			bubble(t, openai.Options{}, handler, func(t *testing.T, client *openai.Client, visits func() []visit) {
				if _, err := client.Embeddings(t.Context(), "e5", []string{"tea"}); err != nil {
					t.Fatal(err)
				}
				got := visits()
				if len(got) != 2 || !slices.Equal(got[0].sent.Input, got[1].sent.Input) {
					t.Errorf("requests %v, want the same twice", got)
				}
			})
		})
	}
}

func TestEmbeddings_ReadsNoMoreThanTheLimit(t *testing.T) {
	client, requests := serve(t, openai.Options{MaxBytes: 1000}, func(w http.ResponseWriter, _ *http.Request) {
		for range 1 << 16 { // 64 MB, were it read to its end
			if _, err := io.WriteString(w, strings.Repeat("[", 1000)); err != nil {
				return
			}
		}
		t.Error("the answer was read to its end")
	})
	_, err := client.Embeddings(t.Context(), "e5", []string{"tea"})
	wantError(t, err, openai.ErrTooLarge, "the answer is over 1000 bytes")
	if got := requests.Load(); got != 1 {
		t.Errorf("%d requests, want 1", got)
	}
}

func TestEmbeddings_FollowsNoRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the other host was called")
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		client, _ := serve(t, openai.Options{APIKey: key}, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/v1/embeddings?token=hunter2", status)
		})
		_, err := client.Embeddings(t.Context(), "e5", []string{"tea"})
		wantError(t, err, openai.ErrRefused, fmt.Sprintf("it redirects to %s, which is not followed", other.URL))
	}
}

func TestEmbeddings_DeadServer(t *testing.T) {
	// Nothing listens there; a port that was let go might be another process's next.
	client := newClient(t, openai.Options{BaseURL: "http://127.0.0.1:1/v1", Retries: -1})
	_, err := client.Embeddings(t.Context(), "e5", []string{"tea"})
	wantError(t, err, openai.ErrUnavailable, "cannot reach the server: ")
}

func TestEmbeddings_WrongScheme(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	secure.Config.ErrorLog = quiet()
	for _, c := range []struct{ name, url, want string }{
		{"https to a plain server", "https" + strings.TrimPrefix(plain.URL, "http"), "begin the base URL with http://"},
		{"a certificate nobody signed", secure.URL, "the server's certificate is not trusted"},
		{"http to a server with TLS", "http" + strings.TrimPrefix(secure.URL, "https"), "HTTP request to an HTTPS server"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := newClient(t, openai.Options{BaseURL: c.url + "/v1"})
			_, err := client.Embeddings(t.Context(), "e5", []string{"tea"})
			wantError(t, err, openai.ErrRefused, c.want)
		})
	}
}
