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
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-memory/layers/llm"
	"mcp-memory/storage"
	"mcp-memory/vector"
	"mcp-memory/vector/embed"
)

// Options configure a Memory. Store is required; everything else has a
// default.
type Options struct {
	Store        storage.Store
	Clock        func() time.Time // default time.Now
	UserName     string           // names of the user beside "user", separated by commas
	Named        string           // the one user whose UserName it is; empty: everybody's
	Location     *time.Location   // zone of times given without one; default the machine's
	Project      string           // default project of remember
	Retention    Retention        // what is forgotten by itself; none: nothing
	UpcomingDays int              // how far recall's upcoming looks; default 7
	Dir          string           // shown by Stats
	Version      string           // shown by Stats
	Log          *slog.Logger     // nil: nothing is logged
	Embedder     embed.Embedder   // nil: recall goes by words alone
	Vectors      VectorFile       // of the embedder's model; nil: vectors are made anew at each start
	Yardstick    VectorFile       // of the same model, for what queries are looked at through; nil: made anew at each start
	Indexes      Indexes          // of each user's vectors; default exact
	Files        VectorFiles      // all that is kept of vectors; nil: what Vectors holds

	Serving        bool        // open jobs are resumed, and sessions that fell silent are read
	Models         *llm.Models // asked by extract; nil: rules alone
	Sampling       bool        // clients' own models are asked where ExtractInput brings one
	SingleCall     bool        // gate and extraction in one call
	WorkingTurns   int         // turns that working memory holds of a session; default 20
	TriggerTurns   int         // unread turns of a session that wake the gate; default 8
	RouterEpisodic int         // score from which on something is kept; default 2
	RouterSemantic int         // score from which on it is kept for long; default 4
	Traced         func(Trace) // told of each extraction and each summary by a model when it is over; must not block
}

// Memory remembers, recalls and forgets. [Memory.For] makes another one over the
// same store.
type Memory struct {
	*shared
	opts      Options
	userNames []string // of the user that it is for
	voice     Voice
}

// shared is what all memories over one store have in common.
type shared struct {
	log        *slog.Logger
	confirms   confirmTokens
	lens       *lens       // of the embedder
	background *background // makes vectors; nil without an embedder
	erasures   *erasures
	jobs       *jobs
	partials   partials
	tally      tally

	vectorsMu sync.Mutex // held while vectors are written to their file; taken before mu

	write sync.Mutex // serialises writers; held over the disk write
	ids   *ulid.MonotonicEntropy
	wiped map[string]time.Time // when a user's last erase was decided
	wipes wipes                // erases that were decided while jobs read
	// halfway says that a forget was begun and not finished; opened, that the start is
	// over, which finishes erases itself. Both are guarded by write.
	halfway, opened bool

	mu      sync.RWMutex // guards what follows and all that spaces hold; never held over a disk write
	spaces  map[string]*space
	named   map[string][]string     // names of users who have their own
	talks   map[talkKey]*talk       // sessions under way
	readers map[talkKey]*sync.Mutex // held by the job that reads a session
}

// Open loads what the store holds and returns a Memory over it. The Memory
// does not own the store: the caller closes it.
func Open(ctx context.Context, opts Options) (*Memory, error) {
	opts = opts.withDefaults()
	m := &Memory{opts: opts, userNames: splitNames(opts.UserName), shared: &shared{
		log:      opts.Log,
		lens:     newLens(),
		ids:      ulid.Monotonic(rand.Reader, 0),
		spaces:   map[string]*space{},
		named:    map[string][]string{},
		jobs:     newJobs(),
		erasures: newErasures(),
		wiped:    map[string]time.Time{},
		talks:    map[talkKey]*talk{},
		readers:  map[talkKey]*sync.Mutex{},
	}}
	if opts.Named != "" {
		m.named[opts.Named], m.opts.UserName, m.userNames = m.userNames, "", nil
	}
	if err := m.load(ctx); err != nil {
		return nil, fmt.Errorf("load memory: %w", err)
	}
	if err := m.loadTalks(ctx); err != nil {
		return nil, fmt.Errorf("load memory: %w", err)
	}
	if err := m.finishOpen(ctx); err != nil {
		return nil, fmt.Errorf("load memory: %w", err)
	}
	if opts.Embedder != nil {
		m.background = newBackground(m)
	}
	if !opts.Serving {
		return m, nil
	}
	m.ready()
	if err := m.resume(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("resume jobs: %w", err), m.Close())
	}
	m.jobs.done.Go(func() { m.watchIdle(m.jobs.ctx) })
	if len(opts.Retention) > 0 {
		m.jobs.done.Go(func() { m.watchRetention(m.jobs.ctx) })
	}
	return m, nil
}

