package bunt_test

import (
	"bytes"
	"strings"
	"testing"

	"mcp-memory/storage"
)

// TestReceipts_ShowWhatWasAnnouncedUntilItCame: of a forget of several operations; after
// that the announcement leaves the file.
func TestReceipts_ShowWhatWasAnnouncedUntilItCame(t *testing.T) {
	dir, _ := filled(t, 3)
	s := openDir(t, dir)
	part := func(n int, edit func(*storage.Forget)) {
		t.Helper()
		f := storage.Forget{Receipt: "F", More: n > 4}
		edit(&f)
		apply(t, s, storage.Op{User: "ann", At: at(n), Forget: &f})
	}
	check := func(announced string, ids string) {
		t.Helper()
		for range 2 {
			var got []storage.Receipt
			err := s.Receipts(t.Context(), func(_ string, r storage.Receipt) error { got = append(got, r); return nil })
			if err != nil || len(got) != 1 || strings.Join(got[0].IDs, " ") != ids || (got[0].Ahead != nil) != (announced != "") {
				t.Fatalf("%+v, %v; want %q announced and %q taken", got, err, announced, ids)
			}
			if a := got[0].Ahead; a != nil && (strings.Join(a.IDs, " ") != announced || a.Of != 3 || a.SourceHash != "ab") {
				t.Errorf("announced %+v, want %s", a, announced)
			}
			closeStore(t, s)
			if _, told := findings(t, dir); strings.Contains(strings.Join(told, "\n"), "1 forget was begun and not finished") != (announced != "") {
				t.Errorf("doctor: %v", told)
			}
			if s = openDir(t, dir); s.Compact(t.Context()) != nil {
				t.Fatal("compact")
			}
		}
	}
	part(4, func(f *storage.Forget) {
		f.Ahead = &storage.Ahead{IDs: []string{"R0001", "R0002"}, Of: 3, SourceHash: "ab"}
	})
	check("R0001 R0002", "")
	part(5, func(f *storage.Forget) { f.Ahead = &storage.Ahead{IDs: []string{"R0003"}, Of: 3, SourceHash: "ab"} })
	part(6, func(f *storage.Forget) { f.Records = []storage.Tombstone{{ID: "R0001"}} })
	check("R0001 R0002 R0003", "R0001")
	part(7, func(f *storage.Forget) { f.Records, f.Last = []storage.Tombstone{{ID: "R0003"}, {ID: "R0002"}}, true })
	check("", "R0001 R0003 R0002")
	if bytes.Contains(readFile(t, dbPath(dir)), []byte(`"ahead"`)) {
		t.Error("the announcement is still in the file")
	}
}
