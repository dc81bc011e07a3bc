package bunt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// options are those of openDir.
func options(dir string) bunt.Options {
	return bunt.Options{Dir: dir, Wait: -1, Clock: clockAt(epoch), Sync: unsynced}
}

// backUp backs dir up to a file of its own and returns that.
func backUp(t testing.TB, dir string) string {
	t.Helper()
	path, _, err := bunt.Backup(t.Context(), options(dir), filepath.Join(t.TempDir(), "saved.mcpmem"))
	if err != nil {
		t.Fatalf("backup: %v", err)
	}
	return path
}

// restoredIDs restores a backup into a new directory and returns its records.
func restoredIDs(t testing.TB, path string) []string {
	t.Helper()
	dir := t.TempDir()
	if _, err := bunt.Restore(t.Context(), options(dir), path, false); err != nil {
		t.Fatalf("restore: %v", err)
	}
	s := openDir(t, dir)
	defer closeStore(t, s)
	if s.Stats().Salvage != nil {
		t.Errorf("salvage %+v of a restored store", s.Stats().Salvage)
	}
	return ids(t, s)
}

// listed returns the lines of the list of backups without their times.
func listed(t testing.TB, dir string) string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(string(readFile(t, filepath.Join(dir, "backups.jsonl")))) {
		_, rest, _ := strings.Cut(line, `,"path":`)
		lines = append(lines, strings.ReplaceAll(strings.TrimSpace(rest), dir, "DIR"))
	}
	return strings.Join(lines, "\n")
}

func TestBackup_HoldsAllBesideAnOpenStore(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	withSecret(t, s)
	before := dump(t, s)
	path, found, err := bunt.Backup(t.Context(), options(dir), "")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "backups", "memory-20260301T120000Z.mcpmem"); path != want {
		t.Errorf("written to %s, want %s", path, want)
	}
	apply(t, s, putOp(100)) // it goes on
	want := bunt.Contents{Version: found.Version, Created: epoch, Last: at(5), Bytes: int64(len(readFile(t, path))), Operations: 4,
		Records: 2, Forgotten: 1, Users: 1, Sealed: true}
	verified, err := bunt.Verify(t.Context(), path)
	if err != nil || found != want || verified != want {
		t.Errorf("backup %+v, verified %+v, %v; want %+v", found, verified, err, want)
	}
	fresh := t.TempDir()
	if _, err := bunt.Restore(t.Context(), options(fresh), path, false); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, openDir(t, fresh)); got != before { // the key of hashes, too
		t.Errorf("restored:\n%s\nwant:\n%s", got, before)
	}
}

func TestBackup_IsItsOwnersAndListed(t *testing.T) {
	dir, _ := filled(t, 1)
	own, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := bunt.Backup(t.Context(), options(own), ""); err != nil {
			t.Fatal(err)
		}
	}
	const first, second = `"DIR/backups/memory-20260301T120000Z.mcpmem","state":`, `"DIR/backups/memory-20260301T120000Z-2.mcpmem","state":`
	want := first + "\"begun\"}\n" + first + "\"made\"}\n" + second + "\"begun\"}\n" + second + `"made"}`
	if got := listed(t, own); got != want {
		t.Errorf("listed:\n%s\nwant:\n%s", got, want)
	}
	for name, mode := range map[string]fs.FileMode{"backups": 0o700, "backups.jsonl": 0o600, "backups/memory-20260301T120000Z.mcpmem": 0o600} {
		info, err := os.Stat(filepath.Join(own, name))
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("%s has mode %v, want %v", name, info.Mode().Perm(), mode)
		}
	}
}

