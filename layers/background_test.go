package layers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/layers"
	"mcp-memory/vector/embed"
	"mcp-memory/vector/file"
)

// hashed embeds a text as the sum of its words, each a direction of its own, so
// that texts with common words are near. It stands for a real embedder where a
// test counts its calls or lets them fail.
type hashed struct {
	model string
	dim   int

	mu     sync.Mutex
	seen   map[string]int // passages by text
	fail   error          // of every call
	refuse string         // a text with it is refused
	gate   chan struct{}  // where set, a call about memories waits for it
}

func newHashed() *hashed { return &hashed{model: "hashed", dim: 48, seen: map[string]int{}} }

func (h *hashed) Model() string { return h.model }
func (h *hashed) Dim() int      { return h.dim }

func (h *hashed) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	h.mu.Lock()
	fail, refuse, gate := h.fail, h.refuse, h.gate
	h.mu.Unlock()
	if gate != nil && kind == embed.Passage {
		select {
		case <-gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if fail != nil {
		return nil, fail
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if refuse != "" && strings.Contains(text, refuse) {
			return nil, fmt.Errorf("%w: no %s", embed.ErrRefused, refuse)
		}
		out[i] = h.vector(text)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, text := range texts {
		if kind == embed.Passage {
			h.seen[text]++
		}
	}
	return out, nil
}

func (h *hashed) vector(text string) []float32 {
	v := make([]float32, h.dim)
	v[0] = 1 // texts without a common word are not opposite
	for _, word := range strings.Fields(strings.ToLower(text)) {
		sum := fnv.New32a()
		sum.Write([]byte(strings.Trim(word, ".,?!")))
		v[1+int(sum.Sum32())%(h.dim-1)]++
	}
	norm := 0.0
	for _, x := range v {
		norm += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(norm))
	}
	return v
}

func (h *hashed) set(change func(*hashed)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(h)
}

// times is how often a memory was embedded.
func (h *hashed) times(text string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.seen[text]
}

// embedding is a home with an embedder and a vector file.
func embedding(t *testing.T, e *hashed) *home {
	t.Helper()
	h := newHome(t, noon)
	h.opts = layers.Options{Location: time.UTC, Embedder: e}
	h.vectors(e.model)
	h.start()
	t.Cleanup(func() { h.stop() })
	return h
}

// vectors opens the vector file of a model for the next start.
func (h *home) vectors(model string) {
	h.t.Helper()
	f, _, err := file.Open(h.dir, model)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { f.Close() })
	h.opts.Vectors = f
}

// settled waits until every record has its vector.
func (h *home) settled() {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	if err := h.Settle(ctx); err != nil {
		h.t.Fatalf("settle: %v", err)
	}
}

func (h *home) remembers(texts ...string) {
	h.t.Helper()
	for _, text := range texts {
		h.say(layers.Memorandum{Text: text, Tier: "episodic"})
	}
}

// near is the vector signal of each match by its text.
func (h *home) near(query string) map[string]float64 {
	h.t.Helper()
	zero := 0.0
	out := h.answers(layers.RecallInput{Query: query, MinScore: &zero, Explain: true})
	near := map[string]float64{}
	for _, m := range out.Matches {
		near[m.Text] = m.Signals["vector"]
	}
	return near
}

func (h *home) answers(in layers.RecallInput) layers.RecallOutput {
	h.t.Helper()
	out, err := h.Recall(h.t.Context(), user, in)
	if err != nil {
		h.t.Fatalf("recall: %v", err)
	}
	return out
}

func (h *home) stats() layers.StatsView {
	h.t.Helper()
	s, err := h.Stats(h.t.Context(), user)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

// What stats promises is there before anything was remembered.
func TestStats_OfAnEmptyMemoryHasEveryField(t *testing.T) {
	h := embedding(t, newHashed())
	b, err := json.Marshal(h.stats())
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"role", "owner_pid", "records", "users", "vectors_pending", "vector_engine", "vector_recall", "embedder", "llm", "model_calls", "file_bytes", "salvage"} {
		if v, ok := got[key]; !ok || v == "" {
			t.Errorf("%s: %v, %t", key, v, ok)
		}
	}
	if got["vector_engine"] != "exact" {
		t.Errorf("vector_engine %v, want exact", got["vector_engine"])
	}
}

