package bunt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-memory/storage"
)

// alive opens a store in dir and applies n operations of about size bytes.
func alive(t *testing.T, dir string, n, size int) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Dir: dir, Sync: func(*os.File) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for range n {
		at := storageTime.Add(time.Duration(s.journal.next()) * time.Second)
		r := storage.Record{ID: at.String(), User: "ann", Text: strings.Repeat("x", size)}
		if err := s.Apply(t.Context(), storage.Op{User: "ann", At: at, Put: []storage.Record{r}}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestJournal_NothingIsDeadUntilItIs(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		s := alive(t, dir, 10, 1000)
		info, err := os.Stat(filepath.Join(dir, fileName))
		if err != nil {
			t.Fatal(err)
		}
		if j := s.journal; j.size != info.Size() || j.live != j.size {
			t.Errorf("size %d, live %d of a file of %d bytes", j.size, j.live, info.Size())
		}
		if s.isDue() {
			t.Error("a compaction is due")
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpen_CompactsAFileThatIsMostlyDead(t *testing.T) {
	dir := t.TempDir()
	s := alive(t, dir, 5, 300_000)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(filepath.Join(dir, fileName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for seq := range uint64(4) {
		if _, err := file.WriteString(delMarker + "$19\r\n" + opKey(seq+1) + "\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	s = alive(t, dir, 0, 0)
	if got := s.Stats(); got.FileBytes > 400_000 || got.Records != 1 || s.journal.live != s.journal.size {
		t.Errorf("stats %+v, %d bytes live; want one record and no more", got, s.journal.live)
	}
	if got := s.journal.next(); got != 6 {
		t.Errorf("next operation is number %d, want 6", got)
	}
}