// ready derives what the first calls of clients ask: else the one that opens a session
// would count and order all records, while others wait.
func (m *Memory) ready() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, sp := range m.spaces {
		sp.countUp(&view{at: m.present()})
		sp.byLatest()
	}
}

// withDefaults fills what is left open.
func (opts Options) withDefaults() Options {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if opts.Location == nil {
		opts.Location = time.Local
	}
	if opts.UpcomingDays == 0 {
		opts.UpcomingDays = 7
	}
	opts.WorkingTurns = cmp.Or(opts.WorkingTurns, workingTurns)
	opts.TriggerTurns = cmp.Or(opts.TriggerTurns, triggerTurns)
	if opts.Indexes == nil {
		opts.Indexes = exactIndexes{}
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return opts
}

// Close ends what runs in the background: vectors that are not made then are
// made after the next start. Store and vector file are the caller's to close, and
// only after this.
func (m *Memory) Close() error {
	m.jobs.close()
	m.erasures.close()
	if m.background != nil {
		m.background.close()
	}
	return m.closeIndexes()
}

// closeIndexes ends what the indexes do in the background, and saves their
// graphs.
func (m *Memory) closeIndexes() (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for user, sp := range m.spaces {
		if sp.meaning == nil {
			continue
		}
		if c, ok := sp.meaning.index.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
		_, failed := m.opts.Indexes.Save(user, sp.meaning.index, sp.meaning.changed > 0)
		err = errors.Join(err, failed)
	}
	return err
}

// saveAfter is how many changes of an index make its graph worth saving before
// the end, so that a kill in a quiet hour costs no build.
const saveAfter = 5000

// saveGraphs saves the graphs of the indexes that changed much.
func (m *Memory) saveGraphs() {
	for user, of := range m.changedMeanings() {
		kept, err := m.opts.Indexes.Save(user, of.index, true)
		if err != nil {
			m.log.Warn("cannot save a graph; it is built again after a restart", "error", err)
		}
		if kept {
			m.mu.Lock()
			of.meaning.changed -= of.changed
			m.mu.Unlock()
		}
	}
}

// changedMeaning is a user's index and how much it had changed.
type changedMeaning struct {
	meaning *meaning
	index   vector.Index
	changed int
}

func (m *Memory) changedMeanings() map[string]changedMeaning {
	m.mu.RLock()
	defer m.mu.RUnlock()
	out := map[string]changedMeaning{}
	for user, sp := range m.spaces {
		if of := sp.meaning; of != nil && of.changed >= saveAfter {
			out[user] = changedMeaning{of, of.index, of.changed}
		}
	}
	return out
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
		sp = newSpace(m.opts.Store, m.namesOf(user))
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
		sp = newSpace(m.opts.Store, m.namesOf(user))
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
	lacking, err := m.show(&op)
	if m.background != nil {
		m.background.want(op.User, lacking)
	}
	return err
}

// show makes a durable operation visible and returns the records that lack a
// vector since.
func (m *Memory) show(op *storage.Op) (lacking []uint32, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.applyTalk(op)
	sp := m.space(op.User)
	first := uint32(len(sp.docs))
	err = sp.apply(op)
	for n := first; n < uint32(len(sp.docs)); n++ {
		if sp.lacks(n) {
			lacking = append(lacking, n)
		}
	}
	for _, id := range op.Restore {
		if n := sp.byID[id]; sp.lacks(n) {
			lacking = append(lacking, n)
			sp.vectored = min(sp.vectored, n)
		}
	}
	sp.advance()
	return lacking, err
}
