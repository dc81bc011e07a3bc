package bunt_test

import (
	"bytes"
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
	dir, d := t.TempDir(), &disk{suffix: ".next"}
	s := openOn(t, dir, d)
	apply(t, s, putOp(1))
	d.err = syscall.EIO
	if err := s.Compact(t.Context()); !errors.Is(err, storage.ErrUnavailable) {
		t.Fatalf("compact: error %v, want %v", err, storage.ErrUnavailable)
	}
	if left, err := filepath.Glob(dbPath(dir) + ".next"); err != nil || len(left) != 0 {
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
		if block && strings.HasSuffix(file.Name(), ".next") {
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

// A salvage, a tail's cut and a new store that cannot take the file's place leave it
// as it was.
func TestOpen_ThatCannotRenameLeavesTheFile(t *testing.T) {
	_, file := filled(t, 3)
	flipped := slices.Clone(file)
	flipped[bytes.Index(flipped, []byte("number 2"))] ^= 1
	for name, content := range map[string][]byte{"new": nil, "damaged": flipped} {
		dir := t.TempDir()
		if content != nil {
			writeFile(t, dbPath(dir), content)
		}
		_, err := bunt.Open(t.Context(), bunt.Options{Dir: dir, Sync: func(file *os.File) error {
			if strings.HasSuffix(file.Name(), ".tmp") {
				return os.Remove(file.Name()) // what is not there cannot be renamed
			}
			return nil
		}})
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: open: error %v, want %v", name, err, os.ErrNotExist)
		}
		left, err := os.ReadFile(dbPath(dir))
		if string(left) != string(content) || content == nil && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the file was changed: %v", name, err)
		}
		goesOn(t, dir, map[string][]string{"new": nil, "damaged": names(3, 2)}[name])
	}
}

func TestBackup_ThatCannotRenameLeavesNothing(t *testing.T) {
	dir, _ := filled(t, 2)
	path := filepath.Join(t.TempDir(), "x")
	o := options(dir)
	o.Sync = func(file *os.File) error {
		if file.Name() == path+".tmp" {
			return os.MkdirAll(filepath.Join(path, "in the way"), 0o700)
		}
		return nil
	}
	if _, _, err := bunt.Backup(t.Context(), o, path); err == nil {
		t.Fatal("a backup over a folder was made")
	}
	if left, err := filepath.Glob(path + ".tmp"); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if got := listed(t, dir); !strings.HasSuffix(got, `"state":"dropped"}`) {
		t.Errorf("listed:\n%s\nwant dropped at last", got)
	}
}
