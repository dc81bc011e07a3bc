package layers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-memory/vector/embed"
)

// What one call of the embedder takes.
const (
	batchTexts = 32
	batchBytes = 16 << 10 // of all texts together; a longer one goes alone
)

// batch is some records of one user on their way to a vector.
type batch struct {
	seen  int // docs that were looked at; not all lack a vector any more
	docs  []uint32
	ids   []string
	texts []string

	refused []uint32 // docs that get no vector
}

// embed makes the vectors of docs and enters them.
func (b *background) embed(ctx context.Context, user string, docs []uint32) error {
	for len(docs) > 0 {
		next := b.batch(user, docs)
		docs = docs[next.seen:]
		if len(next.docs) == 0 {
			b.enter(user, &next, nil)
			continue
		}
		start := time.Now()
		vectors, err := b.vectors(ctx, &next)
		if err == nil {
			err = b.memory.comparable(user, vectors)
		}
		if err != nil {
			return err
		}
		b.measured(len(vectors), time.Since(start))
		b.enter(user, &next, vectors)
	}
	return nil
}

// comparable refuses vectors of another length than those of the user that are
// there: the embedder was down when they were read, and came back with another
// model.
func (m *Memory) comparable(user string, vectors [][]float32) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	sp := m.spaces[user]
	if sp.meaning == nil {
		return nil
	}
	for _, v := range vectors {
		if have := len(sp.meaning.buffer); len(v) != have {
			return fmt.Errorf("%s answers with vectors of length %d, and of length %d before: it has another model now; restart to use that",
				m.opts.Embedder.Model(), len(v), have)
		}
	}
	return nil
}

// rateFades is what is left of what was measured before, once a batch more was:
// the speed that is shown is that of some ten batches. Texts and times are added up
// by themselves, so that a text which the cache knew does not count for thousands.
const rateFades = 0.9

func (b *background) measured(texts int, took time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.texts, b.took = rateFades*b.texts+float64(texts), rateFades*b.took+took.Seconds()
}

// rate is how many texts are embedded in a second, 0 where none was yet. The caller
// holds mu.
func (b *background) rate() float64 {
	if b.texts == 0 {
		return 0
	}
	return b.texts / max(b.took, 1e-6)
}

// batch reads what the first of docs say.
func (b *background) batch(user string, docs []uint32) (out batch) {
	m := b.memory
	m.mu.RLock()
	defer m.mu.RUnlock()
	sp, size := m.spaces[user], 0
	for _, n := range docs {
		if !sp.lacks(n) {
			out.seen++
			continue
		}
		e, err := sp.entry(n)
		if err != nil {
			m.log.Warn("cannot read a record to embed it; only its words find it", "id", sp.docs[n].id, "error", err)
			out.seen++
			out.refused = append(out.refused, n)
			continue
		}
		text := passage(&e.Record)
		if size += len(text); size > batchBytes && len(out.docs) > 0 {
			return out
		}
		out.seen++
		out.docs, out.ids, out.texts = append(out.docs, n), append(out.ids, e.ID), append(out.texts, text)
	}
	return out
}

// vectors calls the embedder. Where it refuses a batch the texts are tried one by
// one, so that one it will never take holds up no other: that one goes without a
// vector. Where it refuses any other text too, something else is wrong.
func (b *background) vectors(ctx context.Context, of *batch) ([][]float32, error) {
	embedder := b.memory.opts.Embedder
	vectors, err := embedAll(ctx, embedder, embed.Passage, of.texts)
	if !errors.Is(err, embed.ErrRefused) {
		return vectors, err
	}
	if err := ping(ctx, embedder); err != nil {
		return nil, err
	}
	var taken batch
	for i, text := range of.texts {
		v, one := embedAll(ctx, embedder, embed.Passage, []string{text})
		switch {
		case one == nil:
			vectors = append(vectors, v[0])
			taken.docs, taken.ids = append(taken.docs, of.docs[i]), append(taken.ids, of.ids[i])
		case !errors.Is(one, embed.ErrRefused):
			return nil, one
		default:
			b.memory.log.Warn("the embedder refuses a record; only its words find it", "id", of.ids[i], "error", one)
			of.refused = append(of.refused, of.docs[i])
		}
	}
	of.docs, of.ids = taken.docs, taken.ids
	return vectors, nil
}

// ping asks the embedder for a vector that nobody needs. The text is a new one
// each time: a cache knows the last one.
func ping(ctx context.Context, e embed.Embedder) error {
	_, err := embedAll(ctx, e, embed.Passage, []string{fmt.Sprintf("It is %d now.", time.Now().UnixNano())})
	return err
}

// enter keeps vectors and makes them searchable. What gets none waits no longer.
func (b *background) enter(user string, of *batch, vectors [][]float32) {
	m := b.memory
	m.vectorsMu.Lock() // of what an erase takes meanwhile nothing gets into the file
	defer m.vectorsMu.Unlock()
	vectors = m.stillWanted(user, of, vectors)
	if f := m.opts.Vectors; f != nil && len(vectors) > 0 {
		if err := f.Append(of.ids, vectors); err != nil {
			m.log.Warn("cannot keep vectors; after a restart they are made again", "error", err)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, n := range of.docs {
		if err := m.spaces[user].putVector(user, n, vectors[i], m.opts.Indexes); err != nil {
			m.log.Warn("cannot index a vector; its record's words alone find it", "error", err)
			of.refused = append(of.refused, n)
		}
	}
	for _, n := range of.refused {
		m.spaces[user].goWithout(n)
	}
}

// stillWanted leaves out of a batch what was forgotten since it was read.
func (m *Memory) stillWanted(user string, of *batch, vectors [][]float32) [][]float32 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var left batch
	var kept [][]float32
	for i, n := range of.docs {
		if m.spaces[user].lacks(n) {
			left.docs, left.ids, kept = append(left.docs, n), append(left.ids, of.ids[i]), append(kept, vectors[i])
		}
	}
	of.docs, of.ids = left.docs, left.ids
	return kept
}
