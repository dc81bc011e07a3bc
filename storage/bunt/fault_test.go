package bunt_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// disk fails the sync of files whose name ends in suffix with err.
type disk struct {
	suffix string
	err    error
}

func (d *disk) sync(file *os.File) error {
	if d.err != nil && strings.HasSuffix(file.Name(), d.suffix) {
		return d.err
	}
	return nil
}

func openOn(t *testing.T, dir string, d *disk) *bunt.Store {
	t.Helper()
	return open(t, bunt.Options{Dir: dir, Clock: clockAt(epoch), Sync: d.sync})
}

func expect(t *testing.T, s *bunt.Store, want ...string) {
	t.Helper()
	if got := ids(t, s); !slices.Equal(got, want) {
		t.Fatalf("records %v, want %v", got, want)
	}
}

func TestApply_FailedSyncMakesTheStoreReadOnlyUntilReopened(t *testing.T) {
	dir, d := t.TempDir(), &disk{}
	s := openOn(t, dir, d)
	apply(t, s, putOp(1))
	d.err = syscall.EIO
	if err := s.Apply(t.Context(), putOp(2)); !errors.Is(err, storage.ErrReadOnly) || !errors.Is(err, syscall.EIO) {
		t.Fatalf("apply: error %v, want %v and %v", err, storage.ErrReadOnly, syscall.EIO)
	}
	d.err = nil
	err := s.Apply(t.Context(), putOp(3))
	if !errors.Is(err, storage.ErrReadOnly) || !strings.Contains(err.Error(), "restart") {
		t.Fatalf("apply once the disk answers again: error %v, want %v with a hint", err, storage.ErrReadOnly)
	}
	expect(t, s, "R0001")
	if !s.Last().Equal(at(1)) {
		t.Errorf("last %v, want %v", s.Last(), at(1))
	}
	closeStore(t, s)

	s = openOn(t, dir, d)
	expect(t, s, "R0001")
	if s.Stats().Salvage != nil {
		t.Errorf("salvage %+v of a store that closed", s.Stats().Salvage)
	}
	apply(t, s, putOp(4))
	expect(t, s, "R0001", "R0004")
}

func TestApply_FullDiskRecoversWithoutReopening(t *testing.T) {
	dir, d := t.TempDir(), &disk{}
	s := openOn(t, dir, d)
	apply(t, s, putOp(1), putOp(2))
	d.err = syscall.ENOSPC
	for n := range 3 {
		err := s.Apply(t.Context(), putOp(3+n))
		if !errors.Is(err, storage.ErrReadOnly) || !errors.Is(err, storage.ErrUnavailable) {
			t.Fatalf("apply on a full disk: error %v, want %v and %v", err, storage.ErrReadOnly, storage.ErrUnavailable)
		}
		expect(t, s, "R0001", "R0002")
	}
	d.err = nil
	apply(t, s, putOp(6))
	expect(t, s, "R0001", "R0002", "R0006")
	apply(t, s, putOp(7))
	closeStore(t, s)
	s = openOn(t, dir, d)
	expect(t, s, "R0001", "R0002", "R0006", "R0007")
}

func TestApply_FullDiskLeavesNothingForARestart(t *testing.T) {
	dir, d := t.TempDir(), &disk{}
	s := openOn(t, dir, d)
	apply(t, s, putOp(1))
	d.err = syscall.ENOSPC
	if err := s.Apply(t.Context(), putOp(2)); err == nil {
		t.Fatal("apply on a full disk was acknowledged")
	}
	closeStore(t, s)
	d.err = nil
	expect(t, openOn(t, dir, d), "R0001")
}

func TestCompact_FailureLeavesTheStoreAsItWas(t *testing.T) {
	dir, d := t.TempDir(), &disk{suffix: ".tmp"}
	s := openOn(t, dir, d)
	apply(t, s, putOp(1))
	d.err = syscall.EIO
	if err := s.Compact(t.Context()); !errors.Is(err, storage.ErrUnavailable) {
		t.Fatalf("compact: error %v, want %v", err, storage.ErrUnavailable)
	}
	if left, err := filepath.Glob(dbPath(dir) + ".tmp"); err != nil || len(left) != 0 {
		t.Errorf("files left: %v, %v", left, err)
	}
	apply(t, s, putOp(2))
	expect(t, s, "R0001", "R0002")
}

func TestCompact_UnsureRenameMakesTheStoreReadOnly(t *testing.T) {
	dir, d := t.TempDir(), &disk{}
	s := openOn(t, dir, d)
	apply(t, s, putOp(1))
	d.suffix, d.err = filepath.Base(dir), syscall.EIO
	if err := s.Compact(t.Context()); !errors.Is(err, storage.ErrReadOnly) {
		t.Fatalf("compact: error %v, want %v", err, storage.ErrReadOnly)
	}
	d.err = nil
	if err := s.Apply(t.Context(), putOp(2)); !errors.Is(err, storage.ErrReadOnly) {
		t.Fatalf("apply: error %v, want %v", err, storage.ErrReadOnly)
	}
	expect(t, s, "R0001")
	closeStore(t, s)
	s = openOn(t, dir, d)
	apply(t, s, putOp(3))
	expect(t, s, "R0001", "R0003")
}

func TestCompact_ThatCannotRenameGoesOnWithTheOldFile(t *testing.T) {
	dir, d := t.TempDir(), &disk{}
	block := false
	sync := func(file *os.File) error {
		if block && strings.HasSuffix(file.Name(), ".tmp") {
			return os.Remove(file.Name()) // what is not there cannot be renamed
		}
		return d.sync(file)
	}
	s := open(t, bunt.Options{Dir: dir, Clock: clockAt(epoch), Sync: sync})
	apply(t, s, putOp(1))
	block = true
	if err := s.Compact(t.Context()); !errors.Is(err, storage.ErrUnavailable) || errors.Is(err, storage.ErrReadOnly) {
		t.Fatalf("compact: error %v, want only %v", err, storage.ErrUnavailable)
	}
	apply(t, s, putOp(2))
	expect(t, s, "R0001", "R0002")
	closeStore(t, s)
	expect(t, openDir(t, dir), "R0001", "R0002")
}

func TestOpen_FailsWhereNothingCanBeSynced(t *testing.T) {
	d := &disk{err: syscall.EIO}
	_, err := bunt.Open(t.Context(), bunt.Options{Dir: t.TempDir(), Sync: d.sync})
	if !errors.Is(err, syscall.EIO) {
		t.Errorf("open: error %v, want %v", err, syscall.EIO)
	}
}
