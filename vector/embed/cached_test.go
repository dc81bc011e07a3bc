package embed_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"mcp-memory/internal/leaktest"
	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/embedtest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m)
}

const (
	dim = 64
	// plenty is more than any test here embeds.
	plenty = 1 << 20
)

// counted is an embedder that notes the texts it is asked for, and answers when
// wait, if it is set, lets it.
type counted struct {
	embed.Embedder
	wait func(ctx context.Context, texts []string) error

	mu    sync.Mutex
	texts []string
}

func newCounted() *counted { return &counted{Embedder: embedtest.Words(dim)} }

func (c *counted) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	c.mu.Lock()
	c.texts = append(c.texts, texts...)
	c.mu.Unlock()
	if c.wait != nil {
		if err := c.wait(ctx, texts); err != nil {
			return nil, err
		}
	}
	return c.Embedder.Embed(ctx, kind, texts)
}

// asked returns the texts asked for since the last call of asked.
func (c *counted) asked() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := c.texts
	c.texts = nil
	return asked
}

// want embeds texts, and checks which of them the embedder was asked for.
func (c *counted) want(t *testing.T, cache *embed.Cache, kind embed.Kind, texts []string, asked ...string) {
	t.Helper()
	got, err := cache.Embed(t.Context(), kind, texts)
	if err != nil {
		t.Fatal(err)
	}
	if now := c.asked(); !slices.Equal(now, asked) {
		t.Errorf("%s %q: asked for %q, want %q", kind, texts, now, asked)
	}
	plain, err := c.Embedder.Embed(t.Context(), kind, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range texts {
		if !slices.Equal(got[i], plain[i]) {
			t.Errorf("%s %q: the vector is another's", kind, texts[i])
		}
	}
}

func TestCache_KeepsTheContract(t *testing.T) {
	for name, maxBytes := range map[string]int{"large": plenty, "small": 1000, "none": 0} {
		t.Run(name, func(t *testing.T) {
			suite := embedtest.Suite{NoMeaning: true}
			suite.Run(t, func(*testing.T) embed.Embedder { return embed.Cached(embedtest.Words(dim), maxBytes) })
		})
	}
}

func TestCache_AsksOnceForAText(t *testing.T) {
	c := newCounted()
	cache := embed.Cached(c, plenty)
	c.want(t, cache, embed.Passage, []string{"a", "b"}, "a", "b")
	c.want(t, cache, embed.Passage, []string{"b", "c", "a"}, "c")
	c.want(t, cache, embed.Passage, []string{"c", "b"})
	c.want(t, cache, embed.Query, []string{"a"}, "a") // another vector
	c.want(t, cache, embed.Passage, []string{"d", "e", "d", "a", "d"}, "d", "e")
	c.want(t, cache, embed.Passage, []string{"", "\xff"}, "", "\xff")
	c.want(t, cache, embed.Passage, []string{"\uFFFD", ""}, "\uFFFD")
}

// size is what the cache counts for a vector: its numbers, and 208 bytes.
const size = 4*dim + 208

func TestCache_DropsWhatWasUsedLongestAgo(t *testing.T) {
	c := newCounted()
	cache := embed.Cached(c, 3*size)
	c.want(t, cache, embed.Passage, []string{"a", "b", "c"}, "a", "b", "c")
	c.want(t, cache, embed.Passage, []string{"a"})
	c.want(t, cache, embed.Passage, []string{"d"}, "d") // b goes
	c.want(t, cache, embed.Passage, []string{"a", "c", "d"})
	c.want(t, cache, embed.Passage, []string{"b"}, "b") // a goes
	c.want(t, cache, embed.Passage, []string{"a"}, "a")
}

// However much is remembered, what was asked stays: the other way round too.
func TestCache_PassagesPushOutNoQueries(t *testing.T) {
	c := newCounted()
	cache := embed.Cached(c, 3*size)
	c.want(t, cache, embed.Query, []string{"a", "b", "c"}, "a", "b", "c")
	for i := range 100 {
		text := fmt.Sprint(i)
		c.want(t, cache, embed.Passage, []string{text}, text)
	}
	c.want(t, cache, embed.Query, []string{"a", "b", "c"})
	c.want(t, cache, embed.Passage, []string{"97", "98", "99"})
	cache.Clear()
	c.want(t, cache, embed.Query, []string{"a"}, "a")
	c.want(t, cache, embed.Passage, []string{"99"}, "99")
}

func TestCache_KeepsNothingThatDoesNotFit(t *testing.T) {
	for _, maxBytes := range []int{size - 1, 0, -1} {
		c := newCounted()
		cache := embed.Cached(c, maxBytes)
		c.want(t, cache, embed.Passage, []string{"a", "a"}, "a")
		c.want(t, cache, embed.Passage, []string{"a"}, "a")
	}
}

// The bound is on the memory that is really held, and not on the numbers alone:
// long vectors and short ones, after many were dropped.
func TestCache_HoldsNoMoreMemoryThanItSays(t *testing.T) {
	const maxBytes = 4 << 20
	for _, dim := range []int{8, 384} {
		t.Run(fmt.Sprint(dim), func(t *testing.T) {
			before := heap()
			cache := embed.Cached(pieces{dim}, maxBytes)
			for n := range 3 * maxBytes / (4*dim + 208) / 64 {
				texts := make([]string, 64)
				for i := range texts {
					texts[i] = fmt.Sprint(n, i)
				}
				if _, err := cache.Embed(t.Context(), embed.Passage, texts); err != nil {
					t.Fatal(err)
				}
			}
			held := heap() - before
			if held > maxBytes*11/10 || held < maxBytes/2 {
				t.Errorf("a cache of %d bytes holds %d", maxBytes, held)
			}
			runtime.KeepAlive(cache)
		})
	}
}

func heap() int {
	runtime.GC()
	runtime.GC() // what the first one's finalizers let go
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}

// pieces is an embedder that cuts its vectors from one piece, as a model does
// that computes them together.
type pieces struct{ dim int }

func (p pieces) Model() string { return "pieces" }

func (p pieces) Dim() int { return p.dim }

func (p pieces) Embed(_ context.Context, _ embed.Kind, texts []string) ([][]float32, error) {
	all := make([]float32, 1000*p.dim)
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = all[i*p.dim:][:p.dim:p.dim]
		vectors[i][0] = 1
	}
	return vectors, nil
}

