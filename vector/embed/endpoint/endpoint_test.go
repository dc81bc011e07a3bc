package endpoint_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/embedtest"
	"mcp-memory/vector/embed/endpoint"
)

// Timeouts that a test can wait for. One that is to pass may be short; one that a
// server which answers at once is not to reach is long enough for a busy machine.
const (
	shortTime = 300 * time.Millisecond
	ampleTime = 3 * time.Second
)

func TestEmbedder_KeepsTheContract(t *testing.T) {
	prefixes := endpoint.Options{QueryPrefix: "query: ", PassagePrefix: "passage: "}
	for _, c := range []struct {
		name    string
		server  func() *strict
		options endpoint.Options
		suite   embedtest.Suite
	}{
		{"base64", func() *strict { return &strict{} }, prefixes, embedtest.Suite{NoMeaning: true}},
		{"numbers", func() *strict { return &strict{floats: true} }, prefixes, embedtest.Suite{NoMeaning: true}},
		{"few and short texts", func() *strict { return &strict{maxTexts: 7, maxBytes: 500} }, prefixes, embedtest.Suite{NoMeaning: true}},
		{"no prefixes", func() *strict { return &strict{} }, endpoint.Options{}, embedtest.Suite{NoMeaning: true, OneKind: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.suite.Run(t, func(t *testing.T) embed.Embedder { return c.server().open(t, c.options) })
		})
	}
}

