package file

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-memory/vector"
)

// checked checks dir and returns what was found, and the ids that were seen.
func checked(t *testing.T, dir string) (all []Found, seen []string) {
	t.Helper()
	all, err := Check(t.Context(), dir, func(_, id string) { seen = append(seen, id) })
	if err != nil {
		t.Fatal(err)
	}
	return all, seen
}

func TestCheck_CountsWhatIsThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ne[w")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir, testModel)
	ids, vs := names(0, 4), vectors(4, 8, 1)
	if err := errors.Join(f.Append(ids, vs), f.Append(ids[:1], vs[1:2])); err != nil {
		t.Fatal(err)
	}
	all, seen := checked(t, dir) // beside the one who appends
	want := Found{Path: f.path, Model: testModel, Dim: 8, Entries: 5, Repeated: 1}
	if len(all) != 1 || all[0] != want || !slices.Equal(seen, ids) {
		t.Fatalf("found %+v, seen %v; want %+v, %v", all, seen, want, ids)
	}
	raw, err := os.ReadFile(f.path)
	if err != nil {
		t.Fatal(err)
	}
	raw[f.head.size()+f.head.entrySize()+40] ^= 1
	if err := os.WriteFile(f.path, raw[:len(raw)-3], fileMode); err != nil {
		t.Fatal(err)
	}
	all, seen = checked(t, dir)
	if got := all[0]; got.Entries != 3 || got.Damaged != 1 || got.Rest != f.head.entrySize()-3 || len(seen) != 3 {
		t.Errorf("found %+v, seen %v; want three, one damaged, and a rest", got, seen)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Mend(t.Context(), all[0], func(id string) bool { return id != ids[0] }); err != nil {
		t.Fatal(err)
	}
	if all, seen = checked(t, dir); all[0].Damaged != 0 || all[0].Rest != 0 || !slices.Equal(seen, ids[2:]) {
		t.Errorf("after mending: %+v, %v; want %v", all[0], seen, ids[2:])
	}
}

// One file that cannot be opened keeps nobody from the others.
func TestCheck_GoesOnBesideAFileThatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, testModel)
	if err := f.Append(names(0, 2), vectors(2, 8, 1)); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(dir, prefix+"0"+suffix)
	if err := os.Symlink(loop, loop); err != nil {
		t.Skip(err)
	}
	all, seen := checked(t, dir)
	if len(all) != 2 || all[0].Path != loop || all[0].Reason == nil || len(seen) != 2 {
		t.Fatalf("found %+v, seen %v; want a reason for %s and two vectors", all, seen, loop)
	}
	if err := Mend(t.Context(), all[0], nil); err != nil {
		t.Fatal(err)
	}
	if all, _ = checked(t, dir); len(all) != 1 {
		t.Errorf("after mending: %+v", all)
	}
}

// newer makes the head of a file one of a later version, with the right checksum.
func newer(raw []byte, headSize int64) {
	binary.LittleEndian.PutUint32(raw[len(magic):], 7)
	binary.LittleEndian.PutUint32(raw[headSize-sumSize:], crc32.Checksum(raw[:headSize-sumSize], castagnoli))
}

// A later version's file is left as it is, and the message names both versions.
func TestOpen_RefusesANewerVersionAndLeavesIt(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, testModel)
	if err := f.Append(names(0, 2), vectors(2, 8, 1)); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(f.path)
	if err != nil {
		t.Fatal(err)
	}
	newer(raw, f.head.size())
	if err := os.WriteFile(f.path, raw, fileMode); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(dir, testModel); err == nil || !strings.Contains(err.Error(), "format version 7, this program reads up to 1") {
		t.Errorf("open: error %v, want one that names both versions", err)
	}
	all, _ := checked(t, dir)
	if len(all) != 1 || !all[0].IsNewer() {
		t.Errorf("found %+v, want a newer one", all)
	}
	if after, _ := os.ReadFile(f.path); string(after) != string(raw) {
		t.Error("the file was changed")
	}
}

func TestMend_RemovesWhatHasNoHead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, fileName(testModel))
	if err := os.WriteFile(path, []byte("no vectors at all, but bytes"), fileMode); err != nil {
		t.Fatal(err)
	}
	all, seen := checked(t, dir)
	if len(all) != 1 || !errors.Is(all[0].Reason, errHeader) || len(seen) != 0 {
		t.Fatalf("found %+v, %v", all, seen)
	}
	if err := Mend(t.Context(), all[0], nil); err != nil {
		t.Fatal(err)
	}
	if all, _ = checked(t, dir); len(all) != 0 {
		t.Errorf("left %+v", all)
	}
}

func TestCheckGraphs_TellsWhoseAndWhetherTheyAreWhole(t *testing.T) {
	dir := t.TempDir()
	g := &Graphs{Dir: dir, Model: testModel, Engine: vector.EngineHNSW}
	for _, user := range []string{"ann", "bob", "cy"} {
		index, err := g.Open(user, setOf(t, vectors(30, 16, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if kept, err := g.Save(user, index, true); err != nil || !kept {
			t.Fatalf("save: %v, %v", kept, err)
		}
	}
	raw, err := os.ReadFile(g.path("bob"))
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)/2] ^= 1
	if err := os.WriteFile(g.path("bob"), raw, fileMode); err != nil {
		t.Fatal(err)
	}
	all, err := CheckGraphs(dir, []string{"other", testModel}, []string{"ann", "bob"})
	if err != nil || len(all) != 3 {
		t.Fatalf("found %+v, %v", all, err)
	}
	for _, f := range all {
		switch f.Path {
		case g.path("ann"):
			if f.User != "ann" || f.Model != testModel || f.Vectors != 30 || f.Reason != nil {
				t.Errorf("ann's: %+v", f)
			}
		case g.path("bob"):
			if f.User != "bob" || !errors.Is(f.Reason, vector.ErrGraph) {
				t.Errorf("bob's: %+v", f)
			}
		default:
			if f.User != "" || f.Reason != nil {
				t.Errorf("nobody's: %+v", f)
			}
		}
	}
	if err := MendGraphs(dir, []string{testModel}, []string{"ann", "bob"}); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); !slices.Equal(left, []string{g.path("ann")}) {
		t.Errorf("left %v, want ann's", left)
	}
}
