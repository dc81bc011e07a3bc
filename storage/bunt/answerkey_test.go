package bunt_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// TestAnswer_KeepsNoWordsOfItsKey: a key is known again, also after a restart, and
// stands in no file.
func TestAnswer_KeepsNoWordsOfItsKey(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	call := storage.Answer{Key: "call:7", Body: []byte("brief"), Brief: true}
	apply(t, s, storage.Op{User: "ann", At: at(1), Answer: &storage.Answer{Key: "lives-in-lyon", Body: []byte("first")}},
		storage.Op{User: "ann", At: at(2), Answer: &call},
		storage.Op{User: "ann", At: at(3), Answers: []storage.Answer{{Key: "住在里昂", Body: []byte("third")}}})
	var kept []string
	err := s.Answers(t.Context(), "ann", func(a storage.Answer) error { kept = append(kept, a.Key); return nil })
	if err != nil || len(kept) != 3 {
		t.Fatalf("answers: %v, %v", kept, err)
	}
	for range 2 {
		for key, want := range map[string]string{"lives-in-lyon": "first", "call:7": "brief", "住在里昂": "third"} {
			if a, err := s.Answer(t.Context(), "ann", key); err != nil || string(a.Body) != want || a.Key != key {
				t.Errorf("%s: %+v, %v; want %s", key, a, err, want)
			}
		}
		for _, key := range kept { // as it is kept it names the same
			if _, err := s.Answer(t.Context(), "ann", key); err != nil {
				t.Errorf("%s: %v", key, err)
			}
		}
		if _, err := s.Answer(t.Context(), "bob", "lives-in-lyon"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("another user's key: %v", err)
		}
		if file := readFile(t, dbPath(dir)); bytes.Contains(file, []byte("lyon")) || bytes.Contains(file, []byte("里昂")) {
			t.Error("a key's words are in the file")
		}
		closeStore(t, s)
		s = openDir(t, dir)
	}
}

// clearKeys are what the fixture of version 2 holds of keys in words.
var clearKeys = []string{"user-prefers-jasmine", "lives-in-lyon", "door-code-quarkbeam", "after-the-erase"}

// TestAnswer_AKeyInWordsLeavesWithTheNextRewrite: an older program kept keys as they
// were given. They are known all the same, and lose their words.
func TestAnswer_AKeyInWordsLeavesWithTheNextRewrite(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dbPath(dir), readFile(t, filepath.Join("testdata", "v2", "memory.db")))
	for _, key := range clearKeys {
		if !bytes.Contains(readFile(t, dbPath(dir)), []byte(key)) {
			t.Fatalf("%s is not in the fixture", key)
		}
	}
	s := open(t, bunt.Options{Dir: dir, Clock: clockAt(v2Moment), Sync: unsynced})
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, key := range clearKeys {
			if bytes.Contains(readFile(t, dbPath(dir)), []byte(key)) {
				t.Errorf("%s is in the file", key)
			}
			if a, err := s.Answer(t.Context(), "default", key); err != nil || len(a.Body) == 0 {
				t.Errorf("%s: %+v, %v", key, a, err)
			}
		}
		closeStore(t, s)
		s = open(t, bunt.Options{Dir: dir, Clock: clockAt(v2Moment), Sync: unsynced})
	}
}
