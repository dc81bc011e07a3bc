package main

import (
	"context"
	"fmt"

	"mcp-memory/vector"
	"mcp-memory/vector/embed"
)

// dense ranks the turns of a talk by their vectors alone: no words, no window, no
// factors, and the query's vector as the model gave it. It is what recall with
// vectors is compared with, beside plain BM25.
type dense struct {
	embedder embed.Embedder
	index    *vector.Exact
	ids      []string // by number
}

// newDense embeds all turns, each with its speaker's name before it.
func newDense(ctx context.Context, e embed.Embedder, t *talk) (*dense, error) {
	index, err := vector.NewExact(e.Dim())
	if err != nil {
		return nil, fmt.Errorf("open an index of vectors: %w", err)
	}
	d := &dense{embedder: e, index: index}
	for _, s := range t.Sittings {
		texts := make([]string, len(s.Utterances))
		for i, u := range s.Utterances {
			texts[i] = u.Speaker + ": " + u.Text
		}
		vectors, err := e.Embed(ctx, embed.Passage, texts)
		if err != nil {
			return nil, fmt.Errorf("embed turns: %w", err)
		}
		for i, v := range vectors {
			if err := d.index.Add(uint32(len(d.ids)), v); err != nil {
				return nil, fmt.Errorf("enter the vector of %s: %w", s.Utterances[i].ID, err)
			}
			d.ids = append(d.ids, s.Utterances[i].ID)
		}
	}
	return d, nil
}

// ranked returns the first n turns; of equal ones the earlier leads.
func (d *dense) ranked(ctx context.Context, query string, n int) ([]hit, error) {
	v, err := d.embedder.Embed(ctx, embed.Query, []string{query})
	if err != nil {
		return nil, fmt.Errorf("embed a question: %w", err)
	}
	found, err := d.index.Search(v[0], n, nil)
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	out := make([]hit, len(found))
	for i, h := range found {
		out[i] = hit{d.ids[h.ID], float64(h.Cosine)}
	}
	return out, nil
}
