package bunt

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// FuzzList: whatever bytes are in the list, what is appended after them is read.
func FuzzList(f *testing.F) {
	f.Add([]byte(`{"at":"2026-03-01T12:00:00Z","path":"/a","state":"made"}` + "\n"))
	f.Add([]byte(`{"path":"/a","state":"begun"}` + "\n" + `{"path":"/a","sta`))
	f.Add([]byte("\n\n{}\nnull\n[]\n"))
	f.Add(bytes.Repeat([]byte("x"), 1<<17)) // one line, and a long one
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, backupsName), content, fileMode); err != nil {
			t.Fatal(err)
		}
		before, bad, err := readList(dir)
		if err != nil {
			t.Fatal(err)
		}
		if torn := len(content) > 0 && content[len(content)-1] != '\n'; bad+len(before) == 0 && torn && strings.TrimSpace(string(content)) != "" {
			t.Errorf("%q holds neither a line nor a bad one", content)
		}
		path := filepath.Join(dir, "saved")
		o := Options{Dir: dir, Clock: time.Now, Sync: func(*os.File) error { return nil }}
		if err := list(o, path, copyMade); err != nil {
			t.Fatal(err)
		}
		after, stillBad, err := readList(dir)
		if err != nil || after[path].State != copyMade || stillBad != bad {
			t.Errorf("after an append: %q, %d bad lines instead of %d, %v", after[path].State, stillBad, bad, err)
		}
	})
}
