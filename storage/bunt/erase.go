package bunt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"mcp-memory/internal/files"
	"mcp-memory/storage"
)

// erasure is a rewrite without what is to be erased. It keeps other rewrites away
// until it ends.
type erasure struct {
	*rewrite
	payloads  []storage.Payload
	unreached []string // files beside, with the reason
	gone      []string // copies that were deleted or moved
	listed    string   // the list of backups, as it was looked through
	released  bool
}

var _ storage.Rewriting = (*erasure)(nil)

// Erase writes, beside the running store, its file anew without the content of all
// records whose erase was applied; before that, what salvages kept and the backups
// that are listed. So whatever the words of the payloads are needed for is done
// while the store still holds them: an erase that is interrupted is begun again.
// Errors: [storage.ErrUnavailable], [storage.ErrReadOnly], [storage.ErrClosed].
func (s *Store) Erase(ctx context.Context, payloads []storage.Payload) (storage.Rewriting, error) {
	s.compacting.Lock()
	e, err := s.erase(ctx, payloads)
	if err != nil {
		s.compacting.Unlock()
		return nil, fmt.Errorf("erase: %w", err)
	}
	return e, nil
}

func (s *Store) erase(ctx context.Context, payloads []storage.Payload) (*erasure, error) {
	listed := s.listing()
	unreached, gone, err := s.eraseCopies(ctx, payloads)
	if err != nil {
		return nil, err
	}
	rw, err := s.begin(ctx, true)
	if err != nil {
		return nil, err
	}
	return &erasure{rewrite: rw, payloads: payloads, unreached: unreached, gone: gone, listed: listed}, nil
}

// Commit puts the new file in place, with ops as its newest operations. Error, beside
// those of Apply: [storage.ErrUnavailable] where the file was rewritten, or a backup
// made meanwhile, and the erase is to be begun again.
func (e *erasure) Commit(_ context.Context, ops []storage.Op) error {
	defer e.release()
	if e.store.listing() != e.listed {
		return fmt.Errorf("erase: %w: a backup was made meanwhile", storage.ErrUnavailable)
	}
	switch err := e.commit(ops); {
	case errors.Is(err, errStale):
		return fmt.Errorf("erase: %w: %w", storage.ErrUnavailable, err)
	case err != nil:
		return fmt.Errorf("erase: %w", err)
	}
	e.store.options.Log.Info("erased", keyErases, len(ops), keyBytes, e.next.size)
	return nil
}

// Sweep erases in the copies that were made between the last look at the list of
// backups and the rename: a backup that was begun before begins again by itself,
// since it sees that the file is another one.
func (e *erasure) Sweep(ctx context.Context) []string {
	if e.store.listing() == e.listed {
		return nil
	}
	unreached, _, err := e.store.eraseCopies(ctx, e.payloads)
	if err != nil {
		unreached = append(unreached, unreachedFile(filepath.Join(e.store.options.Dir, backupsName), err))
	}
	return unreached
}

// listing is what the list of backups says, to see whether more were made.
func (s *Store) listing() string {
	content, err := os.ReadFile(filepath.Join(s.options.Dir, backupsName))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err.Error()
	}
	return string(content)
}

// Abandon removes the new file, unless it was committed.
func (e *erasure) Abandon() {
	e.abandon()
	e.release()
}

// release lets other rewrites begin, once.
func (e *erasure) release() {
	if !e.released {
		e.released = true
		e.store.compacting.Unlock()
	}
}

// eraseCopies erases in the files beside the store. A file that cannot be reached
// is named, and is no error; so is one that is not where it was made any more.
func (s *Store) eraseCopies(ctx context.Context, payloads []storage.Payload) (unreached, gone []string, err error) {
	intents, err := s.intents()
	if err != nil {
		return nil, nil, err
	}
	taint := newMatcher(taints(payloads)...)
	sides, unreached := s.copies()
	unreached = append(unreached, s.removeBrokenOff(sides)...)
	for _, f := range sides {
		switch err := s.eraseCopy(ctx, f, intents, payloads, taint); {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case errors.Is(err, errGone):
			gone = append(gone, f.path)
		case err != nil:
			unreached = append(unreached, unreachedFile(f.path, err))
		}
	}
	return unreached, gone, nil
}

