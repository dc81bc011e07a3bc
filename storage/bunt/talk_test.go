package bunt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-memory/storage"
)

// What was read and left working memory is in no file after a compaction, nor
// are replaced and expired jobs; what is left is as it was.
func TestCompact_DropsTurnsAndJobsThatAreGone(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s, err := Open(t.Context(), Options{Dir: dir, Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	at := now
	apply := func(op storage.Op) {
		t.Helper()
		at = at.Add(time.Second)
		op.User, op.At = "ann", at
		if err := s.Apply(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	apply(storage.Op{Hear: []storage.Turn{{Session: "s", Seq: 1, Text: "first-turn"}, {Session: "s", Seq: 2, Text: "second-turn"}}})
	apply(storage.Op{Hear: []storage.Turn{{Session: "s", Seq: 3, Text: "third-turn"}}, Jobs: []storage.Job{{ID: "J", Open: true, Body: []byte("open")}}})
	apply(storage.Op{Read: []storage.Reading{{Session: "s", Unread: 2, Keep: 2}}, Seen: []string{"hash-1"}})
	apply(storage.Op{Read: []storage.Reading{{Session: "s", Unread: 4, Keep: 3}}, Jobs: []storage.Job{{ID: "J", Body: []byte("done")}}})
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	file := readStore(t, dir)
	for word, want := range map[string]bool{"first-turn": false, "second-turn": false, "third-turn": true, `"open":true`: false, "hash-1": true} {
		if got := strings.Contains(file, word); got != want {
			t.Errorf("%q in the file: %v, want %v", word, got, want)
		}
	}
	check := func() {
		t.Helper()
		n := 0
		err := s.Sessions(t.Context(), func(got storage.Session) error {
			n++
			if len(got.Turns) != 1 || got.Turns[0].Text != "third-turn" || got.Next != 4 || got.Unread != 4 || got.Keep != 3 {
				t.Errorf("session %+v", got)
			}
			return nil
		})
		if err != nil || n != 1 {
			t.Errorf("%d sessions, %v", n, err)
		}
	}
	check()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(t.Context(), Options{Dir: dir, Clock: func() time.Time { return now }}); err != nil {
		t.Fatal(err)
	}
	check()
	now = at.Add(defaultRetention + time.Hour)
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(readStore(t, dir), `"jobs"`) {
		t.Error("an expired job is still in the file")
	}
}

func readStore(t *testing.T, dir string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
