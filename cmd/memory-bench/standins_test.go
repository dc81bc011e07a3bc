package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-memory/layers/recall"
	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/embedtest"
	"mcp-memory/vector/embed/endpoint"
)

// standInsOf mixes vectors of an embedder for tests: those of n texts of a corpus.
func standInsOf(t *testing.T, e embed.Embedder, n int) (*standIns, []string) {
	t.Helper()
	cache := &vectorCache{embedder: e, path: filepath.Join(t.TempDir(), "test.vectors"), progress: io.Discard}
	texts := basisTexts(1, n, shortLength)
	s, err := openStandIns(t.Context(), cache, texts)
	if err != nil {
		t.Fatal(err)
	}
	return s, texts
}

func embedTexts(t *testing.T, e embed.Embedder, kind embed.Kind, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), kind, texts)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

// cosinesOf are the mean and the standard deviation of the cosines of all pairs.
func cosinesOf(vectors [][]float32) (mean, std float64) {
	sum, squares, n := 0.0, 0.0, 0.0
	for i, v := range vectors {
		for _, w := range vectors[:i] {
			cos := 0.0
			for k := range v {
				cos += float64(v[k]) * float64(w[k])
			}
			sum, squares, n = sum+cos, squares+cos*cos, n+1
		}
	}
	mean = sum / n
	return mean, math.Sqrt(squares/n - mean*mean)
}

// TestStandIns_LieAsTheModelsDo by the cosines of their pairs: were they means of
// vectors, all would lie together in the middle.
func TestStandIns_LieAsTheModelsDo(t *testing.T) {
	model, err := openBuiltin("", "")
	if err != nil {
		t.Fatal(err)
	}
	const n = 150
	basis := embedTexts(t, model, embed.Passage, basisTexts(1, n, shortLength)...)
	s := newStandIns(model, basis)
	var mixtures [][]float32
	for i := range 4 * n {
		mixtures = append(mixtures, embedTexts(t, s, embed.Passage, fmt.Sprint("never said ", i))...)
	}
	mean, std := cosinesOf(basis)
	mixedMean, mixedStd := cosinesOf(mixtures)
	if math.Abs(mixedMean-mean) > std/4 || mixedStd < std*3/4 || mixedStd > std*5/4 {
		t.Errorf("cosines of stand-ins %.4f ± %.4f, of the model's vectors %.4f ± %.4f", mixedMean, mixedStd, mean, std)
	}
	for i, v := range mixtures {
		if !isUnit(v) {
			t.Fatalf("stand-in %d has the length %v", i, math.Sqrt(squared(v)))
		}
	}
}

// TestStandIns_AreOfTheTextAlone and not of what else was asked for, nor of when.
func TestStandIns_AreOfTheTextAlone(t *testing.T) {
	one, _ := standInsOf(t, embedtest.Words(64), 30)
	two, _ := standInsOf(t, embedtest.Words(64), 30)
	texts := []string{"a", "b", "c", "d"}
	first := embedTexts(t, one, embed.Passage, texts...)
	embedTexts(t, two, embed.Passage, "something before")
	slices.Reverse(texts)
	again := embedTexts(t, two, embed.Passage, texts...)
	slices.Reverse(again)
	for i := range first {
		if !slices.Equal(first[i], again[i]) {
			t.Errorf("text %d has two vectors", i)
		}
	}
	if slices.Equal(first[0], first[1]) {
		t.Error("two texts have one vector")
	}
}

