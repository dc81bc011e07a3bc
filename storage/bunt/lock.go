package bunt

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"mcp-memory/storage"
)

const (
	lockPoll = 25 * time.Millisecond
	// holderAt is where the holder's line begins: Windows locks byte 0 against
	// reading and writing.
	holderAt  = 1
	holderMax = 4096 // bytes
)

// lock is the exclusive hold on a directory's store.
type lock struct{ flock *flock.Flock }

// Hold is the exclusive hold on a data directory, taken before its store is
// opened and kept for longer than that is open: who has it decides which of
// several processes owns the store. It ends with the process, however that ends.
type Hold struct{ lock *lock }

// TakeHold takes the hold on dir, which it creates where there is none, waiting
// at most wait (not at all where that is negative). Error: [storage.ErrLocked],
// naming the holder; ctx's; that of the file system.
func TakeHold(ctx context.Context, dir string, wait time.Duration) (*Hold, error) {
	if err := makeDir(dir); err != nil {
		return nil, fmt.Errorf("open data directory: %w", err)
	}
	held, err := acquire(ctx, filepath.Join(dir, lockName), wait, time.Now())
	if err != nil {
		return nil, fmt.Errorf("lock data directory %s: %w", dir, err)
	}
	return &Hold{held}, nil
}

// Release lets go of the directory.
func (h *Hold) Release() error { return h.lock.release() }

// holder is who wrote the lock file last.
type holder struct {
	PID     int       `json:"pid"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
}

// acquire takes the lock, waiting at most wait (not at all where that is
// negative). Error: [storage.ErrLocked], naming the holder; ctx's.
func acquire(ctx context.Context, path string, wait time.Duration, now time.Time) (*lock, error) {
	l := &lock{flock.New(path, flock.SetPermissions(fileMode))}
	held, err := l.try(ctx, wait)
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), l.release())
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("lock %s: %w", lockName, err)
	}
	if !held {
		return nil, fmt.Errorf("%w: %s", storage.ErrLocked, readHolder(path))
	}
	if err := writeHolder(path, now); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", lockName, err), l.release())
	}
	return l, nil
}

func (l *lock) try(ctx context.Context, wait time.Duration) (bool, error) {
	if wait < 0 {
		return l.flock.TryLock()
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return l.flock.TryLockContext(ctx, lockPoll)
}

func (l *lock) release() error { return l.flock.Unlock() }

func writeHolder(path string, now time.Time) error {
	line, err := json.Marshal(holder{PID: os.Getpid(), Command: commandLine(os.Args), Since: now.UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(append(line, '\n'), holderAt)
	return errors.Join(err, file.Close())
}

// commandLine names the program and its verb. Flags may hold secrets.
func commandLine(args []string) string {
	name := filepath.Base(args[0])
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		name += " " + args[1]
	}
	return name
}

// readHolder describes the holder as well as the lock file tells.
func readHolder(path string) string {
	const unknown = "another process"
	file, err := os.Open(path)
	if err != nil {
		return unknown
	}
	defer func() { _ = file.Close() }() // only read
	line, err := bufio.NewReader(io.NewSectionReader(file, holderAt, holderMax)).ReadBytes('\n')
	var h holder
	if err != nil || json.Unmarshal(line, &h) != nil || h.PID == 0 {
		return unknown
	}
	return fmt.Sprintf("pid %d (%s) since %s", h.PID, h.Command, h.Since.Format(time.RFC3339))
}