func TestBackup_RefusesWhatItWouldHarm(t *testing.T) {
	dir, _ := filled(t, 1)
	other := t.TempDir()
	writeFile(t, filepath.Join(other, "taken"), []byte("x"))
	writeFile(t, filepath.Join(other, "busy.tmp"), nil)
	for path, want := range map[string]string{
		filepath.Join(other, "taken"):        "file already exists; name another file",
		filepath.Join(other, "busy"):         "another backup of that name is being written",
		filepath.Join(other, "none", "file"): "no such file",
		filepath.Join(dir, "memory.db.tmp"):  "the folder of the store's own files",
		dir:                                  "the folder of the store's own files",
	} {
		if _, _, err := bunt.Backup(t.Context(), options(dir), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", path, err, want)
		}
	}
	if _, _, err := bunt.Backup(t.Context(), options(t.TempDir()), ""); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("of no store: error %v, want %v", err, storage.ErrNotFound)
	}
	if string(readFile(t, filepath.Join(other, "taken"))) != "x" {
		t.Error("a file was overwritten")
	}
}

func TestBackup_LeavesNothingWhereItFails(t *testing.T) {
	dir, _ := filled(t, 2)
	folder := t.TempDir()
	d := &disk{suffix: ".tmp", err: syscall.ENOSPC}
	o := options(dir)
	o.Sync = d.sync
	if _, _, err := bunt.Backup(t.Context(), o, filepath.Join(folder, "x")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("backup: error %v, want %v", err, syscall.ENOSPC)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if got := listed(t, dir); !strings.HasSuffix(got, `"state":"dropped"}`) {
		t.Errorf("listed:\n%s\nwant dropped at last", got)
	}
}

func TestBackup_RefusesADamagedStoreAndLeavesOutATornOperation(t *testing.T) {
	_, file := filled(t, 3)
	torn := fileWith(t, file[:len(file)-9])
	if got := restoredIDs(t, backUp(t, torn)); !slices.Equal(got, names(2)) {
		t.Errorf("records %v, want two", got)
	}
	flipped := slices.Clone(file)
	flipped[bytes.Index(flipped, []byte("number 2"))] ^= 1
	_, _, err := bunt.Backup(t.Context(), options(fileWith(t, flipped)), "")
	if !errors.Is(err, storage.ErrCorrupt) || !strings.Contains(err.Error(), "mcp-memory doctor") {
		t.Errorf("backup of a damaged store: error %v, want %v naming doctor", err, storage.ErrCorrupt)
	}
}

// A server cuts a refused operation off, or rewrites the file, while the backup is
// being written.
func TestBackup_BeginsAgainWhenTheStoreChanges(t *testing.T) {
	_, file := filled(t, 3)
	for name, c := range map[string]struct {
		change func(path string) error
		want   []string
	}{
		"cut back": {func(path string) error { return os.Truncate(path, int64(lastCommand(file))) }, names(2)},
		"cut back, and another one written": {func(path string) error {
			other := bytes.Replace(file, []byte("number 3"), []byte("number 4"), 1)
			return errors.Join(os.Truncate(path, 0), os.WriteFile(path, resealed(t, other), 0o600))
		}, names(3)},
		"rewritten": {func(path string) error {
			return errors.Join(os.WriteFile(path+".new", file[:lastCommand(file)], 0o600), os.Rename(path+".new", path))
		}, names(2)},
	} {
		t.Run(name, func(t *testing.T) {
			dir, changed := fileWith(t, file), 0
			o := options(dir)
			o.Sync = func(f *os.File) error {
				if changed == 0 && strings.HasSuffix(f.Name(), ".tmp") {
					changed++
					return c.change(dbPath(dir))
				}
				return nil
			}
			path, _, err := bunt.Backup(t.Context(), o, "")
			if err != nil || changed != 1 {
				t.Fatalf("backup: %v; changed %d times", err, changed)
			}
			if got := restoredIDs(t, path); !slices.Equal(got, c.want) {
				t.Errorf("records %v, want %v", got, c.want)
			}
		})
	}
}

// resealed puts the right checksum before the last operation of a file.
func resealed(t testing.TB, file []byte) []byte {
	t.Helper()
	begin := lastCommand(file)
	command := file[begin:]
	keyAt := bytes.Index(command, []byte("op:"))
	frameAt := bytes.Index(command, []byte("m1 "))
	key, body := command[keyAt:keyAt+19], command[frameAt+12:len(command)-2]
	copy(command[frameAt+3:], fmt.Appendf(nil, "%08x", checksumOf(string(key), body)))
	return file
}

func TestBackup_IsWholeBesideWritersAndCompactions(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	ctx, stop := context.WithCancel(t.Context())
	var writer sync.WaitGroup
	var mu sync.Mutex
	acknowledged := 0
	writer.Go(func() {
		for n := 1; ctx.Err() == nil && n <= 800; n++ {
			if err := s.Apply(context.Background(), putOp(n)); err != nil {
				t.Errorf("apply: %v", err)
				return
			}
			mu.Lock()
			acknowledged = n
			mu.Unlock()
		}
	})
	for n := range 5 {
		if n%2 == 0 { // real ones are days apart
			writer.Go(func() {
				if err := s.Compact(context.Background()); err != nil {
					t.Errorf("compact: %v", err)
				}
			})
		}
		mu.Lock()
		least := acknowledged
		mu.Unlock()
		path := backUp(t, dir)
		got := restoredIDs(t, path)
		if len(got) < least || !slices.Equal(got, names(len(got))) {
			t.Fatalf("%d records, of which %d were acknowledged before; want the first ones without a gap", len(got), least)
		}
	}
	stop()
	writer.Wait()
}

func TestVerify_NoticesEveryChange(t *testing.T) {
	dir, _ := filled(t, 2)
	path := backUp(t, dir)
	whole := readFile(t, path)
	refused := func(name string, content []byte) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "b")
		writeFile(t, file, content)
		if _, err := bunt.Verify(t.Context(), file); err == nil {
			t.Errorf("%s: verified", name)
		}
	}
	for i := 0; i < len(whole); i += 2 {
		changed := slices.Clone(whole)
		changed[i] ^= 1 << (i % 8)
		refused(fmt.Sprintf("bit flipped at byte %d", i), changed)
	}
	for cut := 0; cut < len(whole); cut += 5 {
		refused(fmt.Sprintf("cut at %d", cut), whole[:cut])
	}
	second, end := commandOf(whole, 2)
	refused("an operation left out", slices.Delete(slices.Clone(whole), second, end-len("*3\r\n")+len("*3\r\n")))
	refused("something after the end", append(slices.Clone(whole), "x"...))
	refused("the store's own file", readFile(t, dbPath(dir)))
}

