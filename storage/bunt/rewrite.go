package bunt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"mcp-memory/internal/files"
	"mcp-memory/storage"
)

// rewrite is a file that is written anew beside the store:
//
//	entries at the start ── purge ──> memory.db.next, fsync ─ open, fold      behind the calls
//	what came since      ───────────> appended, fsync ── rename, fsync dir    calls wait
//
// Until the rename the old file holds everything, after it the new one does.
type rewrite struct {
	store *Store
	base  *journal // whose file is rewritten
	taken int      // its entries that are in next
	clean int64    // size of next before what came meanwhile, bytes
	gone  map[string]*fate
	next  *journal
	name  string // of the new file, until it takes the store's
	meta  meta
	state *state
	ended bool
}

// errStale says that what a rewrite left out was brought back since it began.
var errStale = errors.New("what was to go was brought back")

// catchUps is how often, at most, what came since is appended while calls go on,
// and tailMost how many operations are left for the moment in which they wait.
const (
	catchUps = 8
	tailMost = 16
)

// begin writes the file anew without what is due, with erase also without what is
// to be erased. The caller holds compacting until it has committed or abandoned
// the rewrite. Errors: [storage.ErrUnavailable], [storage.ErrReadOnly],
// [storage.ErrClosed].
func (s *Store) begin(ctx context.Context, erase bool) (*rewrite, error) {
	rw, entries, p, err := s.snapshotJournal(erase)
	if err != nil {
		return nil, err
	}
	if entries, err = p.purge(ctx, entries); err != nil {
		return nil, err
	}
	if err := rw.write(entries); err != nil {
		return nil, err
	}
	if err := rw.catchUp(ctx); err != nil {
		rw.abandon()
		return nil, err
	}
	return rw, nil
}

// snapshotJournal takes what a rewrite begins with. Entries never change, so they
// can be read while others are appended.
func (s *Store) snapshotJournal(erase bool) (*rewrite, []entry, *purger, error) {
	s.write.Lock()
	defer s.write.Unlock()
	if s.closed {
		return nil, nil, nil, storage.ErrClosed
	}
	if err := s.mend(); err != nil {
		return nil, nil, nil, err
	}
	p := s.state.purger(s.horizon(), s.answerHorizon(true), erase)
	entries := slices.Clip(s.journal.entries)
	return &rewrite{store: s, base: s.journal, taken: len(entries), gone: p.gone, name: nextName, meta: s.meta}, entries, p, nil
}

func (rw *rewrite) path() string { return filepath.Join(rw.store.options.Dir, rw.name) }

// write writes entries to the temporary file, opens that and folds it.
func (rw *rewrite) write(entries []entry) error {
	o := rw.store.options
	rw.meta.version = version
	value, err := rw.meta.value()
	if err != nil {
		return err
	}
	err = writeFile(o, rw.path(), func(w *bufio.Writer) error { return writeCommands(w, value, entries) })
	if err != nil {
		return fmt.Errorf("%w: %w", storage.ErrUnavailable, err)
	}
	rw.next = newJournal(o, value)
	rw.next.name = rw.name
	err = rw.next.attach(false)
	if err == nil {
		err = rw.next.list()
	}
	if err == nil {
		rw.state, err = foldAll(rw.next.entries, rw.meta.key)
	}
	if err != nil {
		rw.abandon()
		return fmt.Errorf("%w: %w", storage.ErrUnavailable, err)
	}
	rw.clean = rw.next.size
	return nil
}

