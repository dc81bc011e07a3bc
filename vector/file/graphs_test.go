package file

import (
	"os"
	"testing"

	"mcp-memory/vector"
)

// setOf returns a set of the vectors, numbered from 0.
func setOf(t *testing.T, vs [][]float32) *vector.Set {
	t.Helper()
	set, err := vector.NewSet(len(vs[0]))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vs {
		if err := set.Add(uint32(i), v); err != nil {
			t.Fatal(err)
		}
	}
	return set
}

// What lies where a graph should costs its build, nothing else.
func TestGraphs_OpenBuildsWhatCannotBeRead(t *testing.T) {
	vs := vectors(40, 16, 1)
	for _, c := range []struct {
		name string
		lay  func(path string) error
	}{
		{"nothing", func(string) error { return nil }},
		{"a folder", func(path string) error { return os.Mkdir(path, 0o700) }},
		{"an empty file", func(path string) error { return os.WriteFile(path, nil, fileMode) }},
		{"something else", func(path string) error { return os.WriteFile(path, make([]byte, 4096), fileMode) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &Graphs{Dir: t.TempDir(), Model: testModel, Engine: vector.EngineHNSW}
			if err := c.lay(g.path("ada")); err != nil {
				t.Fatal(err)
			}
			index, err := g.Open("ada", setOf(t, vs))
			if err != nil {
				t.Fatal(err)
			}
			hits, err := index.Search(vs[7], 1, nil)
			if err != nil || index.Len() != len(vs) || len(hits) != 1 || hits[0].ID != 7 {
				t.Errorf("%d vectors; the nearest to number 7 is %v, %v", index.Len(), hits, err)
			}
		})
	}
}
