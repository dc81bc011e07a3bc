package layers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// VectorFile keeps vectors over a restart, under the ids of their records.
type VectorFile interface {
	// Each calls fn with every vector it can read; of several of one id the last
	// counts, and v is fn's only until it returns. lost counts what cannot be read.
	Each(ctx context.Context, fn func(id string, v []float32) error) (lost int, err error)
	// Append keeps vectors. It rounds every v to what it keeps.
	Append(ids []string, vs [][]float32) error
	// Keep removes for good the vectors whose id keep does not accept. Where none
	// is left, those of another length may follow.
	Keep(ctx context.Context, keep func(id string) bool) error
}

// background makes the vectors of records after they are durable, oldest first:
//
//	apply ──> queue of the user ──> batch ──> Embedder ──> VectorFile ──> space
//
// What is pending is written down nowhere: it is what has no vector. So a kill
// loses nothing, and a restart goes on from there.
type background struct {
	memory *Memory
	stop   context.CancelFunc
	done   sync.WaitGroup
	wake   chan struct{} // holds one when there is work

	mu       sync.Mutex // guards what follows; memory.mu is never taken under it
	queues   map[string]*queue
	pending  int           // over all queues, what is in work too
	progress chan struct{} // closed and replaced when something changed
	down     error         // why the last call failed; nil: it did not
	texts    float64       // embedded of late
	took     float64       // seconds they took
}

// queue is what lacks a vector of one user's.
type queue struct {
	docs    []uint32 // ascending
	inWork  int
	waiting int // recalls that wait for it
}

// Times of the background.
const (
	settleWait = 2 * time.Second // how long a recall waits for what is pending
	retryFirst = time.Second     // pause after a failed call; twice that after the next
	retryMost  = time.Minute
	noteEvery  = 5 * time.Second // how often bulk work is reported
	noteFrom   = 256             // pending records from which it is
)

// newBackground starts to make the vectors that are lacking. Every record with a
// text is pending until its vector was read or made.
func newBackground(m *Memory) *background {
	ctx, stop := context.WithCancel(context.Background())
	b := &background{memory: m, stop: stop, queues: map[string]*queue{}, wake: make(chan struct{}, 1), progress: make(chan struct{})}
	for user, sp := range m.spaces {
		for n := range uint32(len(sp.docs)) {
			if sp.lacks(n) {
				b.add(user, n)
			}
		}
	}
	b.done.Go(func() { b.run(ctx) })
	return b
}

// close ends the work and waits for what is in work.
func (b *background) close() {
	b.stop()
	b.done.Wait()
}

// add enters docs into the user's queue. The caller holds mu, or is
// newBackground.
func (b *background) add(user string, docs ...uint32) {
	q := b.queues[user]
	if q == nil {
		q = &queue{}
		b.queues[user] = q
	}
	q.docs = append(q.docs, docs...)
	b.pending += len(docs)
}

// want enters docs that lack a vector since an operation.
func (b *background) want(user string, docs []uint32) {
	if len(docs) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(user, docs...)
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// settle waits until nothing of the user is pending, but no longer than d, and
// not while the embedder is down. It returns how much is.
func (b *background) settle(ctx context.Context, user string, d time.Duration) int {
	timeout := time.NewTimer(d)
	defer timeout.Stop()
	q := b.waitFor(user)
	if q == nil {
		return 0
	}
	defer b.waited(q)
	for {
		left, down, progress := b.state(q)
		if left == 0 || down {
			return left
		}
		select {
		case <-progress:
		case <-timeout.C:
			return left
		case <-ctx.Done():
			return left
		}
	}
}

// waitFor moves a user's queue before those that no recall waits for; nil if
// there is none.
func (b *background) waitFor(user string) *queue {
	b.mu.Lock()
	defer b.mu.Unlock()
	q := b.queues[user]
	if q != nil {
		q.waiting++
	}
	return q
}

func (b *background) waited(q *queue) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q.waiting--
}

func (b *background) state(q *queue) (left int, down bool, progress <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(q.docs) + q.inWork, b.down != nil, b.progress
}