// removeBrokenOff removes what backups and erases left that were broken off. A
// backup that is under way begins again: it sees that the store's file is another
// one by then.
func (s *Store) removeBrokenOff(sides []sideFile) (unreached []string) {
	var left []string
	for _, f := range sides {
		left = append(left, f.path+backupTemp)
	}
	damaged, _ := files.In(s.options.Dir, damagedGlob+backupTemp) // copies names what is wrong
	backups, _ := backupFiles(s.options.Dir)
	for _, path := range backups {
		if filepath.Ext(path) == backupTemp {
			left = append(left, path)
		}
	}
	for _, path := range append(left, damaged...) {
		if err := files.Remove(path); err != nil {
			unreached = append(unreached, unreachedFile(path, err))
		}
	}
	return unreached
}

func (s *Store) eraseCopy(ctx context.Context, f sideFile, intents []storage.Op, payloads []storage.Payload, taint *matcher) error {
	c, err := f.open(ctx, s.options.Dir)
	if c == nil || err != nil {
		return err
	}
	if err := c.check(s.meta.key); err != nil {
		return c.spared(err, payloads)
	}
	changed, err := c.erase(ctx, intents, s.meta.key, taint.in)
	if err != nil {
		return err
	}
	hushed, err := c.hush(payloads)
	if err != nil || !changed && !hushed {
		return err
	}
	if err := c.hideKeys(s.meta.key); err != nil {
		return err
	}
	if err := c.write(s.options); err != nil { // what else is of no use in it may stay
		was, unread := f.open(ctx, s.options.Dir)
		if unread != nil || was == nil {
			return err
		}
		return was.spared(err, payloads)
	}
	return nil
}

// spared is nil for a backup that cannot be written anew, for the reason given, but
// holds nothing of the payloads: it was made in another store, is damaged, or its disk
// takes no writes.
func (c *sideFile) spared(why error, payloads []storage.Payload) error {
	for _, p := range payloads {
		if err := newFinder(p).search(c); err != nil {
			return fmt.Errorf("%w, and %w", why, err)
		}
	}
	return nil
}

// copies are the files that hold operations of this store beside its own, and why
// some of them are not known.
func (s *Store) copies() (sides []sideFile, unreached []string) {
	damaged, err := files.In(s.options.Dir, damagedGlob)
	if err != nil {
		unreached = append(unreached, unreachedFile(s.options.Dir, err))
	}
	for _, path := range damaged {
		if filepath.Ext(path) != backupTemp {
			sides = append(sides, sideFile{path: path})
		}
	}
	backups, err := backupFiles(s.options.Dir)
	lines, bad, failed := readList(s.options.Dir)
	if bad > 0 {
		failed = errors.Join(failed, fmt.Errorf("%d lines cannot be read", bad))
	}
	if err := errors.Join(err, failed); err != nil {
		unreached = append(unreached, unreachedFile(filepath.Join(s.options.Dir, backupsName), err))
	}
	for _, path := range backups {
		if filepath.Ext(path) != backupTemp {
			sides = append(sides, sideFile{path: path, backup: true, line: lines[path]})
		}
	}
	return sides, unreached
}

// intents are the erases that were ever applied: an old backup that can be reached
// again is rid of all.
func (s *Store) intents() ([]storage.Op, error) {
	s.mu.RLock()
	var values []receipt
	for _, r := range s.state.receipts {
		if r.erase {
			values = append(values, r)
		}
	}
	s.mu.RUnlock()
	slices.SortFunc(values, func(a, b receipt) int { return a.at.Compare(b.at) })
	out := make([]storage.Op, 0, len(values))
	for _, r := range values {
		for _, value := range r.values {
			op, _, err := decode(value)
			if err != nil {
				return nil, err
			}
			op.Read, op.Hear, op.Seen, op.Reinforce = nil, nil, nil, nil
			out = append(out, op)
		}
	}
	return out, nil
}

// taints are the words that no damaged stretch may hold.
func taints(payloads []storage.Payload) (words []string) {
	for _, p := range payloads {
		words = slices.Concat(words, p.IDs, p.Words, p.Terms)
	}
	return words
}

// others are the files in the directory that this package does not know, vectors
// apart, which are looked after elsewhere.
func (s *Store) others() ([]string, error) {
	entries, err := os.ReadDir(s.options.Dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		damaged, _ := filepath.Match(damagedGlob, e.Name())
		known := slices.Contains([]string{fileName, tempName, nextName}, e.Name())
		vectors := slices.Contains([]string{".vec", ".hnsw"}, filepath.Ext(e.Name()))
		if e.Type().IsRegular() && !damaged && !known && !vectors {
			out = append(out, filepath.Join(s.options.Dir, e.Name()))
		}
	}
	return out, nil
}
