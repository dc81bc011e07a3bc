package openai_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"

	"mcp-memory/internal/openai"
)

// canned answers every request with the same.
type canned struct {
	status int
	body   []byte
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: c.status,
		Header:     http.Header{"Retry-After": {"100000"}}, // so that no try is repeated
		Body:       io.NopCloser(bytes.NewReader(c.body)),
		Request:    r,
	}, nil
}

// Whatever a server answers, a call gives a vector for every text or an error of
// a known kind, and does not panic.
func FuzzEmbeddings_AnyAnswer(f *testing.F) {
	for _, body := range []string{
		answer(embedding{0, packed(1, 2)}, embedding{1, packed(3)}),
		answer(embedding{1, []float64{1, -2}}, embedding{0, []float64{1e-40}}),
		answer(embedding{0, "AAA="}, embedding{1, []float64{}}),
		`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":"AACAPw=="}]}`,
		`{"error":{"message":["a","b"],"code":502}}`, `{"error":"text"}`, `{"error":{"code":"x","type":5}}`,
		`{"detail":[{"msg":"\u9ebb"}]}`, `{"message":"m","code":1e400}`, `null`, `[]`, ``, `<html>`, "\xff\x00",
	} {
		f.Add(200, []byte(body))
		f.Add(400, []byte(body))
		f.Add(503, []byte(body))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		client, err := openai.New(openai.Options{BaseURL: "http://server.test", Transport: canned{status, body}, Retries: -1})
		if err != nil {
			t.Fatal(err)
		}
		vectors, err := client.Embeddings(t.Context(), "e5", []string{"tea", "milk and sugar"})
		if err != nil {
			checkKind(t, err)
			return
		}
		if len(vectors) != 2 || len(vectors[0]) == 0 || len(vectors[1]) == 0 {
			t.Errorf("vectors %v for two texts", vectors)
		}
	})
}

func checkKind(t *testing.T, err error) {
	t.Helper()
	var failed *openai.Error
	if !errors.As(err, &failed) || failed.Detail == "" || failed.URL == "" {
		t.Fatalf("error %#v, want an *openai.Error that says what was called and why it failed", err)
	}
	for _, kind := range []error{openai.ErrUnavailable, openai.ErrTimeout, openai.ErrTooLarge, openai.ErrRefused} {
		if errors.Is(err, kind) {
			return
		}
	}
	t.Errorf("error %v is of no known kind", err)
}