func TestBackground_RecallWaitsForWhatIsPending(t *testing.T) {
	e := newHashed()
	h := embedding(t, e)
	h.remembers("The loom is warped with linen.", "The dye bath is indigo.")
	near := h.near("loom linen")
	if near["The loom is warped with linen."] <= near["The dye bath is indigo."] {
		t.Errorf("vector signals %v", near)
	}
	if s := h.stats(); s.VectorsPending != 0 || s.Embedded != 2 || s.Embedder != "hashed" || s.VectorEngine != "exact" {
		t.Errorf("stats %+v", s)
	}
}

func TestBackground_RestartReadsTheVectors(t *testing.T) {
	e := newHashed()
	h := embedding(t, e)
	texts := []string{"The loom is warped with linen.", "The dye bath is indigo.", "The shuttle is pear wood."}
	h.remembers(texts...)
	h.settled()
	before := h.near("pear loom")
	h.restart()
	h.settled()
	if after := h.near("pear loom"); !cmp.Equal(before, after) {
		t.Errorf("answers changed: %s", cmp.Diff(before, after))
	}
	for _, text := range texts {
		if n := e.times(text); n != 1 {
			t.Errorf("%q was embedded %d times", text, n)
		}
	}
}

func TestBackground_LostVectorsAreMadeAgain(t *testing.T) {
	e := newHashed()
	h := embedding(t, e)
	h.remembers("The loom is warped with linen.", "The dye bath is indigo.")
	h.settled()
	before := h.near("indigo loom")
	h.stop()
	files, err := filepath.Glob(filepath.Join(h.dir, "vectors-*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("vector files %v, %v", files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	h.vectors(e.model)
	h.start()
	h.settled()
	if after := h.near("indigo loom"); !cmp.Equal(before, after) {
		t.Errorf("answers changed: %s", cmp.Diff(before, after))
	}
	if n := e.times("The dye bath is indigo."); n != 2 {
		t.Errorf("embedded %d times, want 2", n)
	}
}

// Another model has vectors of its own, of another length; the first finds its
// own again.
func TestBackground_ModelsAreNeverMixed(t *testing.T) {
	first := newHashed()
	h := embedding(t, first)
	h.remembers("The loom is warped with linen.", "The dye bath is indigo.")
	h.settled()
	before := h.near("indigo loom")
	h.stop()
	second := newHashed()
	second.model, second.dim = "other", 96
	h.opts.Embedder = second
	h.vectors(second.model)
	h.start()
	h.settled()
	h.near("indigo loom")
	if n := second.times("The dye bath is indigo."); n != 1 {
		t.Errorf("the other model embedded %d times, want 1", n)
	}
	h.stop()
	h.opts.Embedder = first
	h.vectors(first.model)
	h.start()
	h.settled()
	if after := h.near("indigo loom"); !cmp.Equal(before, after) {
		t.Errorf("answers changed: %s", cmp.Diff(before, after))
	}
	if n := first.times("The dye bath is indigo."); n != 1 {
		t.Errorf("the first model embedded %d times, want 1", n)
	}
}

func TestBackground_WordsAnswerWhileTheEmbedderIsDown(t *testing.T) {
	e := newHashed()
	e.fail = fmt.Errorf("%w: connection refused", embed.ErrUnavailable)
	h := embedding(t, e)
	h.remembers("The loom is warped with linen.")
	out := h.answers(layers.RecallInput{Query: "loom linen"})
	if len(out.Matches) != 1 || !strings.Contains(out.Note, "words alone") {
		t.Errorf("%d matches, note %q", len(out.Matches), out.Note)
	}
	if s := h.stats(); s.VectorsPending != 1 || !strings.Contains(s.EmbedderError, "connection refused") {
		t.Errorf("stats %+v", s)
	}
	e.set(func(e *hashed) { e.fail = nil })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for h.Settle(ctx) != nil {
		if ctx.Err() != nil {
			t.Fatal("the vectors did not follow")
		}
		time.Sleep(10 * time.Millisecond) // polls a retry, which is a second away
	}
	if near := h.near("loom linen"); near["The loom is warped with linen."] == 0 {
		t.Errorf("vector signals %v", near)
	}
}

func TestBackground_OneRefusedTextHoldsUpNoOther(t *testing.T) {
	e := newHashed()
	h := embedding(t, e)
	e.set(func(e *hashed) { e.gate = make(chan struct{}) }) // so that all are one batch
	h.remembers("The loom is warped with linen.", "A cursed text.", "The dye bath is indigo.")
	e.set(func(e *hashed) { e.refuse = "cursed" })
	close(e.gate)
	h.settled()
	if s := h.stats(); s.Embedded != 2 || s.VectorsPending != 0 || s.EmbedderError != "" {
		t.Errorf("stats %+v", s)
	}
	if out := h.answers(layers.RecallInput{Query: "cursed text"}); len(out.Matches) == 0 || out.Matches[0].Text != "A cursed text." {
		t.Errorf("its words do not find it: %+v", out.Matches)
	}
	if near := h.near("indigo dye")["The dye bath is indigo."]; near <= 0 {
		t.Errorf("the one after it is not found by its vector: signal %v", near)
	}
}

// So is one that comes alone: the embedder takes others, so it is not down.
func TestBackground_ARefusedTextAloneIsNoOutage(t *testing.T) {
	e := newHashed()
	h := embedding(t, e)
	e.set(func(e *hashed) { e.refuse = "cursed" })
	h.remembers("A cursed text.")
	h.settled()
	h.remembers("The loom is warped with linen.")
	h.settled()
	if s := h.stats(); s.Embedded != 1 || s.VectorsPending != 0 || s.EmbedderError != "" {
		t.Errorf("stats %+v", s)
	}
}

func TestBackground_AnEmbedderThatRefusesAllIsDown(t *testing.T) {
	e := newHashed()
	e.fail = fmt.Errorf("%w: no such key", embed.ErrRefused)
	h := embedding(t, e)
	h.remembers("The loom is warped with linen.")
	h.answers(layers.RecallInput{Query: "loom"})
	if s := h.stats(); s.VectorsPending != 1 || !strings.Contains(s.EmbedderError, "no such key") {
		t.Errorf("stats %+v", s)
	}
}

func TestBackground_WhatIsForgottenMeanwhileGetsNoVector(t *testing.T) {
	e := newHashed()
	h := embedding(t, e)
	gate := make(chan struct{})
	e.set(func(e *hashed) { e.gate = gate })
	id := h.say(layers.Memorandum{Text: "The loom is warped with linen.", Tier: "episodic"}).ID
	if _, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{id}}); err != nil {
		t.Fatal(err)
	}
	close(gate)
	h.settled()
	if s := h.stats(); s.Embedded != 0 {
		t.Errorf("%d vectors of what was forgotten", s.Embedded)
	}
	if _, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{id}, Undo: true}); err != nil {
		t.Fatal(err)
	}
	h.settled()
	if s := h.stats(); s.Embedded != 1 {
		t.Errorf("%d vectors after the undo, want 1", s.Embedded)
	}
}

