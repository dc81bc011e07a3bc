package bunt

import (
	"context"
	"fmt"
	"slices"

	"mcp-memory/storage"
)

// maxValue bounds an operation's value, in bytes.
const maxValue = 8 << 20

// Apply makes op durable and visible, or returns an error and does neither.
// A cancelled ctx stops it only before it begins to write. Errors:
// [storage.ErrConflict] (also for an op that cannot be written as JSON),
// [storage.ErrTooLarge] (over 8 MiB encoded), [storage.ErrUnavailable],
// [storage.ErrReadOnly], [storage.ErrLocked] (another process took the store
// after the lock file was deleted), [storage.ErrClosed].
func (s *Store) Apply(ctx context.Context, op storage.Op) error {
	s.write.Lock()
	defer s.write.Unlock()
	if s.closed {
		return fmt.Errorf("apply: %w", storage.ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("apply: %w", err)
	}
	if err := s.apply(op); err != nil {
		return fmt.Errorf("apply: %w", err)
	}
	return nil
}

func (s *Store) apply(op storage.Op) error {
	if err := s.mend(); err != nil {
		return err
	}
	if err := s.state.check(op); err != nil {
		return err
	}
	e, parsed, err := prepare(s.journal.next(), hideKeys(s.meta.key, op))
	if err != nil {
		return err
	}
	if isNews(op) {
		if err := s.upgrade(); err != nil {
			return err
		}
	}
	if err := s.journal.append(e); err != nil {
		return err
	}
	s.mu.Lock()
	s.state.fold(parsed)
	s.size = s.journal.size
	s.mu.Unlock()
	s.wakeSweep()
	return nil
}

// isNews reports whether version 1 would misread op.
func isNews(op storage.Op) bool {
	next := slices.ContainsFunc(op.Read, func(r storage.Reading) bool { return r.Next > 0 })
	return op.Forget != nil && op.Forget.Erase != nil || len(op.Answers)+len(op.Erased) > 0 || next
}

// upgrade rewrites a file of an older version.
func (s *Store) upgrade() error {
	if s.meta.version == version {
		return nil
	}
	s.options.Log.Info("the store gets a newer format", keyVersion, version)
	return s.replace()
}

// prepare encodes op and reads it back as the fold will, so that nothing can
// fail any more once it is durable.
func prepare(seq uint64, op storage.Op) (entry, operation, error) {
	records := make([]recordLine, len(op.Put))
	for i, r := range op.Put {
		records[i].Record = r
	}
	value, err := encode(opKey(seq), op, records)
	if err != nil {
		return entry{}, operation{}, fmt.Errorf("%w: encode: %v", storage.ErrConflict, err)
	}
	if len(value) > maxValue {
		return entry{}, operation{}, fmt.Errorf("%w: operation of %d bytes, limit %d", storage.ErrTooLarge, len(value), maxValue)
	}
	parsed, err := parse(value)
	if err != nil {
		return entry{}, operation{}, fmt.Errorf("%w: %v", storage.ErrConflict, err)
	}
	return entry{seq: seq, value: value}, parsed, nil
}

// mend makes sure that the file is ours, and makes a store writable again that a
// full disk made read-only, by rewriting its file from what was acknowledged.
func (s *Store) mend() error {
	if err := s.guard(); err != nil {
		return err
	}
	if s.journal.fault == nil {
		return nil
	}
	if !s.journal.full {
		return s.journal.fault
	}
	if err := s.replace(); err != nil {
		return fmt.Errorf("%w; rewriting it: %v", s.journal.fault, err)
	}
	s.options.Log.Info("store is writable again after a full disk")
	return nil
}