func TestNew_RefusesWhatCannotWork(t *testing.T) {
	good := endpoint.Options{URL: "http://127.0.0.1:1/v1", Model: "e5"}
	for _, c := range []struct {
		name   string
		change func(o *endpoint.Options)
		want   string
	}{
		{"no URL", func(o *endpoint.Options) { o.URL = "" }, "base URL: is empty"},
		{"no model", func(o *endpoint.Options) { o.Model = " " }, "model: is empty; want the name the server has for it"},
		{"a batch of none", func(o *endpoint.Options) { o.BatchTexts = -1 }, "batch texts: is -1; want 1 or more, or 0 for 64"},
		{"a batch of no bytes", func(o *endpoint.Options) { o.BatchBytes = -1 }, "batch bytes: is -1; want 1 or more, or 0 for 131072"},
		{"texts too short", func(o *endpoint.Options) { o.MaxTextBytes = 10 }, "max text bytes: is 10; want 384 or more, or 0 for 8000"},
		{"a long prefix", func(o *endpoint.Options) { o.QueryPrefix = strings.Repeat("x", 257) }, "query prefix: is 257 bytes long; want at most 256"},
		{"a negative timeout", func(o *endpoint.Options) { o.Timeout = -1 }, "timeout: is negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			options := good
			c.change(&options)
			_, err := endpoint.New(options)
			if err == nil || !strings.HasPrefix(err.Error(), "embeddings endpoint: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// Vectors may be compared where Model is the same: whatever changes them changes
// it, and what does not, does not.
func TestModel_IsAnotherWhereVectorsAre(t *testing.T) {
	base := endpoint.Options{URL: "http://host:1/v1", Model: "e5"}
	name := open(t, base).Model()
	if !strings.HasPrefix(name, "openai:e5@host:1#") {
		t.Errorf("Model is %q", name)
	}
	for what, change := range map[string]func(o *endpoint.Options){
		"model":          func(o *endpoint.Options) { o.Model = "e6" },
		"host":           func(o *endpoint.Options) { o.URL = "http://other:1/v1" },
		"path":           func(o *endpoint.Options) { o.URL = "http://host:1/v2" },
		"query prefix":   func(o *endpoint.Options) { o.QueryPrefix = "query: " },
		"passage prefix": func(o *endpoint.Options) { o.PassagePrefix = "query: " },
		"cut":            func(o *endpoint.Options) { o.MaxTextBytes = 4000 },
	} {
		options := base
		change(&options)
		if got := open(t, options).Model(); got == name {
			t.Errorf("another %s, and Model is still %q", what, got)
		}
	}
	same := base
	same.APIKey, same.BatchTexts, same.Timeout, same.URL = key, 3, time.Second, "http://host:1/v1/"
	if got := open(t, same).Model(); got != name {
		t.Errorf("Model is %q, want %q: neither key, batch nor timeout change a vector", got, name)
	}
}

func TestEmbed_SendsPrefixesAndCutsTexts(t *testing.T) {
	server := &strict{}
	e := server.open(t, endpoint.Options{QueryPrefix: "query: ", PassagePrefix: "passage: ", MaxTextBytes: 400})
	long := "a" + strings.Repeat("茶", 400)
	for kind, text := range map[embed.Kind]string{embed.Query: "where?", embed.Passage: long} {
		if _, err := e.Embed(t.Context(), kind, []string{text}); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range server.requests {
		sent := r.Input[0]
		switch {
		case r.Model != "words":
			t.Errorf("model %q", r.Model)
		case sent == "query: where?":
		case strings.HasPrefix(sent, "passage: a茶") && len(sent) > 397 && len(sent) <= 400 && !strings.Contains(sent, "\uFFFD"):
		default:
			t.Errorf("sent %q (%d bytes)", sent, len(sent))
		}
	}
}

func TestEmbed_SendsBatches(t *testing.T) {
	for _, c := range []struct {
		name    string
		options endpoint.Options
		texts   []string
		want    []int
	}{
		{"the default", endpoint.Options{}, texts(130), []int{64, 64, 2}},
		{"by number", endpoint.Options{BatchTexts: 2}, texts(5), []int{2, 2, 1}},
		{"by bytes", endpoint.Options{BatchBytes: 10}, []string{"12345", "12345", "1", "1234567890123", "1", "2"}, []int{2, 1, 1, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := &strict{}
			e := server.open(t, c.options)
			if _, err := e.Embed(t.Context(), embed.Passage, c.texts); err != nil {
				t.Fatal(err)
			}
			if got := server.sizes(); !slices.Equal(got, c.want) {
				t.Errorf("requests of %v texts, want %v", got, c.want)
			}
		})
	}
}

// A server that takes fewer texts is asked again with half, and for no more from
// then on.
func TestEmbed_LearnsTheServersBatch(t *testing.T) {
	server := &strict{maxTexts: 20}
	e := server.open(t, endpoint.Options{})
	for range 2 {
		got, err := e.Embed(t.Context(), embed.Passage, texts(64))
		if err != nil || len(got) != 64 {
			t.Fatalf("%d vectors, %v", len(got), err)
		}
	}
	want := []int{64, 32, 16, 16, 32, 16, 16, 16, 16, 16, 16}
	if got := server.sizes(); !slices.Equal(got, want) {
		t.Errorf("requests of %v texts, want %v", got, want)
	}
}

// One text over the model's context does not fail the others, does not make
// batches small, and is embedded by its beginning.
func TestEmbed_HalvesATextThatIsTooLong(t *testing.T) {
	server := &strict{maxBytes: 1000}
	e := server.open(t, endpoint.Options{})
	long := strings.Repeat("tea ", 1500)
	got, err := e.Embed(t.Context(), embed.Passage, []string{"milk", "sugar", long, "lemon"})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := e.Embed(t.Context(), embed.Passage, []string{long[:750], "lemon"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got[2], alone[0]) || !slices.Equal(got[3], alone[1]) {
		t.Error("the vectors are not those of the text's beginning and of the text after it")
	}
	if sizes := server.sizes(); sizes[len(sizes)-1] != 2 {
		t.Errorf("requests of %v texts: the last should not be in parts", sizes)
	}
}

func TestEmbed_GivesUpOnAServerThatTakesNothing(t *testing.T) {
	server := &strict{maxBytes: 3}
	e := server.open(t, endpoint.Options{})
	_, err := e.Embed(t.Context(), embed.Passage, append(texts(64), strings.Repeat("tea ", 2000)))
	if !errors.Is(err, embed.ErrRefused) || !strings.Contains(err.Error(), "maximum context length is 3 tokens") {
		t.Errorf("error %v", err)
	}
	if n := len(server.sizes()); n > 10 {
		t.Errorf("%d requests to find that out", n)
	}
}

func TestEmbed_RefusesVectorsThatAreNone(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		name   string
		change func(vectors [][]float32)
		want   string
	}{
		{"zero", func(v [][]float32) { clear(v[1]) }, "for text 2 of a request with a vector that is all zeros"},
		{"NaN", func(v [][]float32) { v[0][3] = nan }, "for text 1 of a request with a vector that holds NaN or an infinity"},
		{"infinite", func(v [][]float32) { v[0][3] = float32(math.Inf(-1)) }, "holds NaN or an infinity"},
		{"of two lengths", func(v [][]float32) { v[1] = v[1][:63] }, "vectors of length 64 and of length 63 at once"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := &strict{answer: func(_ request, vectors [][]float32) { c.change(vectors) }}
			e := server.open(t, endpoint.Options{})
			got, err := e.Embed(t.Context(), embed.Passage, texts(2))
			if got != nil || !errors.Is(err, embed.ErrRefused) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%d vectors, error %v, want %q", len(got), err, c.want)
			}
			if e.Dim() != 0 {
				t.Errorf("Dim is %d after an answer that was refused", e.Dim())
			}
		})
	}
}

// The largest float32s are finite, and so is their sum of squares.
func TestEmbed_NormalisesTheLargestNumbers(t *testing.T) {
	server := &strict{answer: func(_ request, vectors [][]float32) {
		for i := range vectors[0] {
			vectors[0][i] = math.MaxFloat32
		}
	}}
	got, err := server.open(t, endpoint.Options{}).Embed(t.Context(), embed.Passage, texts(1))
	if err != nil || got[0][0] != 0.125 {
		t.Errorf("%v, %v, want 64 times 1/8", got, err)
	}
}

func TestEmbed_RefusesAServerThatChangesItsModel(t *testing.T) {
	server := &strict{}
	e := server.open(t, endpoint.Options{})
	if _, err := e.Embed(t.Context(), embed.Passage, texts(1)); err != nil {
		t.Fatal(err)
	}
	server.answer = func(_ request, vectors [][]float32) { vectors[0] = vectors[0][:32] }
	_, err := e.Embed(t.Context(), embed.Query, texts(1))
	if !errors.Is(err, embed.ErrRefused) || !strings.Contains(err.Error(), "of length 32, and of length 64 before") {
		t.Errorf("error %v", err)
	}
	if e.Dim() != 64 {
		t.Errorf("Dim is %d, want the first answer's", e.Dim())
	}
}

func TestEmbed_TellsWhatPassesFromWhatDoesNot(t *testing.T) {
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		timeout time.Duration
		want    error
	}{
		{"wrong key", func(w http.ResponseWriter, _ *http.Request) { refuse(w, 401, "no") }, 0, embed.ErrRefused},
		{"no such model", func(w http.ResponseWriter, _ *http.Request) { refuse(w, 404, "no") }, 0, embed.ErrRefused},
		{"overloaded", func(w http.ResponseWriter, _ *http.Request) { refuse(w, 429, "no") }, 0, embed.ErrUnavailable},
		{"broken", func(w http.ResponseWriter, _ *http.Request) { refuse(w, 500, "no") }, 0, embed.ErrUnavailable},
		{"silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, shortTime, embed.ErrUnavailable},
		{"not an answer", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"data":[]}`)) }, 0, embed.ErrRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var sent request
				json.NewDecoder(r.Body).Decode(&sent) // so that the server sees the client go
				c.handler(w, r)
			}))
			defer server.Close()
			e := open(t, endpoint.Options{URL: server.URL, APIKey: key, Model: "m", Retries: -1, Timeout: c.timeout})
			got, err := e.Embed(t.Context(), embed.Passage, []string{"My sister Zebulonia drinks tea"})
			if got != nil || !errors.Is(err, c.want) || errors.Is(err, embed.ErrRefused) == errors.Is(err, embed.ErrUnavailable) {
				t.Fatalf("%d vectors, error %v, want %v", len(got), err, c.want)
			}
			if text := err.Error(); !strings.HasPrefix(text, "embed texts 1 to 1 of 1: ") || strings.Contains(text, "Zebulonia") || strings.Contains(text, key) {
				t.Errorf("error %q", text)
			}
		})
	}
}

// A call whose last request fails gives nothing.
func TestEmbed_GivesAllOrNothing(t *testing.T) {
	server := &strict{before: func(w http.ResponseWriter, _ *http.Request, sent request) bool {
		bad := slices.Contains(sent.Input, "text number4")
		if bad {
			refuse(w, 401, "no")
		}
		return bad
	}}
	e := server.open(t, endpoint.Options{BatchTexts: 2})
	got, err := e.Embed(t.Context(), embed.Passage, texts(5))
	if got != nil || !errors.Is(err, embed.ErrRefused) || !strings.HasPrefix(err.Error(), "embed texts 5 to 5 of 5: ") {
		t.Errorf("%d vectors, error %v", len(got), err)
	}
}

// A server that is too slow for a batch is asked for half at the next call.
func TestEmbed_AsksForLessAfterATimeout(t *testing.T) {
	server := &strict{before: func(_ http.ResponseWriter, r *http.Request, sent request) bool {
		if len(sent.Input) <= 2 {
			return false
		}
		<-r.Context().Done()
		return true
	}}
	e := server.open(t, endpoint.Options{BatchTexts: 8, Timeout: ampleTime})
	for range 2 {
		if _, err := e.Embed(t.Context(), embed.Passage, texts(8)); !errors.Is(err, embed.ErrUnavailable) {
			t.Fatalf("error %v", err)
		}
	}
	if _, err := e.Embed(t.Context(), embed.Passage, texts(8)); err != nil {
		t.Fatal(err)
	}
	if want, got := []int{8, 4, 2, 2, 2, 2}, server.sizes(); !slices.Equal(got, want) {
		t.Errorf("requests of %v texts, want %v", got, want)
	}
}

func TestEmbed_EndsWithItsContextInACall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := &strict{before: func(_ http.ResponseWriter, r *http.Request, _ request) bool {
		cancel()
		<-r.Context().Done()
		return true
	}}
	e := server.open(t, endpoint.Options{})
	got, err := e.Embed(ctx, embed.Passage, texts(3))
	if got != nil || !errors.Is(err, context.Canceled) || errors.Is(err, embed.ErrUnavailable) {
		t.Errorf("%d vectors, error %v", len(got), err)
	}
}
