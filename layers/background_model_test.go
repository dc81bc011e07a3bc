package layers_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-memory/layers"
	"mcp-memory/vector/embed"
	"mcp-memory/vector/file"
)

// server is a hashed embedder that does not know the length of its vectors before
// its first answer, as those behind an endpoint do not.
type server struct {
	*hashed
	answered atomic.Bool
}

func (s *server) Dim() int {
	if s.answered.Load() {
		return s.dim
	}
	return 0
}

func (s *server) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	vectors, err := s.hashed.Embed(ctx, kind, texts)
	if err == nil {
		s.answered.Store(true)
	}
	return vectors, err
}

// longer serves vectors of another length under the name of the one before.
func longer() *server {
	e := newHashed()
	e.dim *= 2
	return &server{hashed: e}
}

// served is a home with two records, whose vectors and yardstick are in files.
func served(t *testing.T) *home {
	t.Helper()
	h := embedding(t, newHashed())
	h.stop()
	yardstick, _, err := file.Open(h.dir, "yardstick")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { yardstick.Close() })
	h.opts.Yardstick = yardstick
	h.start()
	h.remembers("The loom is warped with linen.", "The dye bath is indigo.")
	h.settled()
	return h
}

// found fails the test unless the vectors answer, now and after a restart.
func (h *home) found() {
	h.t.Helper()
	for range 2 {
		h.settled()
		near, s := h.near("loom linen"), h.stats()
		if near["The loom is warped with linen."] <= near["The dye bath is indigo."] || s.EmbedderError != "" {
			h.t.Errorf("vector signals %v, embedder error %q", near, s.EmbedderError)
		}
		h.restart()
	}
}

func TestBackground_AnotherLengthUnderTheSameName(t *testing.T) {
	h := served(t)
	e := longer()
	h.stop()
	h.opts.Embedder = e
	h.start()
	h.found()
	if n := e.times("The dye bath is indigo."); n != 1 {
		t.Errorf("embedded %d times, want 1", n)
	}
}

// A start that cannot ask the embedder takes the vectors there are; the next one
// makes them again.
func TestBackground_AnotherLengthAfterAnOutage(t *testing.T) {
	h := served(t)
	e := longer()
	e.fail = fmt.Errorf("%w: connection refused", embed.ErrUnavailable)
	h.stop()
	h.opts.Embedder = e
	h.start()
	h.settled()
	e.set(func(e *hashed) { e.fail = nil })
	h.remembers("The shuttle is pear wood.")
	out := h.answers(layers.RecallInput{Query: "pear wood"})
	if len(out.Matches) == 0 || out.Matches[0].Text != "The shuttle is pear wood." {
		t.Errorf("its words do not find it: %+v", out.Matches)
	}
	if s := h.stats(); s.VectorsPending != 1 || !strings.Contains(s.EmbedderError, "restart") {
		t.Errorf("stats %+v", s)
	}
	h.restart()
	h.found()
}

// A yardstick of which a part is left is not mixed with another model's.
func TestBackground_AnotherLengthBesideHalfAYardstick(t *testing.T) {
	h := served(t)
	h.stop()
	n := 0
	if err := h.opts.Yardstick.Keep(t.Context(), func(string) bool { n++; return n%2 == 0 }); err != nil {
		t.Fatal(err)
	}
	if err := h.opts.Vectors.Keep(t.Context(), func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	e := longer()
	e.fail = fmt.Errorf("%w: connection refused", embed.ErrUnavailable) // so that the start learns no length
	h.opts.Embedder = e
	h.start()
	h.pollsUntil("the embedder is down", func() bool { return h.stats().EmbedderError != "" })
	e.set(func(e *hashed) { e.fail = nil })
	h.pollsUntil("the vectors follow", func() bool { return h.stats().VectorsPending == 0 })
	h.found()
}
