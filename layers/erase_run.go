package layers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mcp-memory/storage"
)

// VectorFiles is all that is kept on disk of vectors, of every model.
type VectorFiles interface {
	// Erase removes for good the vectors of the ids that gone accepts, and the graphs
	// of the users named under every model but those of the index in use of a user
	// in resaved. all are the users there are. It names the files that it cannot
	// reach, with the reason.
	Erase(ctx context.Context, gone func(id string) bool, users, resaved, all []string) (unreached []string, err error)
	// Find reads the files again and names those that hold a vector that gone
	// accepts, or a graph with a place for one of a user's docs.
	Find(ctx context.Context, gone func(id string) bool, docs map[string][]uint32) (left []string, err error)
}

// erasures carries erases out, those that come together with one rewrite of the
// files.
type erasures struct {
	ctx  context.Context
	stop context.CancelFunc
	done sync.WaitGroup

	mu      sync.Mutex // guards what follows
	waiting []*erasure // for the next rewrite
	now     []*erasure // that are carried out
	left    []*erasure // that failed; the next rewrite, or the next start, finishes them
	running bool
}

func newErasures() *erasures {
	ctx, stop := context.WithCancel(context.Background())
	return &erasures{ctx: ctx, stop: stop}
}

// close interrupts a rewrite and waits for that. What is open then is finished by
// the next start.
func (e *erasures) close() {
	e.stop()
	e.done.Wait()
}

// add hands an erase in, and starts to work where nobody does.
func (e *erasures) add(m *Memory, one *erasure) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting = append(e.waiting, one)
	if e.running {
		return
	}
	e.running = true
	e.done.Go(func() {
		for {
			batch := e.take()
			if batch == nil {
				return
			}
			m.eraseBatch(e.ctx, batch)
		}
	})
}

// take returns all that waits; nil where nothing does, and then the work ends.
func (e *erasures) take() []*erasure {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.waiting) == 0 {
		e.running = false
		return nil
	}
	e.now = append(e.left, e.waiting...)
	e.left, e.waiting = nil, nil
	return e.now
}

// unfinished returns the erases of a user that are decided and not carried out.
func (e *erasures) unfinished(user string) (out []*erasure) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, one := range slices.Concat(e.left, e.now, e.waiting) {
		if one.user == user {
			out = append(out, one)
		}
	}
	return out
}

// knows reports whether an erase was handed in and is not carried out.
func (e *erasures) knows(receipt string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(slices.Concat(e.left, e.now, e.waiting), func(one *erasure) bool { return one.receipt == receipt })
}

// retry hands in again an erase that failed.
func (e *erasures) retry(m *Memory, receipt string) {
	e.mu.Lock()
	i := slices.IndexFunc(e.left, func(one *erasure) bool { return one.receipt == receipt })
	if i < 0 {
		e.mu.Unlock()
		return
	}
	one := e.left[i]
	e.left = slices.Delete(e.left, i, i+1)
	e.mu.Unlock()
	e.add(m, one)
}

// failure is why an erase was not carried out; nil where it was not tried, or still
// is.
func (e *erasures) failure(receipt string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, one := range e.left {
		if one.receipt == receipt {
			return &UnfinishedError{Receipt: receipt, Err: one.err}
		}
	}
	return nil
}

// failed keeps a batch for the next rewrite.
func (e *erasures) failed(batch []*erasure, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, one := range batch {
		one.err = err
	}
	e.left, e.now = append(e.left, batch...), nil
}

// finished forgets what was carried out, before who waits is told: a call that comes
// right after is about nothing that is unfinished.
func (e *erasures) finished() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.now = nil
}

// eraseTries is how often an erase begins anew because the file was rewritten, or
// a backup made meanwhile.
const eraseTries = 5

// eraseBatch carries erases out together and tells each how it went.
func (m *Memory) eraseBatch(ctx context.Context, batch []*erasure) {
	var err error
	for range eraseTries {
		if err = m.eraseFiles(ctx, batch); err == nil || !errors.Is(err, storage.ErrUnavailable) || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		m.log.Error("an erase is not done; the records are forgotten, and the next erase or start finishes it", "erases", len(batch), "error", err)
		m.erasures.failed(batch, err)
	} else {
		m.erasures.finished()
	}
	for _, e := range batch {
		select {
		case e.done <- err:
		default: // one that failed before: nobody waits any more
		}
	}
}

