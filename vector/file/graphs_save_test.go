package file

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"mcp-memory/vector"
)

// A graph is written where it is not the one in the file: also one that was built
// since the start, without any change after.
func TestGraphs_SaveWritesWhatTheFileLacks(t *testing.T) {
	dir := t.TempDir()
	filled := func() *vector.Set {
		set, err := vector.NewSet(24)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range vectors(40, 24, 7) {
			if err := set.Add(uint32(i), v); err != nil {
				t.Fatal(err)
			}
		}
		return set
	}
	start := func() (*Graphs, vector.Index) {
		g := &Graphs{Dir: dir, Model: testModel, Engine: vector.EngineHNSW}
		index, err := g.Open("ann", filled())
		if err != nil {
			t.Fatal(err)
		}
		return g, index
	}
	save := func(g *Graphs, index vector.Index, changed bool) {
		t.Helper()
		if kept, err := g.Save("ann", index, changed); err != nil || !kept {
			t.Fatalf("Save = %v, %v", kept, err)
		}
	}
	g, index := start()
	path := g.path("ann")
	save(g, index, false) // it was built, nothing is in the file
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	g, index = start() // it was read
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	save(g, index, false)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an unchanged graph was written again: %v", err)
	}
	save(g, index, true)
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	exact, err := vector.New(vector.EngineExact, 24)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := g.Save("ann", exact, true); kept || err != nil {
		t.Errorf("Save of an index without a graph = %v, %v", kept, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error(fmt.Sprint("the graph of an index that has none is still there: ", err))
	}
}
