package layers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcp-memory/layers/recall"
	"mcp-memory/storage"
	"mcp-memory/vector/embed"
)

// queryPatience is how long recall waits for the vector of its query; then words
// alone answer.
const queryPatience = 2 * time.Second

// meant is what a question means, by its vector.
type meant struct {
	lens  *recall.Lens
	query []float32
	focus []float32 // what records are compared with
}

func (q *meant) gauge(mean, std float64, n int) recall.Spread {
	return q.lens.Gauge(q.query, q.focus, mean, std, n)
}

// embedQuery returns what a query means, and where that should be known and is
// not, a note that says so. Only the caller's own end is an error: whatever ails
// the embedder, words answer.
func (m *Memory) embedQuery(ctx context.Context, user, query string) (q *meant, note string, err error) {
	if m.background == nil || query == "" {
		return nil, "", nil
	}
	lacking := m.background.settle(ctx, user, settleWait)
	switch s := m.background.stats(user); {
	case s.down != nil:
		return nil, "the embedder is down: words alone were searched", nil
	case lacking > 0:
		note = fmt.Sprintf("%s had no vector yet: their words alone were searched", plural(lacking, "record"))
	}
	if !m.hasVectors(user) {
		return nil, note, nil
	}
	patient, stop := context.WithTimeout(ctx, queryPatience)
	defer stop()
	q, err = m.meant(patient, query)
	switch {
	case err == nil:
		return q, note, nil
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		note = fmt.Sprintf("the embedder did not answer within %s: words alone were searched", queryPatience)
	default:
		note = "the embedder failed: words alone were searched"
	}
	m.log.Warn("query not embedded", "err", err)
	return nil, note, nil
}

func (m *Memory) meant(ctx context.Context, query string) (*meant, error) {
	lens, err := m.lens.wait(ctx)
	if err != nil {
		return nil, err
	}
	v, err := embedAll(ctx, m.opts.Embedder, embed.Query, []string{query})
	if err != nil {
		return nil, err
	}
	return &meant{lens: lens, query: v[0], focus: lens.Focus(v[0])}, nil
}

// embedAll is Embed of an embedder whose word is not taken for the number of its
// vectors.
func embedAll(ctx context.Context, e embed.Embedder, kind embed.Kind, texts []string) ([][]float32, error) {
	vectors, err := e.Embed(ctx, kind, texts)
	if err == nil && len(vectors) != len(texts) {
		err = fmt.Errorf("%w: %d vectors for %s", embed.ErrRefused, len(vectors), plural(len(texts), "text"))
	}
	return vectors, err
}

// lens is what queries are looked at through. The background makes it; until then
// words answer.
type lens struct {
	ready chan struct{} // closed once made is set
	made  *recall.Lens
}

func newLens() *lens { return &lens{ready: make(chan struct{})} }

// wait returns the lens, once it is made.
func (l *lens) wait(ctx context.Context) (*recall.Lens, error) {
	select {
	case <-l.ready:
		return l.made, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// make makes the lens of an embedder, unless it is there. The vectors that it
// takes are kept, where there is a file for them.
func (l *lens) make(ctx context.Context, e embed.Embedder, kept VectorFile) error {
	select {
	case <-l.ready:
		return nil
	default:
	}
	y := yardstick{embedder: e, kept: kept, known: map[string][]float32{}}
	if err := y.read(ctx); err != nil {
		return err
	}
	statements, questions := recall.Yardstick()
	var vectors [3][][][]float32
	for i, group := range []struct {
		kind  embed.Kind
		texts [][]string
	}{{embed.Passage, statements}, {embed.Query, statements}, {embed.Query, questions}} {
		var err error
		if vectors[i], err = y.groups(ctx, group.kind, group.texts); err != nil {
			return fmt.Errorf("embed the yardstick: %w", err)
		}
	}
	if !sameLength(vectors[:]) {
		return errors.New("embed the yardstick: vectors of several lengths; the embedder has another model now")
	}
	l.made = recall.NewLens(vectors[0], vectors[1], vectors[2])
	close(l.ready)
	return nil
}

// KeepYardstick embeds the texts that queries are looked at through and keeps their
// vectors, in a fixed order: what a program ships for its own model.
func KeepYardstick(ctx context.Context, e embed.Embedder, kept VectorFile) error {
	return newLens().make(ctx, e, kept)
}

// sameLength reports whether all vectors of some kinds, by language, are as long.
func sameLength(kinds [][][][]float32) bool {
	for _, v := range slices.Concat(slices.Concat(kinds...)...) {
		if len(v) != len(kinds[0][0][0]) {
			return false
		}
	}
	return true
}

// yardstick embeds the texts that a lens is made from, and keeps their vectors:
// for a small model they take a third of a second at every start, for a server
// a call.
type yardstick struct {
	embedder embed.Embedder
	kept     VectorFile // nil: none
	known    map[string][]float32
}

func (y *yardstick) read(ctx context.Context) error {
	if y.kept == nil {
		return nil
	}
	dim, strange := y.embedder.Dim(), false
	_, err := y.kept.Each(ctx, func(id string, v []float32) error {
		if dim != 0 && len(v) != dim {
			strange = true
			return nil
		}
		y.known[id] = slices.Clone(v)
		return nil
	})
	if ctx.Err() != nil {
		return err
	}
	if strange { // all of a file have one length
		_ = y.kept.Keep(ctx, func(string) bool { return false }) // as where an Append fails
	}
	return nil // what cannot be read is made again
}

// id names a text in the file.
func (y *yardstick) id(kind embed.Kind, text string) string {
	sum := sha256.Sum256([]byte(kind.String() + "\x00" + text))
	return hex.EncodeToString(sum[:12])
}

// groups returns the vectors of texts, grouped as they are.
func (y *yardstick) groups(ctx context.Context, kind embed.Kind, texts [][]string) ([][][]float32, error) {
	var lacking, ids []string
	for _, text := range slices.Concat(texts...) {
		if id := y.id(kind, text); y.known[id] == nil {
			lacking, ids = append(lacking, text), append(ids, id)
		}
	}
	if err := y.embed(ctx, kind, lacking, ids); err != nil {
		return nil, err
	}
	out := make([][][]float32, len(texts))
	for i, group := range texts {
		for _, text := range group {
			out[i] = append(out[i], y.known[y.id(kind, text)])
		}
	}
	return out, nil
}

// embed makes the vectors of texts known, under their ids.
func (y *yardstick) embed(ctx context.Context, kind embed.Kind, texts, ids []string) error {
	if len(texts) == 0 {
		return nil
	}
	vectors, err := embedAll(ctx, y.embedder, kind, texts)
	if err != nil {
		return err
	}
	if y.kept != nil {
		_ = y.kept.Append(ids, vectors) // where that fails they are made again
	}
	for i, id := range ids {
		y.known[id] = vectors[i]
	}
	return nil
}

// anyVectors reports whether any record has a vector.
func (m *Memory) anyVectors() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, sp := range m.spaces {
		if sp.meaning != nil && sp.meaning.index.Len() > 0 {
			return true
		}
	}
	return false
}

// hasVectors reports whether any record of the user has a vector.
func (m *Memory) hasVectors(user string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	sp := m.spaces[user]
	return sp != nil && sp.meaning != nil && sp.meaning.index.Len() > 0
}

// passage is what is embedded of a record: its text, and who said it, since
// questions name him.
func passage(r *storage.Record) string {
	if r.Source.Speaker == "" {
		return r.Text
	}
	return r.Source.Speaker + ": " + r.Text
}
