package bunt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mcp-memory/storage"
)

// guard makes sure, before a write, that the file is still ours and as we left
// it. People delete lock files of what seems to hang, and then another process
// may have the store: two that write would write over each other. Errors:
// [storage.ErrLocked] while another process has the store,
// [storage.ErrReadOnly] where it wrote to it, or another file has its name.
func (s *Store) guard() error {
	if err := s.holding().renew(filepath.Join(s.options.Dir, lockName), s.options.Clock()); err != nil {
		return err
	}
	if s.journal.fault != nil {
		return nil
	}
	info, err := s.journal.file.Stat()
	if err != nil || isUnlinked(info) {
		return nil // what is wrong the write says
	}
	if moved, err := s.moved(info); moved || err != nil {
		return err
	}
	switch {
	case info.Size() == s.journal.size:
		return nil
	case info.Size() > s.journal.size:
		return fmt.Errorf("%w: another program wrote to %s; restart the server", storage.ErrReadOnly, s.journal.path())
	}
	s.options.Log.Warn("the store's file was cut by another program; it is written anew", keyBytes, info.Size())
	return s.replace()
}

// moved writes the file anew where its name is gone: somebody moved it away, and what
// is written there the next start would not find. It reports whether it did. Error:
// [storage.ErrReadOnly] where another file has the name, as when the whole directory
// was moved and another process began a new one.
func (s *Store) moved(ours os.FileInfo) (bool, error) {
	there, err := os.Stat(s.journal.path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.options.Log.Warn("the store's file was moved away; it is written anew")
		return true, s.replace()
	case err != nil || os.SameFile(ours, there):
		return false, nil // what is wrong, if something is, the write says
	}
	return false, fmt.Errorf("%w: another file is in the place of %s, which was moved away; restart the server", storage.ErrReadOnly, s.journal.path())
}

// holding is the lock on the directory: ours, or the caller's.
func (s *Store) holding() *lock {
	if s.lock == nil {
		return s.options.Hold.lock
	}
	return s.lock
}

// renew takes the lock again where its file was deleted. Error:
// [storage.ErrLocked], naming who has it now; that of the file system.
func (l *lock) renew(path string, now time.Time) error {
	ours, err := l.flock.Stat()
	if err != nil {
		return nil // nothing to compare: the lock is still held
	}
	there, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && os.SameFile(ours, there) {
		return nil
	}
	again, err := acquire(context.Background(), path, -1, now)
	if err != nil {
		return err
	}
	old := l.flock
	l.flock = again.flock
	return old.Unlock()
}