func TestClear_DropsEverything(t *testing.T) {
	c := newCounted()
	cache := embed.Cached(c, plenty)
	c.want(t, cache, embed.Passage, []string{"a", "b"}, "a", "b")
	cache.Clear()
	c.want(t, cache, embed.Passage, []string{"a", "b"}, "a", "b")
	c.want(t, cache, embed.Passage, []string{"a", "b"})
}

// What is asked for before Clear and answered after it is not kept: it may be
// what is to be forgotten.
func TestClear_DropsWhatIsOnItsWay(t *testing.T) {
	c := newCounted()
	cache := embed.Cached(c, plenty)
	c.wait = func(context.Context, []string) error {
		cache.Clear()
		return nil
	}
	c.want(t, cache, embed.Passage, []string{"secret"}, "secret")
	c.wait = nil
	c.want(t, cache, embed.Passage, []string{"secret"}, "secret")
	c.want(t, cache, embed.Passage, []string{"secret"})
}

func TestCache_KeepsNoError(t *testing.T) {
	c := newCounted()
	cache := embed.Cached(c, plenty)
	down := fmt.Errorf("%w: off", embed.ErrUnavailable)
	c.wait = func(context.Context, []string) error { return down }
	got, err := cache.Embed(t.Context(), embed.Passage, []string{"a", "b"})
	if got != nil || !errors.Is(err, embed.ErrUnavailable) {
		t.Fatalf("%d vectors, %v", len(got), err)
	}
	c.asked()
	c.wait = nil
	c.want(t, cache, embed.Passage, []string{"a", "b"}, "a", "b")
}

// short is an embedder that breaks its contract.
type short struct{ embed.Embedder }

func (s short) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	return s.Embedder.Embed(ctx, kind, texts[1:])
}

func TestCache_RefusesTooFewVectors(t *testing.T) {
	cache := embed.Cached(short{embedtest.Words(dim)}, plenty)
	_, err := cache.Embed(t.Context(), embed.Passage, []string{"a", "b"})
	if !errors.Is(err, embed.ErrRefused) {
		t.Errorf("error %v", err)
	}
}

func TestCache_NamesTheEmbeddersModel(t *testing.T) {
	cache := embed.Cached(embedtest.Words(dim), plenty)
	if cache.Model() != "words:64" || cache.Dim() != dim {
		t.Errorf("model %q of length %d", cache.Model(), cache.Dim())
	}
}
