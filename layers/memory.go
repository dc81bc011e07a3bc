// Package layers is the memory itself: it remembers statements, recalls them
// and forgets them.
//
//	caller ── Remember ──> validate ──> plan against the slots ──> one operation ──> store
//	       ── Recall ────> view (now, as of, known at) ──> words + slots ──> rank ──> render
//	       ── Forget ────> select ──> confirm ──> one operation ──> receipt
//
// It is the only package that knows all parts. It owns the clock, so that
// everything below is pure, and it keeps in memory what is derived from the
// store (postings, slots, filters): the store alone is the truth.
//
// A [Memory] is safe for concurrent use. Writers are serialised; readers see
// the state after the last acknowledged write and are never held up by a disk.
package layers

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-memory/storage"
)

// Options configure a Memory. Store is required; everything else has a
// default.
type Options struct {
	Store        storage.Store
	Clock        func() time.Time // default time.Now
	UserName     string           // names of the user beside "user", separated by commas
	Location     *time.Location   // zone of times given without one; default the machine's
	Project      string           // default project of remember
	UpcomingDays int              // how far recall's upcoming looks; default 7
	Dir          string           // shown by Stats
	Version      string           // shown by Stats
	Log          *slog.Logger     // nil: nothing is logged
}

// Memory remembers, recalls and forgets.
type Memory struct {
	opts      Options
	userNames []string
	log       *slog.Logger
	confirms  confirmTokens

	write sync.Mutex // serialises writers; held over the disk write
	ids   *ulid.MonotonicEntropy

	mu     sync.RWMutex // guards spaces and all they hold; never held over a disk write
	spaces map[string]*space
}

// Open loads what the store holds and returns a Memory over it. The Memory
// does not own the store: the caller closes it.
func Open(ctx context.Context, opts Options) (*Memory, error) {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if opts.Location == nil {
		opts.Location = time.Local
	}
	if opts.UpcomingDays == 0 {
		opts.UpcomingDays = 7
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	m := &Memory{
		opts:      opts,
		userNames: splitNames(opts.UserName),
		log:       opts.Log,
		ids:       ulid.Monotonic(rand.Reader, 0),
		spaces:    map[string]*space{},
	}
	if err := m.load(ctx); err != nil {
		return nil, fmt.Errorf("load memory: %w", err)
	}
	return m, nil
}

// load builds the derived state from the store: what costs most, reading texts,
// is done on all processors; entering them keeps the order.
func (m *Memory) load(ctx context.Context) error {
	jobs, done := make(chan *loading, 4*loadAhead), make(chan struct{})
	var readers sync.WaitGroup
	queue := make(chan *loading, 4*loadAhead)
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			for l := range jobs {
				l.prepared = prepare(&l.entry.Record)
				close(l.ready)
			}
		})
	}
	go func() {
		for l := range queue {
			<-l.ready
			m.space(l.entry.User).add(&l.entry, l.prepared)
		}
		close(done)
	}()
	err := m.opts.Store.Scan(ctx, func(e storage.Entry) error {
		l := &loading{entry: e, ready: make(chan struct{})}
		jobs <- l
		queue <- l
		return ctx.Err()
	})
	close(jobs)
	close(queue)
	readers.Wait()
	<-done
	if err != nil {
		return err
	}
	for _, sp := range m.spaces {
		sp.attachPurged()
	}
	return nil
}

// loadAhead is how many records are read ahead of the one that is entered.
const loadAhead = 64

// loading is a record on its way from the store.
type loading struct {
	entry    storage.Entry
	prepared prepared
	ready    chan struct{}
}

// space returns the user's space and makes it if needed. The caller holds mu
// for writing, or is load.
func (m *Memory) space(user string) *space {
	sp := m.spaces[user]
	if sp == nil {
		sp = newSpace(m.opts.Store, m.userNames)
		m.spaces[user] = sp
	}
	return sp
}

// read calls fn with the user's space under the read lock. A user without
// records gets an empty one.
func (m *Memory) read(user string, fn func(*space) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	sp := m.spaces[user]
	if sp == nil {
		sp = newSpace(m.opts.Store, m.userNames)
	}
	return fn(sp)
}

// now returns the clock's time in the store's precision.
func (m *Memory) now() time.Time { return m.opts.Clock().UTC().Truncate(time.Microsecond) }

// present returns the moment at which questions are answered: the clock's, but
// never before the last operation, so that what was acknowledged is seen.
func (m *Memory) present() time.Time { return later(m.now(), m.opts.Store.Last()) }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// nextRecorded returns the time of the next operation: the clock's, or a
// microsecond after the last one, so that recorded_at is strictly increasing
// even when the clock stands still or steps back.
func (m *Memory) nextRecorded() time.Time {
	now := m.now()
	if last := m.opts.Store.Last(); !now.After(last) {
		return last.Add(time.Microsecond)
	}
	return now
}

// newID returns a ULID at t. The caller holds write.
func (m *Memory) newID(t time.Time) (string, error) {
	id, err := ulid.New(ulid.Timestamp(t), m.ids)
	if err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return id.String(), nil
}

// apply makes op durable, then visible. The caller holds write.
func (m *Memory) apply(ctx context.Context, op storage.Op) error {
	if err := m.opts.Store.Apply(ctx, op); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.space(op.User).apply(&op)
}