// Closing in the middle loses nothing: what has no vector is pending again.
func TestBackground_GoesOnAfterAStop(t *testing.T) {
	e := newHashed()
	h := embedding(t, e)
	gate := make(chan struct{})
	e.set(func(e *hashed) { e.gate = gate })
	h.remembers("The loom is warped with linen.", "The dye bath is indigo.")
	h.stop() // while the embedder is asked
	e.set(func(e *hashed) { e.gate = nil })
	h.start()
	h.settled()
	if s := h.stats(); s.Embedded != 2 {
		t.Errorf("%d vectors, want 2", s.Embedded)
	}
}

// Vectors that are made between two pages change neither: no record comes twice
// and none is left out.
func TestBackground_PagesStayAsTheyWereWhileVectorsCome(t *testing.T) {
	e := newHashed()
	h := embedding(t, e)
	var texts []string
	for i := range 60 {
		texts = append(texts, fmt.Sprintf("Crate number %d stands in aisle %d.", i, i%7))
	}
	h.remembers(texts[:20]...)
	h.settled()
	gate := make(chan struct{})
	e.set(func(e *hashed) { e.gate = gate })
	h.remembers(texts[20:]...)
	seen, in := map[string]int{}, layers.RecallInput{Query: "crate aisle 3", Limit: ptr(20)}
	for page := range 3 {
		out := h.answers(in)
		for _, m := range out.Matches {
			seen[m.Text]++
		}
		if page == 0 {
			e.set(func(e *hashed) { e.gate = nil })
			close(gate)
			h.settled()
		}
		in.Cursor = out.NextCursor
	}
	if len(seen) != len(texts) {
		t.Errorf("three pages of 20 show %d of %d records", len(seen), len(texts))
	}
	for text, n := range seen {
		if n > 1 {
			t.Errorf("%q is shown %d times", text, n)
		}
	}
}
