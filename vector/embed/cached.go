package embed

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
)

// Cache is an Embedder that spares another the texts it has seen lately. It
// holds vectors under hashes, never a text. It is safe for concurrent use.
//
// A text is embedded once where it comes twice in a call, and where two calls
// bring it at the same time: the later one waits for the earlier. Errors are not
// kept.
type Cache struct {
	embedder Embedder

	mu      sync.Mutex      // guards what follows; never held while embedding
	kept    [kinds]shelf    // what is spared, by kind
	flights map[key]*flight // what is being embedded, by which call
}

var _ Embedder = (*Cache)(nil)

// key is the SHA-256 of a kind and a text.
type key [sha256.Size]byte

func keyOf(kind Kind, text string) key {
	return sha256.Sum256(append([]byte{byte(kind)}, text...))
}

// Cached returns a cache before e of maxBytes for each kind of text, its own
// bookkeeping counted; of none or fewer, it keeps nothing. Each kind has room of its
// own, since all that is remembered passes through, and would push out what is asked
// again and again.
func Cached(e Embedder, maxBytes int) *Cache {
	return &Cache{embedder: e, kept: newShelves(maxBytes), flights: map[key]*flight{}}
}

func newShelves(maxBytes int) (s [kinds]shelf) {
	for i := range s {
		s[i] = newShelf(maxBytes)
	}
	return s
}

// Model is the embedder's.
func (c *Cache) Model() string { return c.embedder.Model() }

// Dim is the embedder's.
func (c *Cache) Dim() int { return c.embedder.Dim() }

// Clear drops every vector. What is being embedded is still answered, but not
// kept: nothing that was asked for before Clear is found after it.
func (c *Cache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = newShelves(c.kept[Query].maxBytes)
	c.flights = map[key]*flight{}
}

// Embed returns the vectors of the texts, as [Embedder] says.
func (c *Cache) Embed(ctx context.Context, kind Kind, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	keys := make([]key, len(texts))
	for i, text := range texts {
		keys[i] = keyOf(kind, text)
	}
	found := make(map[key][]float32, len(texts))
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("embed %d texts: %w", len(texts), err)
		}
		own, others := c.depart(kind, keys, texts, found)
		if err := c.fly(ctx, own, kind, found); err != nil {
			return nil, err
		}
		whole, err := join(ctx, others, found)
		if err != nil {
			return nil, err
		}
		if whole {
			return arrange(keys, found), nil
		}
	}
}

// depart puts what is kept of the keys into found and parts the rest: own is for
// what no call is embedding, others bring the remainder.
func (c *Cache) depart(kind Kind, keys []key, texts []string, found map[key][]float32) (own *flight, others []*flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	own = newFlight(kind)
	for i, k := range keys {
		if _, ok := found[k]; ok {
			continue
		}
		if vector, ok := c.kept[kind].get(k); ok {
			found[k] = vector
			continue
		}
		f, ok := c.flights[k]
		switch {
		case !ok:
			own.add(k, texts[i])
			c.flights[k] = own
		case f != own && !slices.Contains(others, f):
			others = append(others, f)
		}
	}
	return own, others
}

// fly embeds what own carries, keeps it, and puts it into found.
func (c *Cache) fly(ctx context.Context, own *flight, kind Kind, found map[key][]float32) error {
	if len(own.keys) == 0 {
		return nil
	}
	defer c.land(own) // also where the embedder panics: others wait for it
	vectors, err := c.embedder.Embed(ctx, kind, own.texts)
	if err == nil && len(vectors) != len(own.keys) {
		err = fmt.Errorf("%w: %s gave %d vectors for %d texts", ErrRefused, c.embedder.Model(), len(vectors), len(own.keys))
	}
	own.abandoned = err != nil && ctx.Err() != nil
	own.err = err
	if err != nil {
		return err
	}
	for i, k := range own.keys {
		// A copy: the embedder may have cut its vectors from one large piece, which
		// keeping one of them would keep.
		own.vectors[k] = slices.Clone(vectors[i])
		found[k] = own.vectors[k]
	}
	return nil
}

// land keeps what the flight brought, unless Clear came between, and lets the
// others have it.
func (c *Cache) land(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range f.keys {
		if c.flights[k] != f {
			continue
		}
		delete(c.flights, k)
		if vector, ok := f.vectors[k]; ok {
			c.kept[f.kind].put(k, vector)
		}
	}
	close(f.done)
}

// arrange returns a copy of the vector of every key, in their order.
func arrange(keys []key, found map[key][]float32) [][]float32 {
	vectors := make([][]float32, len(keys))
	for i, k := range keys {
		vectors[i] = slices.Clone(found[k])
	}
	return vectors
}
