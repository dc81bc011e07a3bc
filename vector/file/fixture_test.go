package file

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/vector"
)

// fixtureVectors are those in testdata/v1: 40 of 16 numbers, and one of them again.
func fixtureVectors() ([]string, [][]float32) { return names(0, 40), vectors(40, 16, 42) }

// TestFixture_Version1StaysReadable reads a file of vectors and a graph that version
// 1 wrote and that are never written again.
func TestFixture_Version1StaysReadable(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "v1"))); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir, testModel)
	got, lost := content(t, f)
	ids, vs := fixtureVectors()
	want := map[string][]float32{}
	for i, id := range ids {
		if _, err := newHeader(testModel, 16).appendEntry(nil, id, vs[i]); err != nil { // rounds
			t.Fatal(err)
		}
		want[id] = vs[i]
	}
	want[ids[3]] = vs[4]
	if diff := cmp.Diff(want, got); diff != "" || lost != 0 {
		t.Errorf("%d lost; vectors (-want +got):\n%s", lost, diff)
	}
	g := &Graphs{Dir: dir, Model: testModel, Engine: vector.EngineHNSW}
	index, err := g.saved("ann", setOf(t, vs))
	if err != nil {
		t.Fatalf("graph: %v", err)
	}
	if hits, err := index.Search(vs[7], 1, nil); err != nil || len(hits) != 1 || hits[0].ID != 7 {
		t.Errorf("the nearest to number 7 is %v, %v", hits, err)
	}
}
