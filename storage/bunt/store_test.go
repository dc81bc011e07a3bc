package bunt_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
	"mcp-memory/storage/storagetest"
)

func TestStore_PassesTheSuite(t *testing.T) {
	storagetest.Run(t, func(t testing.TB, set storagetest.Setting) storage.Store {
		return open(t, bunt.Options{Dir: set.Dir, Clock: set.Clock, Retention: set.Retention, Sync: unsynced})
	})
}

// unsynced saves the time of fsync where no test looks at durability.
func unsynced(*os.File) error { return nil }

var epoch = storagetest.Start

// at returns the time of operation number n.
func at(n int) time.Time { return epoch.Add(time.Duration(n) * time.Second) }

// clockAt returns a clock that stands.
func clockAt(now time.Time) func() time.Time { return func() time.Time { return now } }

func open(t testing.TB, o bunt.Options) *bunt.Store {
	t.Helper()
	s, err := bunt.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// openDir opens a store whose clock stands at epoch and that does not sync.
func openDir(t testing.TB, dir string) *bunt.Store {
	t.Helper()
	return open(t, bunt.Options{Dir: dir, Clock: clockAt(epoch), Sync: unsynced})
}

// putOp is operation number n: one record, whose id and text tell n.
func putOp(n int) storage.Op {
	return storage.Op{User: "ann", At: at(n), Put: []storage.Record{{
		ID: fmt.Sprintf("R%04d", n), User: "ann", Layer: storage.Fact, Tier: storage.Semantic,
		Text: fmt.Sprintf("statement number %d of many", n), Importance: 3, Confidence: 0.5,
		ObservedAt: at(n), RecordedAt: at(n), Trust: storage.UserStated,
	}}}
}

func apply(t testing.TB, s *bunt.Store, ops ...storage.Op) {
	t.Helper()
	for _, op := range ops {
		if err := s.Apply(t.Context(), op); err != nil {
			t.Fatalf("apply: %v", err)
		}
	}
}

func closeStore(t testing.TB, s *bunt.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

// filled returns a directory with a closed store of operations 1 to n, and the
// bytes of its file.
func filled(t testing.TB, n int) (dir string, file []byte) {
	t.Helper()
	dir = t.TempDir()
	s := openDir(t, dir)
	for i := range n {
		apply(t, s, putOp(i+1))
	}
	closeStore(t, s)
	return dir, readFile(t, dbPath(dir))
}

func dbPath(dir string) string { return filepath.Join(dir, "memory.db") }

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	bytes, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func writeFile(t testing.TB, path string, bytes []byte) {
	t.Helper()
	if err := os.WriteFile(path, bytes, 0o600); err != nil {
		t.Fatal(err)
	}
}

// entries returns all entries of s.
func entries(t testing.TB, s *bunt.Store) []storage.Entry {
	t.Helper()
	var all []storage.Entry
	err := s.Scan(t.Context(), func(e storage.Entry) error {
		all = append(all, e)
		return nil
	})
	if err != nil {
		t.Fatalf("scan: %v", err)
	}
	return all
}

func remove(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// ids returns the ids of all records of s, in order.
func ids(t testing.TB, s *bunt.Store) []string {
	t.Helper()
	all := []string{}
	for _, e := range entries(t, s) {
		all = append(all, e.ID)
	}
	return all
}

// dump returns all that s tells about itself, as text.
func dump(t testing.TB, s *bunt.Store) string {
	t.Helper()
	text, err := json.MarshalIndent(struct {
		Entries []storage.Entry
		Last    time.Time
		Hash    string
	}{entries(t, s), s.Last(), s.Hash("text", "tea")}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}
