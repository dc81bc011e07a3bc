package layers

import (
	"context"
	"errors"
	"slices"

	"mcp-memory/vector"
)

// load enters the vectors that were kept; what has none then stays pending. The
// vectors of records whose content is gone are removed for good, and damaged ones.
func (b *background) load(ctx context.Context) {
	m := b.memory
	if m.opts.Vectors == nil {
		return
	}
	l := &vectorLoad{memory: m, dim: b.dim(ctx), of: map[string]*loaded{}}
	lost, err := m.opts.Vectors.Each(ctx, l.take)
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		m.log.Warn("cannot read the vectors; they are made again", "error", err)
	case lost > 0:
		m.log.Warn("some vectors are damaged; they are made again", "count", lost)
	}
	for user, v := range l.of {
		if err := errors.Join(v.count(), m.install(user, v)); err != nil {
			m.log.Warn("cannot use the vectors; they are made again", "error", err)
		}
	}
	if l.strange > 0 {
		m.log.Warn("the embedder has another model under the same name; all vectors are made again", "count", l.strange)
	}
	if l.gone > 0 || l.strange > 0 || lost > 0 {
		keep := func(id string) bool { return l.strange == 0 && m.holds(id) } // all of a file have one length
		if err := m.opts.Vectors.Keep(ctx, keep); err != nil && ctx.Err() == nil {
			m.log.Warn("cannot remove vectors that are of no use any more", "error", err)
		}
	}
	b.sift()
}

// dim is the length of the embedder's vectors; 0 where it is not to be had. One
// that knows it by its first answer alone is asked something.
func (b *background) dim(ctx context.Context) int {
	e := b.memory.opts.Embedder
	b.mu.Lock()
	pending := b.pending
	b.mu.Unlock()
	if e.Dim() == 0 && pending > 0 {
		ctx, stop := context.WithTimeout(ctx, queryPatience)
		defer stop()
		if err := ping(ctx, e); err != nil {
			b.memory.log.Info("the embedder does not answer yet", "error", err)
		}
	}
	return e.Dim()
}

// sift takes what has a vector out of the queues.
func (b *background) sift() {
	m := b.memory
	m.mu.RLock()
	defer m.mu.RUnlock()
	b.mu.Lock() // this once inside: nobody takes memory.mu under b.mu
	defer b.mu.Unlock()
	b.pending = 0
	for user, q := range b.queues {
		q.docs = slices.DeleteFunc(q.docs, func(n uint32) bool { return !m.spaces[user].lacks(n) })
		b.pending += len(q.docs)
	}
	b.changed()
}

// vectorLoad gathers the vectors of a file. Nobody sees them before they are
// complete, so recall is not held up.
type vectorLoad struct {
	memory  *Memory
	dim     int                // of the embedder's vectors; 0: unknown
	of      map[string]*loaded // by user
	gone    int                // those of records that have no content any more
	strange int                // those of another length
}

// loaded are one user's vectors.
type loaded struct {
	set     *vector.Set
	moments *vector.Moments
	docs    []uint32
	buffer  []float32
	fresh   [][]float32 // of set, and not yet in moments; what lies behind is used again
}

// freshMost is how many vectors are counted into the moments at once.
const freshMost = 64

// take gathers a vector. That of a record that was forgotten, and may come back,
// stays in the file: the graph that was saved is one without it.
func (l *vectorLoad) take(id string, v []float32) error {
	if l.dim != 0 && len(v) != l.dim {
		l.strange++
		return nil
	}
	user, n, ok := l.memory.lookup(id)
	switch {
	case !ok:
		l.gone++
		return nil
	case l.memory.forgotten(user, n):
		return nil
	}
	of := l.of[user]
	if of == nil {
		set, moments, err := emptyVectors(len(v))
		if err != nil {
			return err
		}
		of = &loaded{set: set, moments: moments, buffer: make([]float32, len(v))}
		l.of[user] = of
	}
	return of.add(n, v)
}

func (of *loaded) add(n uint32, v []float32) error {
	if of.set.Vector(n, of.buffer) {
		return nil // the same text by the same model: the same vector
	}
	if err := of.set.Add(n, v); err != nil {
		return err
	}
	of.set.Vector(n, of.room()) // as the set keeps it: the same will be taken out
	of.docs = append(of.docs, n)
	if len(of.fresh) < freshMost {
		return nil
	}
	return of.count()
}

// room makes room for one more fresh vector.
func (of *loaded) room() []float32 {
	i := len(of.fresh)
	if of.fresh = slices.Grow(of.fresh, 1)[:i+1]; len(of.fresh[i]) == 0 {
		of.fresh[i] = make([]float32, of.set.Dim())
	}
	return of.fresh[i]
}

// count enters what is fresh into the moments.
func (of *loaded) count() error {
	err := of.moments.AddAll(of.fresh)
	of.fresh = of.fresh[:0]
	return err
}

// install makes loaded vectors searchable.
func (m *Memory) install(user string, of *loaded) error {
	made, err := newMeaning(user, of.set, of.moments, m.opts.Indexes)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	sp := m.spaces[user]
	sp.meaning = made
	for _, n := range of.docs {
		if sp.docs[n].forgotten() {
			sp.dropVector(n)
			continue
		}
		sp.docs[n].embedded = true
	}
	sp.advance()
	return nil
}

// lookup returns the user and the number of a record that has its content.
func (m *Memory) lookup(id string) (user string, n uint32, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for user, sp := range m.spaces {
		if n, ok := sp.byID[id]; ok && sp.docs[n].text != (textSum{}) {
			return user, n, true
		}
	}
	return "", 0, false
}

// forgotten reports whether a user's record is.
func (m *Memory) forgotten(user string, n uint32) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.spaces[user].docs[n].forgotten()
}

// holds reports whether a record with that id has its content.
func (m *Memory) holds(id string) bool {
	_, _, ok := m.lookup(id)
	return ok
}
