package openai_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcp-memory/internal/leaktest"
	"mcp-memory/internal/openai"
)

func TestMain(m *testing.M) {
	leaktest.Main(m)
}

// key is the API key of the tests: no error may hold it.
const key = "sk-test-0123456789abcdef"

// embedding is an answer's embedding: []float64 for numbers, string for base64.
type embedding struct {
	Index  int `json:"index"`
	Vector any `json:"embedding"`
}

// answer returns the body of an answer with the given embeddings.
func answer(embeddings ...embedding) string {
	body, err := json.Marshal(map[string]any{"object": "list", "model": "m", "data": embeddings})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// packed returns the base64 form of a vector.
func packed(vector ...float32) string {
	var raw []byte
	for _, x := range vector {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// request is what a server was sent.
type request struct {
	Model  string   `json:"model"`
	Input  []string `json:"input"`
	Format string   `json:"encoding_format"`
}

func readRequest(t *testing.T, r *http.Request) request {
	t.Helper()
	var sent request
	if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
		t.Errorf("the request's body is not JSON: %v", err)
	}
	return sent
}

// serve starts a server and returns a client of it, and the number of requests
// it has got.
func serve(t *testing.T, options openai.Options, handler http.HandlerFunc) (*openai.Client, *atomic.Int32) {
	t.Helper()
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	options.BaseURL = server.URL + "/v1"
	return newClient(t, options), &requests
}

func newClient(t *testing.T, options openai.Options) *openai.Client {
	t.Helper()
	client, err := openai.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func reply(w http.ResponseWriter, status int, body string) {
	w.WriteHeader(status)
	io.WriteString(w, body)
}

func TestNew_RefusesWhatCannotWork(t *testing.T) {
	const good = "http://127.0.0.1:1/v1"
	for _, c := range []struct {
		name    string
		options openai.Options
		want    string
	}{
		{"no URL", openai.Options{}, "base URL: is empty; want one such as http://"},
		{"no scheme", openai.Options{BaseURL: "localhost:11434/v1"}, "begins with neither http:// nor https://"},
		{"another scheme", openai.Options{BaseURL: "ftp://host/v1"}, "begins with neither http:// nor https://"},
		{"no host", openai.Options{BaseURL: "http:///v1"}, "names no host"},
		{"only a port", openai.Options{BaseURL: "http://:80/v1"}, "names no host"},
		{"not a URL", openai.Options{BaseURL: "http://a b/%zz"}, "is not a URL"},
		{"a password", openai.Options{BaseURL: "https://me:hunter2@host/v1"}, `"https://host/v1": holds a user or a password`},
		{"a query", openai.Options{BaseURL: "https://host/v1?key=hunter2"}, `"https://host/v1": is followed by a query`},
		{"a fragment", openai.Options{BaseURL: "https://host/v1#x"}, "is followed by a query or a fragment"},
		{"a call's name", openai.Options{BaseURL: "https://host/v1/embeddings/"}, "ends in the name of a call; want https://host/v1"},
		{"a key of two lines", openai.Options{BaseURL: good, APIKey: "hunter2\n"}, "api key: holds a line break"},
		{"a negative timeout", openai.Options{BaseURL: good, Timeout: -time.Second}, "timeout: is negative"},
		{"a negative patience", openai.Options{BaseURL: good, Patience: -1}, "patience: is negative"},
		{"a negative limit", openai.Options{BaseURL: good, MaxBytes: -1}, "max bytes: is negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := openai.New(c.options)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows the secret: %v", err)
			}
		})
	}
}

func TestNew_TakesASlashAtTheEnd(t *testing.T) {
	for _, given := range []string{"https://host/v1//", " https://host/v1/\r\n"} {
		client := newClient(t, openai.Options{BaseURL: given})
		if got := client.BaseURL(); got != "https://host/v1" {
			t.Errorf("%q: base URL %q", given, got)
		}
	}
}

