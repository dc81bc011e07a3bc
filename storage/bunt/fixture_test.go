package bunt_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	golden := filepath.Join(fixture, "dump.golden")
	if *update {
		writeFile(t, golden, []byte(got))
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("dump (-want +got):\n%s", diff)
	}
}