// eraseFiles rewrites every file without what is to be erased, looks at them again,
// and makes the receipts durable with the new store.
func (m *Memory) eraseFiles(ctx context.Context, batch []*erasure) error {
	unreached, err := m.eraseVectors(ctx, batch)
	if err != nil {
		return fmt.Errorf("erase vectors: %w", err)
	}
	payloads := make([]storage.Payload, len(batch))
	for i, e := range batch {
		payloads[i] = e.payload
	}
	rw, err := m.opts.Store.Erase(ctx, payloads)
	if err != nil {
		return err
	}
	defer rw.Abandon()
	for _, e := range batch {
		if err := m.verifyErase(ctx, rw, e, unreached); err != nil {
			return fmt.Errorf("verify an erase: %w", err)
		}
	}
	if err := m.commitErase(ctx, rw, batch); err != nil {
		return err
	}
	if missed := rw.Sweep(ctx); len(missed) > 0 {
		m.log.Error("a backup that was made during an erase may hold what was erased", "files", len(missed))
		for _, e := range batch {
			e.result.Verified, e.result.Unreached = false, append(e.result.Unreached, missed...)
		}
	}
	return nil
}

// commitErase puts the new file in place with the receipts in it.
func (m *Memory) commitErase(ctx context.Context, rw storage.Rewriting, batch []*erasure) error {
	m.write.Lock()
	defer m.write.Unlock()
	ops, at := make([]storage.Op, len(batch)), m.nextRecorded()
	for i, e := range batch {
		ops[i] = storage.Op{User: e.user, At: at, Erased: []storage.Erased{e.result}}
		at = at.Add(time.Microsecond)
	}
	if err := rw.Commit(ctx, ops); err != nil {
		return err
	}
	for _, e := range batch {
		m.log.Info("erased", "records", len(e.docs), "receipt", e.receipt, "verified", e.result.Verified)
	}
	return nil
}

// eraseVectors removes the vectors and the graphs of what is erased from every file
// and from the embedder's cache.
func (m *Memory) eraseVectors(ctx context.Context, batch []*erasure) (unreached []string, err error) {
	if c, ok := m.opts.Embedder.(interface{ Clear() }); ok {
		c.Clear()
	}
	m.vectorsMu.Lock() // no vector of an erased record is on its way into a file
	defer m.vectorsMu.Unlock()
	users := usersOf(batch)
	resaved, failed := m.resaveGraphs(users)
	if m.opts.Files == nil {
		if m.opts.Vectors == nil {
			return failed, nil
		}
		return failed, m.opts.Vectors.Keep(ctx, func(id string) bool { return !m.erasedID(id) })
	}
	unreached, err = m.opts.Files.Erase(ctx, m.erasedID, users, resaved, m.users())
	return append(failed, unreached...), err
}

// resaveGraphs saves the graphs of the users' indexes anew, without the erased
// records.
func (m *Memory) resaveGraphs(users []string) (resaved, failed []string) {
	for _, user := range users {
		m.mu.RLock()
		sp := m.spaces[user]
		open := sp != nil && sp.meaning != nil
		m.mu.RUnlock()
		if !open {
			continue
		}
		if err := m.opts.Indexes.Resave(user, sp.meaning.index); err != nil {
			failed = append(failed, fmt.Sprintf("graph of the vectors: %v", err))
		}
		resaved = append(resaved, user)
	}
	return resaved, failed
}

func usersOf(batch []*erasure) (users []string) {
	for _, e := range batch {
		if !slices.Contains(users, e.user) {
			users = append(users, e.user)
		}
	}
	return users
}

func (m *Memory) users() (all []string) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for user := range m.spaces {
		all = append(all, user)
	}
	slices.Sort(all)
	return all
}

// erasedID reports whether a record was erased, or purged since it was forgotten
// for long, or is not known: a restore went back past it.
func (m *Memory) erasedID(id string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, sp := range m.spaces {
		if n, ok := sp.byID[id]; ok {
			return sp.docs[n].text == textSum{}
		}
	}
	return true
}

// verifyErase looks in memory and in every file, and fills the result in.
func (m *Memory) verifyErase(ctx context.Context, rw storage.Rewriting, e *erasure, unreached []string) error {
	found, err := rw.Find(ctx, e.payload)
	if err != nil {
		return err
	}
	keyword, vectors := m.derivedGone(e)
	left, err := m.vectorsLeft(ctx, e)
	if err != nil {
		return err
	}
	checked := map[string]bool{
		"store": !found.Store, "keyword": keyword, "vector": vectors && len(left)+len(unreached) == 0,
		"working": !found.Working, "jobs": !found.Jobs, "files": len(found.Files) == 0,
	}
	e.result = storage.Erased{Receipt: e.receipt, Verified: true, Checked: checked, Unreached: slices.Concat(found.Files, unreached, left), Gone: found.Gone}
	for _, ok := range checked {
		e.result.Verified = e.result.Verified && ok
	}
	e.related = found.Related
	e.result.Related = len(e.related)
	return nil
}