// catchUp appends what came since, until little is left.
func (rw *rewrite) catchUp(ctx context.Context) error {
	for range catchUps {
		rw.store.write.Lock()
		tail, stale := rw.tail()
		rw.store.write.Unlock()
		if stale || len(tail) <= tailMost {
			return nil // commit looks again
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := rw.append(tail); err != nil {
			return err
		}
	}
	return nil
}

// tail returns the entries that came since, and whether the file is another one
// by now. The caller holds the store's write.
func (rw *rewrite) tail() (tail []entry, stale bool) {
	j := rw.store.journal
	return slices.Clip(j.entries[min(rw.taken, len(j.entries)):]), j != rw.base
}

// append appends entries to the new file and makes them durable. Error:
// [storage.ErrUnavailable], errStale.
func (rw *rewrite) append(tail []entry) error {
	if len(tail) == 0 {
		return nil
	}
	for _, e := range tail {
		op, err := parse(e.value)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(op.restore, func(id string) bool { return rw.gone[id] != nil }) {
			return errStale
		}
		if err := rw.next.set(e); err != nil {
			return fmt.Errorf("%w: write %s: %w", storage.ErrUnavailable, rw.name, err)
		}
		rw.next.count(e)
		rw.state.fold(op)
	}
	if err := rw.next.sync(); err != nil {
		return fmt.Errorf("%w: sync %s: %w", storage.ErrUnavailable, rw.name, err)
	}
	rw.taken += len(tail)
	return nil
}

// commit puts the new file in place, with last as its newest operations. After an
// error the store is as it was, but where it says [storage.ErrReadOnly].
func (rw *rewrite) commit(last []storage.Op) error {
	s := rw.store
	s.write.Lock()
	defer s.write.Unlock()
	if rw.ended {
		return fmt.Errorf("%w: the rewrite has ended", storage.ErrUnavailable)
	}
	defer rw.abandon()
	if s.closed {
		return storage.ErrClosed
	}
	if err := s.guard(); err != nil {
		return err
	}
	tail, stale := rw.tail()
	if stale || s.journal.fault != nil {
		return errStale
	}
	if err := rw.append(tail); err != nil {
		return err
	}
	if err := rw.appendLast(last); err != nil {
		return err
	}
	return rw.adopt()
}

// appendLast appends operations that nobody has applied yet. They are checked
// against the new file's state, which by now holds all that came.
func (rw *rewrite) appendLast(ops []storage.Op) error {
	for _, op := range ops {
		if err := rw.state.check(op); err != nil {
			return err
		}
		e, _, err := prepare(rw.next.next(), hideKeys(rw.meta.key, op))
		if err != nil {
			return err
		}
		if err := rw.append([]entry{e}); err != nil {
			return err
		}
	}
	return nil
}

// adopt gives the new file the store's name, and makes it the one that is written
// from now on. The caller holds the store's write.
func (rw *rewrite) adopt() error {
	s := rw.store
	if err := rw.rename(); err != nil {
		return fmt.Errorf("%w: rewrite: %w", storage.ErrUnavailable, err)
	}
	rw.ended = true
	old := s.journal
	s.mu.Lock()
	s.journal, s.state, s.size, s.meta = rw.next, rw.state, rw.next.size, rw.meta
	s.mu.Unlock()
	s.compacted = rw.clean
	if err := old.close(); err != nil {
		s.options.Log.Warn("close the file that was rewritten", keyError, err)
	}
	if err := syncDir(s.options, s.options.Dir); err != nil {
		return s.journal.lose(err)
	}
	return nil
}

// rename renames the new file over the old one. Windows renames no open file, and
// none over an open one.
func (rw *rewrite) rename() error {
	s, path := rw.store, filepath.Join(rw.store.options.Dir, fileName)
	if runtime.GOOS != "windows" {
		if err := os.Rename(rw.next.path(), path); err != nil {
			return err
		}
		rw.next.name = fileName
		return nil
	}
	err := errors.Join(rw.next.close(), s.journal.close())
	if err == nil {
		err = os.Rename(rw.next.path(), path)
	}
	if err != nil {
		if s.journal.fault == nil {
			err = errors.Join(err, s.journal.reattach())
		}
		return err
	}
	rw.next.name = fileName
	return rw.next.reattach()
}

// abandon removes the new file, unless it has taken its place.
func (rw *rewrite) abandon() {
	if rw.ended {
		return
	}
	rw.ended = true
	if rw.next != nil {
		if err := rw.next.close(); err != nil {
			rw.store.options.Log.Warn("close a rewrite that was given up", keyError, err)
		}
	}
	if err := files.Remove(rw.path()); err != nil {
		rw.store.options.Log.Warn("remove a rewrite that was given up", keyError, err)
	}
}

// replace rewrites the file as it is, at once: the format is newer, or the file
// can no longer be written. The caller holds write, and no rewrite may be under
// way but one that is bound to end with errStale. Error: [storage.ErrUnavailable].
func (s *Store) replace() error {
	rw := &rewrite{store: s, base: s.journal, taken: len(s.journal.entries), name: tempName, meta: s.meta}
	if err := rw.write(s.journal.entries); err != nil {
		return err
	}
	defer rw.abandon()
	return rw.adopt()
}