func TestVerify_RefusesANewerVersionNamingBoth(t *testing.T) {
	file := filepath.Join(t.TempDir(), "b")
	writeFile(t, file, newerStore(9))
	_, err := bunt.Verify(t.Context(), file)
	if !bunt.IsNewer(err) || errors.Is(err, storage.ErrCorrupt) || !strings.Contains(err.Error(), "format version 9, this program reads up to") {
		t.Errorf("verify: error %v, want one that names both versions", err)
	}
}

// FuzzVerify makes sure that no file makes Verify panic, and that what it lets
// pass is read the same by a restore.
func FuzzVerify(f *testing.F) {
	dir, file := filled(f, 2)
	whole := readFile(f, backUp(f, dir))
	f.Add(whole)
	f.Add(file)
	f.Add(whole[:len(whole)-20])
	f.Add([]byte("*3\r\n$3\r\nset\r\n$3\r\nend\r\n$1\r\nx\r\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "b")
		writeFile(t, path, content)
		found, err := bunt.Verify(t.Context(), path)
		if err != nil {
			return
		}
		r, err := bunt.Restore(t.Context(), options(t.TempDir()), path, false)
		if err != nil || r.Records != found.Records || r.Operations != found.Operations {
			t.Errorf("verified %+v, restored %+v, %v", found, r, err)
		}
	})
}
