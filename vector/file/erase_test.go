package file_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-memory/vector"
	"mcp-memory/vector/file"
)

func gone(id string) bool { return id == "gone" }

// idsIn returns the ids that a model's file holds.
func idsIn(t *testing.T, dir, model string) (ids []string) {
	t.Helper()
	f, _, err := file.Open(dir, model)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Each(t.Context(), func(id string, _ []float32) error {
		ids = append(ids, id)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return ids
}

// graphFor saves the graph of a user's index over ids 1..n under a model.
func graphFor(t *testing.T, dir, model, user string, n uint32) *file.Graphs {
	t.Helper()
	set, err := vector.NewSet(2)
	if err != nil {
		t.Fatal(err)
	}
	for id := range n {
		if err := set.Add(id+1, []float32{float32(id) + 1, 1}); err != nil {
			t.Fatal(err)
		}
	}
	g := &file.Graphs{Dir: dir, Model: model, Engine: vector.EngineHNSW}
	index, err := vector.Open(vector.EngineHNSW, set)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := g.Save(user, index, true); err != nil || !kept {
		t.Fatalf("save: %v, %v", kept, err)
	}
	return g
}

func TestDir_ErasesInTheFilesOfEveryModel(t *testing.T) {
	dir := t.TempDir()
	var open *file.File
	for _, model := range []string{"one", "two"} {
		f, _, err := file.Open(dir, model)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Append([]string{"stays", "gone"}, [][]float32{{1, 2}, {3, 4}}); err != nil {
			t.Fatal(err)
		}
		if model == "one" {
			open = f // in use: it goes on
			defer f.Close()
		} else if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	headless := filepath.Join(dir, "vectors-0000000000000000.vec")
	for _, path := range []string{headless, filepath.Join(dir, "vectors-1.vec.tmp")} {
		if err := os.WriteFile(path, []byte("gone"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	current := graphFor(t, dir, "one", "ann", 3)
	graphFor(t, dir, "one", "bob", 3)
	graphFor(t, dir, "two", "ann", 3)
	graphFor(t, dir, "two", "bob", 3)
	graphFor(t, dir, "one", "left-long-ago", 3)
	d := file.Dir{Path: dir, Files: []*file.File{open, nil}, Graphs: current}
	docs := map[string][]uint32{"ann": {2}}
	if left, err := d.Find(t.Context(), gone, docs); err != nil || len(left) != 4 {
		t.Fatalf("before: %v, %v; want two files and two graphs", left, err)
	}
	missed, err := d.Erase(t.Context(), gone, []string{"ann"}, nil, []string{"ann", "bob"})
	if err != nil || len(missed) > 0 {
		t.Fatalf("erase: %v, %v", missed, err)
	}
	if left, err := d.Find(t.Context(), gone, docs); err != nil || len(left) != 0 {
		t.Errorf("after: %v, %v", left, err)
	}
	if err := open.Append([]string{"later"}, [][]float32{{5, 6}}); err != nil {
		t.Fatal(err)
	}
	if got := idsIn(t, dir, "one"); !slices.Equal(got, []string{"stays", "later"}) {
		t.Errorf("the file in use holds %v", got)
	}
	if got := idsIn(t, dir, "two"); !slices.Equal(got, []string{"stays"}) {
		t.Errorf("the other holds %v", got)
	}
	graphs, err := filepath.Glob(filepath.Join(dir, "graph-*"))
	if err != nil || len(graphs) != 2 {
		t.Errorf("graphs %v, %v; want bob's two", graphs, err)
	}
	if _, err := os.Stat(headless); !os.IsNotExist(err) {
		t.Errorf("a file without a head: %v", err)
	}
}

func TestGraphs_ResaveLeavesNothingOfWhatWasRemoved(t *testing.T) {
	dir := t.TempDir()
	g := graphFor(t, dir, "one", "ann", 40)
	set, err := vector.NewSet(2)
	if err != nil {
		t.Fatal(err)
	}
	for id := range uint32(40) {
		if err := set.Add(id+1, []float32{float32(id) + 1, 1}); err != nil {
			t.Fatal(err)
		}
	}
	index, err := g.Open("ann", set)
	if err != nil {
		t.Fatal(err)
	}
	index.Remove(7)
	if err := g.Resave("ann", index); err != nil {
		t.Fatal(err)
	}
	d := file.Dir{Path: dir, Graphs: g}
	if left, err := d.Find(t.Context(), gone, map[string][]uint32{"ann": {7}}); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if left, err := d.Find(t.Context(), gone, map[string][]uint32{"ann": {8}}); err != nil || len(left) != 1 {
		t.Errorf("what stays is not found: %v, %v", left, err)
	}
}

func TestDir_NamesAFileOfALaterVersion(t *testing.T) {
	dir := t.TempDir()
	f, _, err := file.Open(dir, "one")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Append([]string{"stays", "gone"}, [][]float32{{1, 2}, {3, 4}}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.vec"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%v, %v", paths, err)
	}
	raw, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	raw[8] = 9 // version, before the name and its checksum
	head := raw[:8+3*4+len("one")]
	binary.LittleEndian.PutUint32(raw[len(head):], crc32.Checksum(head, crc32.MakeTable(crc32.Castagnoli)))
	if err := os.WriteFile(paths[0], raw, 0o600); err != nil {
		t.Fatal(err)
	}
	d := file.Dir{Path: dir}
	missed, err := d.Erase(t.Context(), gone, []string{"ann"}, nil, []string{"ann"})
	if err != nil || len(missed) != 1 || !strings.HasPrefix(missed[0], paths[0]+":") {
		t.Errorf("erase: %v, %v; want the file named", missed, err)
	}
	if left, err := d.Find(t.Context(), gone, nil); err != nil || len(left) != 1 {
		t.Errorf("find: %v, %v", left, err)
	}
	if after, err := os.ReadFile(paths[0]); err != nil || !bytes.Equal(after, raw) {
		t.Errorf("the file was changed, %v", err)
	}
}

// A folder whose name means something to a pattern, with vectors that lie behind
// links: what is erased leaves the files that these lead to.
func TestDir_EraseReachesWhatLiesBehindLinks(t *testing.T) {
	dir, far := filepath.Join(t.TempDir(), `[a]*\b?`), t.TempDir()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Skip(err) // no such names here
	}
	f, _, err := file.Open(dir, "one")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Append([]string{"stays", "gone"}, [][]float32{{1, 2}, {3, 4}}); err != nil {
		t.Fatal(err)
	}
	if other, _, err := file.Open(dir, "two"); err != nil || other.Append([]string{"gone"}, [][]float32{{3, 4}}) != nil || other.Close() != nil {
		t.Fatal(err)
	}
	graphFor(t, dir, "one", "ann", 3)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(dir, e.Name()), filepath.Join(far, e.Name())); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(far, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			t.Skip(err)
		}
	}
	d := file.Dir{Path: dir, Files: []*file.File{f}}
	docs := map[string][]uint32{"ann": {2}}
	if left, err := d.Find(t.Context(), gone, docs); err != nil || len(left) != 3 {
		t.Fatalf("before: %v, %v; want two files and a graph", left, err)
	}
	if missed, err := d.Erase(t.Context(), gone, []string{"ann"}, nil, []string{"ann"}); err != nil || len(missed) > 0 {
		t.Fatalf("erase: %v, %v", missed, err)
	}
	if got := idsIn(t, far, "one"); !slices.Equal(got, []string{"stays"}) {
		t.Errorf("the file that is linked holds %v", got)
	}
	if got := idsIn(t, far, "two"); len(got) > 0 {
		t.Errorf("the file of another model holds %v", got)
	}
	if left, err := filepath.Glob(filepath.Join(far, "graph-*")); err != nil || len(left) > 0 {
		t.Errorf("graphs %v, %v", left, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, entries[1].Name())); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is one no more: %v, %v", info, err)
	}
}
