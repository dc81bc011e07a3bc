package vector

import (
	"slices"
	"testing"

	"mcp-memory/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// newAuto has a graph from the given number of vectors on.
func newAuto(t testing.TB, dim, from int) *HNSW {
	t.Helper()
	h := openAuto(must(NewSet(dim)), from)
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func addAll(t testing.TB, h *HNSW, vectors [][]float32) {
	t.Helper()
	for id, v := range vectors {
		if err := h.Add(uint32(id), v); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAuto_ScansThenWalks: exact below the border, exact while the graph is
// built, the graph after that, and the scan again when much was removed.
func TestAuto_ScansThenWalks(t *testing.T) {
	vectors := draw(600, 8, 1)
	h := newAuto(t, 8, 500)
	addAll(t, h, vectors[:499])
	if s := h.Stats(); s.Answers != EngineExact || s.Engine != EngineAuto || s.Recall != 1 || s.Note != "" {
		t.Errorf("below the border: %+v", s)
	}
	addAll(t, h, vectors)
	h.Wait()
	if s := h.Stats(); s.Answers != EngineHNSW || s.Vectors != 600 || s.Pending != 0 || s.Recall < .95 {
		t.Errorf("above the border: %+v", s)
	}
	wellFormed(t, h.graph)
	for id := range uint32(351) {
		h.Remove(id)
	}
	if s := h.Stats(); s.Answers != EngineExact || s.Vectors != 249 {
		t.Errorf("below half of the border: %+v", s)
	}
}

// TestAuto_ChangesDuringABuild: what is added and removed while a graph is built
// counts at once, and the graph is the one of the same calls without haste.
func TestAuto_ChangesDuringABuild(t *testing.T) {
	const border = 800
	vectors, more := draw(border, 8, 2), draw(300, 8, 3)
	slow, quick := newAuto(t, 8, border), newAuto(t, 8, border)
	for i, h := range []*HNSW{slow, quick} {
		addAll(t, h, vectors)
		if i == 0 {
			h.Wait()
		}
		changeMuch(t, h, vectors, more)
		h.Wait()
		wellFormed(t, h.graph)
	}
	for _, q := range draw(100, 8, 4) {
		a, _ := slow.Search(q, 10, nil)
		b, err := quick.Search(q, 10, nil)
		if err != nil || !slices.Equal(a, b) {
			t.Fatalf("built before the changes %v, while they came %v, %v", a, b, err)
		}
	}
}

// changeMuch removes, adds, replaces and adds again, and looks each time.
func changeMuch(t *testing.T, h *HNSW, vectors, more [][]float32) {
	t.Helper()
	for i, v := range more {
		old, added := uint32(i), uint32(10_000+i)
		if !h.Remove(old) || h.Remove(old) {
			t.Fatalf("%d was not there, or is there still", old)
		}
		if err := h.Add(added, v); err != nil {
			t.Fatal(err)
		}
		hits, err := h.Search(v, 1, func(id uint32) bool { return id == added || id == old })
		if err != nil || len(hits) != 1 || hits[0].ID != added || hits[0].Cosine != 1 {
			t.Fatalf("%d just added, %d removed: %v, %v", added, old, hits, err)
		}
		if i%3 == 0 {
			if err := h.Add(old, vectors[(i+1)%len(vectors)]); err != nil {
				t.Fatal(err)
			}
		}
		if i%5 == 0 {
			h.Remove(added)
		}
	}
}

// TestAuto_CloseDuringABuild: Close waits for the goroutine (goleak looks), and
// the scan goes on answering right, with the gaps closed.
func TestAuto_CloseDuringABuild(t *testing.T) {
	vectors := draw(3000, 8, 5)
	h := newAuto(t, 8, len(vectors))
	addAll(t, h, vectors)
	for id := range uint32(500) {
		h.Remove(5 * id)
	}
	for range 2 {
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
	addAll(t, h, vectors[:5]) // id 0 again, the others replaced
	if h.Len() != 2501 || len(h.set.dead) > 0 || h.build != nil {
		t.Errorf("%d vectors, %d gaps, build %v", h.Len(), len(h.set.dead), h.build)
	}
	hits, err := h.Search(vectors[3], 3000, nil)
	if err != nil || len(hits) != 2501 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}

func TestOpen_OverASetThatIsFull(t *testing.T) {
	for _, engine := range Engines() {
		set := must(NewSet(8))
		for id, v := range draw(300, 8, 6) {
			if err := set.Add(uint32(id), v); err != nil {
				t.Fatal(err)
			}
		}
		index, err := Open(engine, set)
		if err != nil || index.Len() != 300 {
			t.Fatalf("%s: %v", engine, err)
		}
		if h, ok := index.(*HNSW); ok && h.graph != nil {
			wellFormed(t, h.graph)
		}
	}
}