// run reads the vectors there are, then makes those that are lacking, until ctx
// ends.
func (b *background) run(ctx context.Context) {
	b.load(ctx)
	pause, noted := retryFirst, time.Time{}
	for ctx.Err() == nil {
		user, docs := b.take()
		err := b.prepare(ctx, len(docs) > 0)
		if len(docs) > 0 {
			if err == nil {
				err = b.embed(ctx, user, docs)
			}
			b.finish(user, docs, err)
		}
		switch {
		case err != nil:
			b.sleep(ctx, time.After(pause))
			pause = min(2*pause, retryMost)
		case len(docs) == 0:
			b.memory.saveGraphs()
			b.sleep(ctx, nil)
		default:
			pause = retryFirst
			noted = b.note(noted)
		}
	}
}

// prepare makes the lens, once there is a vector to look at through it.
func (b *background) prepare(ctx context.Context, work bool) error {
	m := b.memory
	if !work && !m.anyVectors() {
		return nil
	}
	err := m.lens.make(ctx, m.opts.Embedder, m.opts.Yardstick)
	if !work { // else finish records it
		b.mu.Lock()
		defer b.mu.Unlock()
		b.record(err)
		b.changed()
	}
	return err
}

// sleep waits for the alarm, or without one for work.
func (b *background) sleep(ctx context.Context, alarm <-chan time.Time) {
	wake := b.wake
	if alarm != nil {
		wake = nil // what failed is not tried earlier because more came
	}
	select {
	case <-ctx.Done():
	case <-alarm:
	case <-wake:
	}
}

// take moves the oldest docs of one user into work.
func (b *background) take() (user string, docs []uint32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var next *queue
	for name, q := range b.queues {
		if len(q.docs) > 0 && (next == nil || q.before(next) || (!next.before(q) && name < user)) {
			user, next = name, q
		}
	}
	if next == nil {
		return "", nil
	}
	n := min(len(next.docs), batchTexts)
	docs, next.docs = slices.Clone(next.docs[:n]), next.docs[n:]
	next.inWork = n
	return user, docs
}

// before reports whether q's turn comes before p's: first whoever is waited for,
// then the shorter one, so that nobody waits for another's bulk.
func (q *queue) before(p *queue) bool {
	if (q.waiting > 0) != (p.waiting > 0) {
		return q.waiting > 0
	}
	return len(q.docs) < len(p.docs)
}

// finish accounts for docs that were in work; where that failed they are pending
// again.
func (b *background) finish(user string, docs []uint32, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q := b.queues[user]
	q.inWork = 0
	if err != nil {
		q.docs = append(docs, q.docs...)
	} else {
		b.pending -= len(docs)
	}
	b.record(err)
	b.changed()
}

// changed tells those who wait. The caller holds mu.
func (b *background) changed() {
	close(b.progress)
	b.progress = make(chan struct{})
}

// record notes how a call went, and says so where that is news. The caller holds
// mu.
func (b *background) record(err error) {
	switch {
	case errors.Is(err, context.Canceled):
		return // we are closing
	case err != nil && b.down == nil:
		b.memory.log.Warn("cannot embed; words answer until that works again", "error", err, "pending", b.pending)
	case err == nil && b.down != nil:
		b.memory.log.Info("embedding works again", "pending", b.pending)
	}
	b.down = err
}

// note reports now and then how far bulk work is. It returns when it last did.
func (b *background) note(last time.Time) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending < noteFrom || time.Since(last) < noteEvery {
		return last
	}
	b.memory.log.Info("embedding", "pending", b.pending, "per_second", int(b.rate()))
	return time.Now()
}

// embedderState is what Stats shows.
type embedderState struct {
	pending int     // of the user
	rate    float64 // texts a second, 0 where nothing was embedded yet
	down    error
}

func (b *background) stats(user string) (s embedderState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if q := b.queues[user]; q != nil {
		s.pending = len(q.docs) + q.inWork
	}
	s.rate, s.down = b.rate(), b.down
	return s
}

// Settle waits until every record has its vector. An error says why that cannot
// be: ctx ended, or the embedder is down.
func (m *Memory) Settle(ctx context.Context) error {
	b := m.background
	if b == nil {
		return nil
	}
	for {
		b.mu.Lock()
		pending, down, progress := b.pending, b.down, b.progress
		b.mu.Unlock()
		switch {
		case pending == 0:
			return nil
		case down != nil:
			return fmt.Errorf("embed %s: %w", plural(pending, "record"), down)
		}
		select {
		case <-progress:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
