package embed_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/embedtest"
)

// Calls that need the same text at the same time share one request for it.
func TestCache_CallsShareARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounted()
		gate := make(chan struct{})
		c.wait = func(context.Context, []string) error { <-gate; return nil }
		cache := embed.Cached(c, plenty)
		var wait sync.WaitGroup
		call := func(texts ...string) {
			wait.Go(func() {
				if got, err := cache.Embed(t.Context(), embed.Query, texts); err != nil || len(got) != len(texts) {
					t.Errorf("%q: %d vectors, %v", texts, len(got), err)
				}
			})
			synctest.Wait() // until it waits for the embedder, or for another call
		}
		call("a", "b")
		call("b", "c")
		call("c", "a")
		call("a")
		close(gate)
		wait.Wait()
		if got := c.asked(); !slices.Equal(got, []string{"a", "b", "c"}) {
			t.Errorf("asked for %q, want a, b and c once", got)
		}
	})
}

// A call that waits for another one's request gets its error, unless that is the
// end of the other's context: then it asks itself.
func TestCache_CallsShareAnErrorButNoCancel(t *testing.T) {
	down := fmt.Errorf("%w: off", embed.ErrUnavailable)
	for _, c := range []struct {
		name   string
		cancel bool
		asked  []string
	}{
		{"an error", false, []string{"a"}},
		{"a cancelled call", true, []string{"a", "a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := newCounted()
				fail := make(chan error, 1)
				inner.wait = func(ctx context.Context, _ []string) error {
					select {
					case err := <-fail:
						return err
					case <-ctx.Done():
						return ctx.Err()
					}
				}
				cache := embed.Cached(inner, plenty)
				ctx, cancel := context.WithCancel(t.Context())
				var first, second error
				var wait sync.WaitGroup
				wait.Go(func() { _, first = cache.Embed(ctx, embed.Query, []string{"a"}) })
				synctest.Wait()
				wait.Go(func() { _, second = cache.Embed(t.Context(), embed.Query, []string{"a"}) })
				synctest.Wait()
				if c.cancel {
					cancel()
					synctest.Wait()
					fail <- nil
				} else {
					fail <- down
				}
				wait.Wait()
				cancel()
				if c.cancel && (!errors.Is(first, context.Canceled) || second != nil) {
					t.Errorf("errors %v and %v", first, second)
				}
				if !c.cancel && (!errors.Is(first, embed.ErrUnavailable) || !errors.Is(second, embed.ErrUnavailable)) {
					t.Errorf("errors %v and %v", first, second)
				}
				if got := inner.asked(); !slices.Equal(got, c.asked) {
					t.Errorf("asked for %q, want %q", got, c.asked)
				}
			})
		})
	}
}

// A call that waits for another one's request ends with its own context.
func TestCache_WaitsNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounted()
		gate := make(chan struct{})
		c.wait = func(context.Context, []string) error { <-gate; return nil }
		cache := embed.Cached(c, plenty)
		var wait sync.WaitGroup
		wait.Go(func() { cache.Embed(t.Context(), embed.Query, []string{"a"}) })
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := cache.Embed(ctx, embed.Query, []string{"a"}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		close(gate)
		wait.Wait()
	})
}

// Nobody waits for a call whose embedder panicked.
func TestCache_OutlivesAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounted()
		gate := make(chan struct{})
		c.wait = func(context.Context, []string) error { <-gate; panic("broken") }
		cache := embed.Cached(c, plenty)
		var waiting error
		var wait sync.WaitGroup
		wait.Go(func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic did not reach its caller")
				}
			}()
			cache.Embed(t.Context(), embed.Query, []string{"a"})
		})
		synctest.Wait()
		wait.Go(func() { _, waiting = cache.Embed(t.Context(), embed.Query, []string{"a"}) })
		synctest.Wait()
		close(gate)
		wait.Wait()
		if !errors.Is(waiting, embed.ErrUnavailable) {
			t.Errorf("error %v", waiting)
		}
		c.wait = nil
		c.asked()
		c.want(t, cache, embed.Query, []string{"a"}, "a")
	})
}

// Many calls with much in common, some cancelled, while the cache is cleared and
// too small: each gets its own vectors or its context's error.
func TestCache_ManyAtOnce(t *testing.T) {
	const callers, calls, distinct = 8, 200, 40
	plain := embedtest.Words(dim)
	cache := embed.Cached(plain, 20*size)
	var wait sync.WaitGroup
	var cancelled atomic.Int32
	for caller := range callers {
		wait.Go(func() {
			for i := range calls {
				ctx, cancel := context.WithCancel(t.Context())
				if (caller+i)%5 == 0 {
					go cancel()
				}
				texts := []string{fmt.Sprint((caller + i) % distinct), fmt.Sprint(i * 7 % distinct), fmt.Sprint(i % distinct)}
				got, err := cache.Embed(ctx, embed.Passage, texts)
				cancel()
				if errors.Is(err, context.Canceled) {
					cancelled.Add(1)
					continue
				}
				want, _ := plain.Embed(t.Context(), embed.Passage, texts)
				if err != nil || !slices.EqualFunc(got, want, slices.Equal[[]float32]) {
					t.Errorf("%q: %v", texts, err)
					return
				}
				clear(got[0]) // it is the caller's
				if i%50 == 0 {
					cache.Clear()
				}
			}
		})
	}
	wait.Wait()
	if n := cancelled.Load(); n > callers*calls/5 {
		t.Errorf("%d calls ended with a context that was not theirs", n)
	}
}
