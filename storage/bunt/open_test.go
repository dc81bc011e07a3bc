package bunt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

func TestOpen_KeepsFilesToTheirOwner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ne[w", "da*ta")
	closeStore(t, openDir(t, dir))
	check := func() {
		t.Helper()
		for path, want := range map[string]fs.FileMode{dir: 0o700, filepath.Dir(dir): 0o700, dbPath(dir): 0o600, dbPath(dir) + ".lock": 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: mode %v, %v; want %v", path, info.Mode().Perm(), err, want)
			}
		}
	}
	check()
	for path, mode := range map[string]fs.FileMode{dir: 0o755, dbPath(dir): 0o644, dbPath(dir) + ".lock": 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	closeStore(t, openDir(t, dir))
	check()
}

func TestOpen_CopiesOfDamageAreTheirOwners(t *testing.T) {
	_, file := filled(t, 2)
	s := openDir(t, fileWith(t, append(file, "xyz\n"...)))
	info, err := os.Stat(s.Stats().Salvage.Original)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode().Perm(), err)
	}
}

func TestOpen_LeavesASharedDirectoryOpen(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777|fs.ModeSticky); err != nil {
		t.Fatal(err)
	}
	openDir(t, dir)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("mode %v, %v; want 0777", info.Mode().Perm(), err)
	}
}

func TestOpen_RefusesOptionsThatMakeNoSense(t *testing.T) {
	for name, o := range map[string]bunt.Options{
		"no directory":       {},
		"a file for one":     {Dir: dbPath(t.TempDir()) + "/x\x00"},
		"negative retention": {Dir: t.TempDir(), Retention: -1},
	} {
		if s, err := bunt.Open(t.Context(), o); err == nil {
			s.Close()
			t.Errorf("%s: opened", name)
		}
	}
}

func TestOpen_StopsWaitingWithTheContext(t *testing.T) {
	dir := t.TempDir()
	openDir(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := bunt.Open(ctx, bunt.Options{Dir: dir, Wait: time.Hour}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("open: error %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestOpen_RefusesASecondHolderAndSaysWho(t *testing.T) {
	dir := t.TempDir()
	openDir(t, dir)
	_, err := bunt.Open(t.Context(), bunt.Options{Dir: dir, Wait: time.Millisecond})
	want := fmt.Sprintf("held by another process: pid %d (", os.Getpid())
	if !errors.Is(err, storage.ErrLocked) || !strings.Contains(err.Error(), want) {
		t.Errorf("open: error %v, want %v with %q", err, storage.ErrLocked, want)
	}
	if strings.Contains(err.Error(), "-test.") {
		t.Errorf("error %q tells the flags", err)
	}
}

func TestOpen_ReadsALockFileOfAnyContent(t *testing.T) {
	dir := t.TempDir()
	openDir(t, dir)
	for _, content := range []string{"", "\x00{\"pid\":", "\x00null\n", strings.Repeat("x", 9000)} {
		writeFile(t, dbPath(dir)+".lock", []byte(content))
		_, err := bunt.Open(t.Context(), bunt.Options{Dir: dir, Wait: -1})
		if !errors.Is(err, storage.ErrLocked) || !strings.Contains(err.Error(), "another process") {
			t.Errorf("lock file %.20q: error %v, want %v", content, err, storage.ErrLocked)
		}
	}
}

func TestOpen_RefusesANewerVersionAndLeavesIt(t *testing.T) {
	body := `{"version":7,"whatever":true}` + "\n"
	sum := crc32.Checksum([]byte("meta\x00"+body), crc32.MakeTable(crc32.Castagnoli))
	value := fmt.Sprintf("m1 %08x\n%s", sum, body)
	content := fmt.Appendf(nil, "*3\r\n$3\r\nset\r\n$4\r\nmeta\r\n$%d\r\n%s\r\n*9\r\nunknown to us", len(value), value)
	dir := fileWith(t, content)
	_, err := bunt.Open(t.Context(), bunt.Options{Dir: dir})
	if err == nil || errors.Is(err, storage.ErrCorrupt) || !strings.Contains(err.Error(), "format version 7, this program reads up to 2") {
		t.Errorf("open: error %v, want one that names both versions and no damage", err)
	}
	if !bytes.Equal(readFile(t, dbPath(dir)), content) {
		t.Error("the file was changed")
	}
}

func TestOpen_LogsRepairsWithoutContent(t *testing.T) {
	_, file := filled(t, 3)
	file[bytes.Index(file, []byte("number 2"))] ^= 1
	var logged bytes.Buffer
	open(t, bunt.Options{Dir: fileWith(t, file), Clock: clockAt(epoch), Log: slog.New(slog.NewTextHandler(&logged, nil))})
	for _, want := range []string{"level=WARN", "operations_kept=2", "stretches_dropped=1", "original="} {
		if !strings.Contains(logged.String(), want) {
			t.Errorf("log %q does not say %s", &logged, want)
		}
	}
	if strings.Contains(logged.String(), "statement") {
		t.Errorf("log %q tells content", &logged)
	}
}
