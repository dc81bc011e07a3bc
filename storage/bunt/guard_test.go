//go:build unix

package bunt_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
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

// What a person moves away while it is served is written anew under its name, where the
// next start looks for it.
func TestApply_WritesAMovedFileAnew(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	apply(t, s, putOp(1))
	if err := os.Rename(dbPath(dir), dbPath(dir)+".mine"); err != nil {
		t.Fatal(err)
	}
	kept := readFile(t, dbPath(dir)+".mine")
	apply(t, s, putOp(2))
	closeStore(t, s)
	if got := ids(t, openDir(t, dir)); len(got) != 2 {
		t.Errorf("%v is there, want both", got)
	}
	if !bytes.Equal(readFile(t, dbPath(dir)+".mine"), kept) {
		t.Error("the file that was moved away was written to")
	}
}

// A directory that is moved while it is served takes no writes, and neither does the
// new one that another process begins in its place get what is not its own.
func TestApply_WritesNothingIntoAMovedDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := openDir(t, dir)
	apply(t, s, putOp(1))
	if err := os.Rename(dir, dir+"-moved"); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context(), putOp(2)); err == nil {
		t.Error("what no start would find was acknowledged")
	}
	closeStore(t, openDir(t, dir))
	whole := readFile(t, dbPath(dir))
	if err := s.Apply(t.Context(), putOp(2)); !errors.Is(err, storage.ErrReadOnly) {
		t.Errorf("with another store in the place: %v, want ErrReadOnly", err)
	}
	if err := s.Compact(t.Context()); err == nil {
		t.Error("compacted with another store in the place")
	}
	closeStore(t, s)
	if !bytes.Equal(readFile(t, dbPath(dir)), whole) {
		t.Error("the new store was changed")
	}
	if got := ids(t, openDir(t, dir+"-moved")); len(got) != 1 {
		t.Errorf("%v is in the moved directory", got)
	}
}
