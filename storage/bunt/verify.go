package bunt

import (
	"context"
	"errors"
	"fmt"
	"os"

	"mcp-memory/storage"
)

// Verify reads a backup to its end: its seal, the checksum of every operation, and
// that each can be read. Errors: [storage.ErrCorrupt], saying what is wrong where;
// a format version that is newer than this program's; the file system's.
func Verify(ctx context.Context, path string) (Contents, error) {
	found, err := verify(ctx, path)
	if err == nil && !found.Sealed {
		err = notWhole(path, "it has no end: it is no backup, or one that was cut short")
	}
	if err != nil {
		return Contents{}, fmt.Errorf("verify backup: %w", err)
	}
	return found, nil
}

// verify is Verify for a file that may be a store's own, which has no seal.
func verify(ctx context.Context, path string) (found Contents, err error) {
	file, err := os.Open(path)
	if err != nil {
		return Contents{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return Contents{}, err
	}
	if !info.Mode().IsRegular() {
		return Contents{}, fmt.Errorf("%s is no file", path)
	}
	c := newCensus()
	v, err := examine(ctx, file, info.Size(), c.add)
	if err != nil {
		return Contents{}, fmt.Errorf("read %s: %w", path, err)
	}
	if err := errors.Join(v.whole(path), c.whole(path)); err != nil {
		return Contents{}, err
	}
	if v.end != nil {
		err = v.checkEnd(path, file)
	}
	return c.contents(&v), err
}

// whole refuses a file of which any byte is not a good command.
func (v *survey) whole(path string) error {
	switch {
	case v.foreign():
		return notWhole(path, "nothing in it can be read as a memory store")
	case len(v.stretches) > 0:
		return notWhole(path, "%d damaged stretches, the first at byte %d", v.dropped, v.stretches[0].From)
	case v.metaValue == "" || v.metaAt != 0:
		return notWhole(path, "it does not begin with what the store knows of itself")
	case v.tornAt < v.size:
		return notWhole(path, "it is cut short: the operation at byte %d is not whole", v.tornAt)
	}
	return nil
}

func (c *census) whole(path string) error {
	switch {
	case len(c.broken) > 0:
		return notWhole(path, "%d operations cannot be read, the first is number %d", len(c.broken), c.broken[0].Operation)
	case c.repeated > 0:
		return notWhole(path, "%d operations or records stand twice or were deleted", c.repeated)
	}
	return nil
}

// checkEnd compares the end of a backup with what is before it.
func (v *survey) checkEnd(path string, file *os.File) error {
	sum, err := sumBefore(file, v.endAt.offset)
	switch {
	case err != nil:
		return fmt.Errorf("read %s: %w", path, err)
	case v.end.Ops != v.kept:
		return notWhole(path, "%d operations, its end says %d", v.kept, v.end.Ops)
	case sum != v.end.Sum:
		return notWhole(path, "its SHA-256 is not the one its end says")
	}
	return nil
}

// IsNewer reports whether an error is a format version above this program's.
func IsNewer(err error) bool {
	var newer storage.NewerError
	return errors.As(err, &newer)
}