func TestEmbeddings_AsksAsTheInterfaceWants(t *testing.T) {
	client, _ := serve(t, openai.Options{APIKey: key}, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/v1/embeddings" {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer "+key {
			t.Errorf("authorization %q", got)
		}
		sent := readRequest(t, r)
		if sent.Model != "e5" || !slices.Equal(sent.Input, []string{"tea <ok>", "\u8336\x00"}) || sent.Format != "base64" {
			t.Errorf("sent %+v", sent)
		}
		reply(w, http.StatusOK, answer(embedding{1, packed(3, -4)}, embedding{0, packed(1, 2)}))
	})
	got, err := client.Embeddings(t.Context(), "e5", []string{"tea <ok>", "\u8336\x00"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got[0], []float32{1, 2}) || !slices.Equal(got[1], []float32{3, -4}) {
		t.Errorf("vectors %v, want them in the order of their index", got)
	}
}

func TestEmbeddings_SendsNoKeyWhereNoneIsSet(t *testing.T) {
	client, _ := serve(t, openai.Options{}, func(w http.ResponseWriter, r *http.Request) {
		if got, ok := r.Header["Authorization"]; ok {
			t.Errorf("authorization %q", got)
		}
		reply(w, http.StatusOK, answer(embedding{0, packed(1)}))
	})
	if _, err := client.Embeddings(t.Context(), "e5", []string{"tea"}); err != nil {
		t.Fatal(err)
	}
}

func TestEmbeddings_OfNothingAsksNothing(t *testing.T) {
	client, requests := serve(t, openai.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, answer())
	})
	got, err := client.Embeddings(t.Context(), "e5", nil)
	if err != nil || len(got) != 0 || requests.Load() != 0 {
		t.Errorf("%v, %v after %d requests", got, err, requests.Load())
	}
}

// A server may ignore that base64 was asked for; its numbers are taken, without
// asking again.
func TestEmbeddings_TakesNumbersForBase64(t *testing.T) {
	client, requests := serve(t, openai.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, answer(embedding{0, []float64{0.5, -2}}))
	})
	got, err := client.Embeddings(t.Context(), "e5", []string{"tea"})
	if err != nil || !slices.Equal(got[0], []float32{0.5, -2}) {
		t.Fatalf("%v, %v", got, err)
	}
	if requests.Load() != 1 {
		t.Errorf("%d requests, want 1", requests.Load())
	}
}

// A server may refuse base64: it is asked for numbers, and from then on for
// nothing else.
func TestEmbeddings_GivesUpBase64WhereRefused(t *testing.T) {
	var formats []string
	client, _ := serve(t, openai.Options{}, func(w http.ResponseWriter, r *http.Request) {
		sent := readRequest(t, r)
		formats = append(formats, sent.Format)
		if sent.Format != "float" {
			reply(w, http.StatusUnprocessableEntity, `{"error":{"message":"encoding_format: only float","type":"invalid_request_error"}}`)
			return
		}
		reply(w, http.StatusOK, answer(embedding{0, []float64{1}}))
	})
	for range 2 {
		if _, err := client.Embeddings(t.Context(), "e5", []string{"tea"}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"base64", "float", "float"}; !slices.Equal(formats, want) {
		t.Errorf("asked for %v, want %v", formats, want)
	}
}

// Once base64 was taken, a refusal is about something else.
func TestEmbeddings_KeepsBase64WhereTaken(t *testing.T) {
	client, requests := serve(t, openai.Options{}, func(w http.ResponseWriter, r *http.Request) {
		if readRequest(t, r).Model == "other" {
			reply(w, http.StatusBadRequest, `{"error":"no such model"}`)
			return
		}
		reply(w, http.StatusOK, answer(embedding{0, packed(1)}))
	})
	if _, err := client.Embeddings(t.Context(), "e5", []string{"tea"}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Embeddings(t.Context(), "other", []string{"tea"}); err == nil {
		t.Fatal("no error")
	}
	if requests.Load() != 2 {
		t.Errorf("%d requests, want 2", requests.Load())
	}
}
