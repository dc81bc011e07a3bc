package storage

import (
	"errors"
	"fmt"
)

// Errors of every store. They come wrapped with what was tried.
var (
	// ErrNotFound says that no record has the id.
	ErrNotFound = errors.New("not found")
	// ErrLocked says that another process holds the store.
	ErrLocked = errors.New("store is held by another process")
	// ErrCorrupt says that bytes on disk are not what was written and could
	// not be salvaged.
	ErrCorrupt = errors.New("store is damaged")
	// ErrReadOnly says that an earlier write could not be made durable and the
	// store takes no more until that is repaired.
	ErrReadOnly = errors.New("store is read-only")
	// ErrUnavailable says that a write failed and left nothing behind; it may
	// be tried again (a full disk, for one).
	ErrUnavailable = errors.New("store is unavailable")
	// ErrClosed says that the store was closed.
	ErrClosed = errors.New("store is closed")
	// ErrTooLarge says that an operation is over the store's limit.
	ErrTooLarge = errors.New("too large")
	// ErrConflict says that an operation does not fit the state it is applied
	// to (an id that exists, a record that does not).
	ErrConflict = errors.New("conflict")
)

// NewerError says that a store or a backup was written by a later program, in a
// format version above those that this one reads. It was left as it is.
type NewerError struct{ Found, Reads int }

// Error names both versions.
func (e NewerError) Error() string {
	return fmt.Sprintf("the store has format version %d, this program reads up to %d: use a newer mcp-memory", e.Found, e.Reads)
}

// LinkError says that the store's file is a symbolic link. It was left as it is: a
// rewrite would put a file in the link's place and leave the old one, with all that
// was said, where it points.
type LinkError struct {
	Name, Target string
	Dangling     bool // the target is not there
}

// Error names both, and what helps.
func (e LinkError) Error() string {
	if e.Dangling {
		return fmt.Sprintf("%s is a link to %s, which is not there: connect the disk with the store, or remove the link to begin anew", e.Name, e.Target)
	}
	return fmt.Sprintf("%s is a link to %s, which an erase would not reach: move that file into the data directory, or make the whole directory the link", e.Name, e.Target)
}
