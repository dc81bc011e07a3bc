package bunt_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestFixture_Version1StaysReadable opens a file that version 1 wrote and that
// is never written again: only its dump may be, where Entry gets new fields.
func TestFixture_Version1StaysReadable(t *testing.T) {
	fixture := filepath.Join("testdata", "v1")
	dir := t.TempDir()
	file := readFile(t, filepath.Join(fixture, "memory.db"))
	writeFile(t, dbPath(dir), file)
	s := open(t, bunt.Options{Dir: dir, Clock: clockAt(at(100).Add(retention))})
	if s.Stats().Salvage != nil {
		t.Errorf("salvage %+v of a sound file", s.Stats().Salvage)
	}
	got := dump(t, s)
	if answer, err := s.Answer(t.Context(), "ann", "call-2"); err != nil || string(answer.Body) != `{"id":"R3"}` {
		t.Errorf("answer %q, %v", answer.Body, err)
	}
	for user, want := range map[string]string{"ann": "R2 S", "bob": "R4"} {
		if ids, err := s.Receipt(t.Context(), user, "F-"+user); err != nil || strings.Join(ids, " ") != want {
			t.Errorf("receipt of %s: %v, %v; want %s", user, ids, err, want)
		}
	}
	closeStore(t, s)
	if string(readFile(t, dbPath(dir))) != string(file) {
		t.Error("opening a sound file changed it")
	}
	matchGolden(t, filepath.Join(fixture, "dump.golden"), got)
}

// TestFixture_Version1WithTalkStaysReadable opens what version 1 wrote of sessions,
// jobs and what was seen, and restores a backup of it. The files are never written
// again.
func TestFixture_Version1WithTalkStaysReadable(t *testing.T) {
	fixture := filepath.Join("testdata", "v1-talk")
	backup := filepath.Join(fixture, "backup.mcpmem")
	if found, err := bunt.Verify(t.Context(), backup); err != nil || found.Version != 1 || found.Operations != 8 || found.Sessions != 3 {
		t.Errorf("backup: %+v, %v; want 8 operations of version 1 and 3 sessions", found, err)
	}
	opened, restored := t.TempDir(), t.TempDir()
	writeFile(t, dbPath(opened), readFile(t, filepath.Join(fixture, "memory.db")))
	if _, err := bunt.Restore(t.Context(), options(restored), backup, false); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{opened, restored} {
		s := openDir(t, dir)
		if s.Stats().Salvage != nil {
			t.Errorf("salvage %+v of a sound file", s.Stats().Salvage)
		}
		matchGolden(t, filepath.Join(fixture, "dump.golden"), dump(t, s)+dumpTalk(t, s))
	}
}

// v2Moment is when the fixture of version 2 was written.
var v2Moment = time.Date(2026, 11, 30, 11, 10, 0, 0, time.UTC)

// TestFixture_Version2StaysReadable opens what a server of version 2 wrote: every
// kind of operation, an erase that is done and reinforcements that were merged among
// them. The files are never written again.
func TestFixture_Version2StaysReadable(t *testing.T) {
	fixture := filepath.Join("testdata", "v2")
	backup := filepath.Join(fixture, "backup.mcpmem")
	if found, err := bunt.Verify(t.Context(), backup); err != nil || found.Version != 2 || found.Records != 13 || found.Users != 2 {
		t.Errorf("backup: %+v, %v; want 13 records of 2 users of version 2", found, err)
	}
	opened, restored := t.TempDir(), t.TempDir()
	file := readFile(t, filepath.Join(fixture, "memory.db"))
	writeFile(t, dbPath(opened), file)
	if _, err := bunt.Restore(t.Context(), options(restored), backup, false); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{opened, restored} {
		s := open(t, bunt.Options{Dir: dir, Clock: clockAt(v2Moment)})
		if s.Stats().Salvage != nil {
			t.Errorf("salvage %+v of a sound file", s.Stats().Salvage)
		}
		matchGolden(t, filepath.Join(fixture, "dump.golden"), dump(t, s)+dumpTalk(t, s)+dumpForgets(t, s))
		for _, key := range []string{"user-prefers-jasmine", "lives-in-lyon", "door-code-quarkbeam", "after-the-erase"} {
			if a, err := s.Answer(t.Context(), "default", key); err != nil || !strings.HasPrefix(a.Hash, "k1:") || len(a.Body) == 0 {
				t.Errorf("answer to %s: %+v, %v", key, a, err)
			}
		}
		closeStore(t, s)
	}
	if string(readFile(t, dbPath(opened))) != string(file) {
		t.Error("opening a sound file changed it")
	}
}

// TestFixture_NewerVersionIsRefusedByName: a later program's file is left alone.
func TestFixture_NewerVersionIsRefusedByName(t *testing.T) {
	for _, newer := range []int{3, 9} {
		dir := t.TempDir()
		file := readFile(t, filepath.Join("testdata", "v2", "memory.db"))
		line := fmt.Sprintf(`{"version":%d,"made_of":"what nobody knows yet"}`, newer) + "\n"
		value := fmt.Sprintf("m1 %08x\n%s", crc32.Checksum([]byte("meta\x00"+line), crc32.MakeTable(crc32.Castagnoli)), line)
		begin := fmt.Sprintf("*3\r\n$3\r\nset\r\n$4\r\nmeta\r\n$%d\r\n%s\r\n", len(value), value)
		file = append([]byte(begin), file[bytes.Index(file[1:], []byte("*3\r\n"))+1:]...)
		writeFile(t, dbPath(dir), file)
		_, err := bunt.Open(t.Context(), options(dir))
		if want := fmt.Sprintf("format version %d, this program reads up to 2: use a newer mcp-memory", newer); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("open version %d: %v; want %s", newer, err, want)
		}
		if !bytes.Equal(readFile(t, dbPath(dir)), file) {
			t.Errorf("version %d: the file was changed", newer)
		}
	}
}

// dumpForgets returns what s tells about receipts and answers, as text.
func dumpForgets(t testing.TB, s *bunt.Store) string {
	t.Helper()
	var told []any
	err := s.Receipts(t.Context(), func(user string, r storage.Receipt) error {
		told = append(told, user, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(told, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// dumpTalk returns what s tells about conversations, as text.
func dumpTalk(t testing.TB, s *bunt.Store) string {
	t.Helper()
	var told []any
	var sessions []storage.Session
	err := s.Sessions(t.Context(), func(session storage.Session) error {
		sessions = append(sessions, session)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(sessions, func(a, b storage.Session) int { return strings.Compare(a.User+a.ID, b.User+b.ID) })
	err = s.Jobs(t.Context(), func(user string, job storage.Job) error {
		told = append(told, user, job)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, hash := range []string{"hash-1", "hash-2", "hash-3"} {
		told = append(told, s.Seen("ann", hash))
	}
	text, err := json.MarshalIndent([]any{sessions, told}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// matchGolden compares got with a golden file, which -update rewrites.
func matchGolden(t testing.TB, golden, got string) {
	t.Helper()
	if *update {
		writeFile(t, golden, []byte(got))
	}
	if diff := cmp.Diff(string(readFile(t, golden)), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}