// TestStandIns_LeaveToTheModel queries, the basis, and what a server makes its lens
// of.
func TestStandIns_LeaveToTheModel(t *testing.T) {
	model := embedtest.Words(64)
	s, basis := standInsOf(t, model, 30)
	statements, questions := recall.Yardstick()
	for _, c := range []struct {
		name  string
		kind  embed.Kind
		texts []string
		own   bool
	}{
		{"the basis", embed.Passage, basis, true},
		{"statements of the yardstick", embed.Passage, slices.Concat(statements...), true},
		{"its questions", embed.Query, slices.Concat(questions...), true},
		{"other questions", embed.Query, []string{"which harbour?"}, true},
		{"other texts", embed.Passage, []string{"Ships lie in the harbour."}, false},
	} {
		want, got := embedTexts(t, model, c.kind, c.texts...), embedTexts(t, s, c.kind, c.texts...)
		for i := range want {
			if slices.Equal(want[i], got[i]) != c.own {
				t.Errorf("%s: %q: the model's own vector: %v, want %v", c.name, c.texts[i], !c.own, c.own)
			}
		}
	}
}

func serveTest(t *testing.T, e embed.Embedder) *embeddingsService {
	t.Helper()
	s, err := serveEmbeddings(t.Context(), e, anyPort)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestEmbeddingsService_KeepsTheContract of an embedder, seen through the client
// that the server has.
func TestEmbeddingsService_KeepsTheContract(t *testing.T) {
	stand, _ := standInsOf(t, embedtest.Words(64), 30)
	embedtest.Suite{NoMeaning: true}.Run(t, func(t *testing.T) embed.Embedder {
		e, err := endpoint.New(endpoint.Options{
			URL: "http://" + serveTest(t, stand).address + "/v1", Model: standInsModel, QueryPrefix: queryPrefix, PassagePrefix: passagePrefix,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
		return e
	})
}

func TestEmbeddingsService_RefusesWhatItDoesNotUnderstand(t *testing.T) {
	stand, _ := standInsOf(t, embedtest.Words(64), 30)
	s := &embeddingsService{embedder: stand}
	for _, c := range []struct{ name, body, want string }{
		{"no JSON", "{", "unexpected end of JSON input"},
		{"another model", `{"model":"e5","input":["query: a"]}`, `model: is \"e5\"; this service has \"stand-ins\"`},
		{"nothing", `{"model":"stand-ins","input":[]}`, "input: is empty"},
		{"no prefix", `{"model":"stand-ins","input":["query: a","b"]}`, `input[1]: begins neither with \"query: \" nor with \"passage: \"`},
		{"too much", `{"model":"stand-ins","input":["query: ` + strings.Repeat("a", maxEmbeddingsBody) + `"]}`, "too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			s.embeddings(w, httptest.NewRequest(http.MethodPost, "/v1/embeddings", strings.NewReader(c.body)))
			if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("answered %d %s, want %d and %q", w.Code, w.Body, http.StatusBadRequest, c.want)
			}
		})
	}
}

// TestEmbeddingsService_NumbersWhereTheyAreAskedFor are those of base64.
func TestEmbeddingsService_NumbersWhereTheyAreAskedFor(t *testing.T) {
	stand, _ := standInsOf(t, embedtest.Words(64), 30)
	w := httptest.NewRecorder()
	(&embeddingsService{embedder: stand}).embeddings(w, httptest.NewRequest(http.MethodPost, "/v1/embeddings", strings.NewReader(`{"model":"stand-ins","input":["passage: a"]}`)))
	want := bytes.TrimSuffix(fmt.Appendf(nil, "%v", embedTexts(t, stand, embed.Passage, "a")[0][0]), []byte("\n"))
	if !bytes.Contains(w.Body.Bytes(), append([]byte(`"embedding":[`), want...)) {
		t.Errorf("answered %s, want numbers that begin with %s", w.Body, want)
	}
}

func TestServeEmbeddings_SaysWhyAnAddressMatters(t *testing.T) {
	taken := serveTest(t, embedtest.Words(64))
	if _, err := serveEmbeddings(t.Context(), embedtest.Words(64), taken.address); err == nil || !strings.Contains(err.Error(), "end what listens there") {
		t.Errorf("an address that is taken: %v, want an error that says what to do", err)
	}
}