// derivedGone reports whether no posting and no vector in memory is one of the
// records'.
func (m *Memory) derivedGone(e *erasure) (keyword, vectors bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	sp := m.spaces[e.user]
	keyword, vectors = true, true
	for _, n := range e.docs {
		d := &sp.docs[n]
		if sp.words.Length(n) != 0 || !d.forgotten() {
			keyword = false
		}
		if of := sp.meaning; d.embedded || of != nil && of.index.Vector(n, make([]float32, len(of.buffer))) {
			vectors = false
		}
	}
	return keyword, vectors
}

// vectorsLeft names the files that still hold a vector of the erase's records: not
// of another's, which was decided meanwhile and whose turn is the next rewrite.
func (m *Memory) vectorsLeft(ctx context.Context, e *erasure) ([]string, error) {
	if m.opts.Files == nil {
		return nil, nil
	}
	own := func(id string) bool {
		_, is := slices.BinarySearch(e.payload.IDs, id)
		return is
	}
	return m.opts.Files.Find(ctx, own, map[string][]uint32{e.user: e.docs})
}

// finishErases carries out what an earlier process left open, before anything is
// answered. What cannot be done now is done with the next erase, or at the next
// start: the records are forgotten already.
func (m *Memory) finishErases(ctx context.Context) error {
	var open []*erasure
	err := m.opts.Store.Receipts(ctx, func(user string, r storage.Receipt) error {
		if !r.Erase || r.Ended != nil || r.Ahead != nil { // the last has not taken all yet
			return nil
		}
		e, err := m.reopenErase(user, r)
		open = append(open, e)
		return err
	})
	if err != nil {
		return fmt.Errorf("look for open erases: %w", err)
	}
	if len(open) > 0 {
		m.log.Info("erases that were interrupted are finished", "erases", len(open))
		m.eraseBatch(ctx, open)
	}
	return ctx.Err()
}

// reopenErase is an erase as it was decided: the store holds the content until it
// is done.
func (m *Memory) reopenErase(user string, r storage.Receipt) (*erasure, error) {
	e := &erasure{user: user, receipt: r.ID, done: make(chan error, 1)}
	err := m.read(user, func(sp *space) error {
		t := newTraces(sp)
		t.all, t.whole = r.All, m.sourceOf(r.SourceHash)
		for _, id := range r.IDs {
			n, known := sp.byID[id]
			if !known {
				continue // a salvage lost it
			}
			entry, err := sp.entry(n)
			if err != nil {
				return err
			}
			e.docs = append(e.docs, n)
			t.add(&entry)
		}
		t.settle()
		e.payload = t.payload(user, r.At)
		return nil
	})
	return e, err
}

// sourceOf tells the source of a keyed hash; nil without one.
func (m *Memory) sourceOf(hash string) func(source string) bool {
	if hash == "" {
		return nil
	}
	return func(source string) bool { return m.opts.Store.Hash("source", source) == hash }
}

// unfinishedErase returns an erase that is not carried out yet: one that was asked for
// in the same words, else one of the receipts given, else one that took records that a
// selection matches by what is left of them.
func (m *Memory) unfinishedErase(user string, s *selection, receipts []string) (found *erasure, err error) {
	open := m.erasures.unfinished(user)
	for _, e := range open {
		if e.asked == s.asked() && e.asked != "" || slices.Contains(receipts, e.receipt) {
			return e, nil
		}
	}
	err = m.read(user, func(sp *space) error {
		only, err := sp.named(s.in.IDs)
		if err != nil {
			return err
		}
		for _, e := range open {
			for _, n := range e.docs {
				if (len(only) == 0 || only[n]) && s.filter.pass(&sp.docs[n]) {
					found = e
					return nil
				}
			}
		}
		return nil
	})
	return found, err
}

// receiptPoll is how often a call that came again looks whether the erase that it
// began is done.
const receiptPoll = 50 * time.Millisecond

// awaitReceipt answers an erase that comes again, by the receipt of its first
// coming. One that failed then is tried again.
func (m *Memory) awaitReceipt(ctx context.Context, user string, out ForgetOutput) (ForgetOutput, error) {
	m.erasures.retry(m, out.Receipt.ID)
	tick := time.NewTicker(receiptPoll)
	defer tick.Stop()
	for {
		failed := m.erasures.failure(out.Receipt.ID)
		r, err := m.ReceiptByID(ctx, user, out.Receipt.ID)
		if err != nil {
			return ForgetOutput{}, err
		}
		if r.Done && (failed != nil || !m.erasures.knows(r.ID)) { // the receipt is durable a moment before the work ends
			out.Receipt = Receipt{ID: r.ID, Verified: r.Verified, Checked: r.Checked, Unreached: r.Unreached}
			out.Note += eraseNote(&storage.Erased{Verified: r.Verified, Unreached: r.Unreached, Gone: r.Gone})
			return out, nil
		}
		if failed != nil {
			return ForgetOutput{}, failed
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ForgetOutput{}, fmt.Errorf("erase: the records are forgotten, their bytes leave the files (receipt %s): %w", r.ID, ctx.Err())
		}
	}
}
