//go:build unix

package bunt_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// A person deletes the lock file of a server that seems to hang, and starts
// another one.
func TestApply_WritesNothingBesideAnotherHolder(t *testing.T) {
	dir := t.TempDir()
	old := openDir(t, dir)
	apply(t, old, putOp(1))
	remove(t, dbPath(dir)+".lock")
	next := openDir(t, dir)
	apply(t, next, putOp(2))
	if err := old.Apply(t.Context(), putOp(3)); !errors.Is(err, storage.ErrLocked) || !strings.Contains(err.Error(), "pid ") {
		t.Errorf("beside the next holder: %v, want ErrLocked", err)
	}
	if err := old.Compact(t.Context()); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("compact beside the next holder: %v, want ErrLocked", err)
	}
	closeStore(t, next)
	if err := old.Apply(t.Context(), putOp(3)); !errors.Is(err, storage.ErrReadOnly) {
		t.Errorf("after the next holder wrote: %v, want ErrReadOnly", err)
	}
	closeStore(t, old)
	if s := openDir(t, dir); len(ids(t, s)) != 2 || s.Stats().Salvage != nil {
		t.Errorf("%v is there, salvage %v; want what was acknowledged", ids(t, s), s.Stats().Salvage)
	}
}

func TestApply_TakesADeletedLockAgain(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	remove(t, dbPath(dir)+".lock")
	apply(t, s, putOp(1))
	if _, err := bunt.TakeHold(t.Context(), dir, -1); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("another hold: %v, want ErrLocked", err)
	}
	closeStore(t, s)
	closeStore(t, openDir(t, dir))
}

// What was acknowledged is in memory still when another program empties the file.
func TestApply_WritesACutFileAnew(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	apply(t, s, putOp(1), putOp(2))
	whole := readFile(t, dbPath(dir))
	if err := os.Truncate(dbPath(dir), 0); err != nil {
		t.Fatal(err)
	}
	apply(t, s, putOp(3))
	if got := readFile(t, dbPath(dir)); !bytes.HasPrefix(got, whole) {
		t.Errorf("the file has %d bytes, and not the %d that were there", len(got), len(whole))
	}
	closeStore(t, s)
	if s := openDir(t, dir); len(ids(t, s)) != 3 || s.Stats().Salvage != nil {
		t.Errorf("%v is there, salvage %v", ids(t, s), s.Stats().Salvage)
	}
}
