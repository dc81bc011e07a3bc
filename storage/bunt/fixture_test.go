package bunt_test

import (
	"encoding/json"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
