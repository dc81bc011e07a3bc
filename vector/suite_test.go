package vector_test

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/vector"
	"mcp-memory/vector/vectortest"
)

// engine is one way to make an index that the suite is run on.
type engine struct {
	name string
	open func(t testing.TB, dim int) vector.Index
}

// autoFrom is small, so that the suite crosses the border both ways.
const autoFrom = 200

func engines() []engine {
	named := func(name string) engine {
		return engine{name, func(t testing.TB, dim int) vector.Index { return open(t, name, dim) }}
	}
	auto := engine{"auto from 200", func(t testing.TB, dim int) vector.Index {
		set, err := vector.NewSet(dim)
		if err != nil {
			t.Fatal(err)
		}
		h := vector.OpenAuto(set, autoFrom)
		t.Cleanup(func() { h.Close() })
		return h
	}}
	return []engine{named(vector.EngineExact), named(vector.EngineHNSW), named(vector.EngineCoder), named(vector.EngineAuto), auto}
}

func open(t testing.TB, name string, dim int) vector.Index {
	t.Helper()
	index, err := vector.New(name, dim)
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := index.(io.Closer); ok {
		t.Cleanup(func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return index
}

// every runs a test on every engine.
func every(t *testing.T, dim int, test func(t *testing.T, index vector.Index)) {
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) { test(t, e.open(t, dim)) })
	}
}

func add(t testing.TB, index vector.Index, id uint32, v []float32) {
	t.Helper()
	if err := index.Add(id, v); err != nil {
		t.Fatalf("add %d: %v", id, err)
	}
}

func search(t testing.TB, index vector.Index, q []float32, k int, keep func(uint32) bool) []vector.Hit {
	t.Helper()
	hits, err := index.Search(q, k, keep)
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	return hits
}

func ids(hits []vector.Hit) []uint32 {
	out := make([]uint32, len(hits))
	for i, h := range hits {
		out[i] = h.ID
	}
	return out
}

func TestIndex_Empty(t *testing.T) {
	every(t, 3, func(t *testing.T, index vector.Index) {
		if hits := search(t, index, []float32{1, 0, 0}, 5, nil); len(hits) != 0 {
			t.Errorf("an empty index finds %v", hits)
		}
		if index.Remove(7) {
			t.Error("removed what was not there")
		}
	})
}

func TestIndex_OneVector(t *testing.T) {
	every(t, 3, func(t *testing.T, index vector.Index) {
		add(t, index, 7, []float32{0, 5, 0})
		for k, want := range map[int]int{-1: 0, 0: 0, 1: 1, 1000: 1} {
			hits := search(t, index, []float32{0, 2, 0}, k, nil)
			if len(hits) != want {
				t.Fatalf("k = %d: %d hits, want %d", k, len(hits), want)
			}
			if want == 1 && hits[0] != (vector.Hit{ID: 7, Cosine: 1}) {
				t.Errorf("k = %d: %v, want 7 with cosine 1", k, hits)
			}
		}
		if hits := search(t, index, []float32{0, -2, 0}, 1, nil); hits[0].Cosine != -1 {
			t.Errorf("cosine with the opposite is %v, want -1", hits[0].Cosine)
		}
	})
}

func TestIndex_RefusesBadVectors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	bad := []struct {
		v    []float32
		want error
	}{
		{nil, vector.ErrDimension}, {[]float32{1, 2}, vector.ErrDimension}, {[]float32{1, 2, 3, 4}, vector.ErrDimension},
		{[]float32{1, nan, 0}, vector.ErrNotFinite}, {[]float32{inf, 0, 0}, vector.ErrNotFinite}, {[]float32{0, 0, 0}, vector.ErrZero},
	}
	every(t, 3, func(t *testing.T, index vector.Index) {
		add(t, index, 1, []float32{1, 0, 0})
		for _, b := range bad {
			_, searchErr := index.Search(b.v, 1, nil)
			cosinesErr := index.Cosines(b.v, []uint32{1}, make([]float32, 1))
			for call, err := range map[string]error{"Add": index.Add(1, b.v), "Add of a new": index.Add(2, b.v), "Search": searchErr, "Cosines": cosinesErr} {
				if !errors.Is(err, b.want) {
					t.Errorf("%s of %v: %v, want %v", call, b.v, err, b.want)
				}
			}
		}
		if hits := search(t, index, []float32{1, 0, 0}, 9, nil); len(hits) != 1 || hits[0].Cosine != 1 {
			t.Errorf("after refusals: %v, want 1 unchanged", hits)
		}
	})
}

func TestIndex_TakesTinyAndHugeNumbers(t *testing.T) {
	every(t, 3, func(t *testing.T, index vector.Index) {
		add(t, index, 1, []float32{math.SmallestNonzeroFloat32, 0, 0})
		add(t, index, 2, []float32{0, math.MaxFloat32, math.MaxFloat32})
		hits := search(t, index, []float32{0, 1e-30, 1e-30}, 2, nil)
		if want := []vector.Hit{{ID: 2, Cosine: 1}, {ID: 1, Cosine: 0}}; !cmp.Equal(hits, want) {
			t.Errorf("got %v, want %v", hits, want)
		}
	})
}

func TestIndex_CopiesWhatIsAdded(t *testing.T) {
	every(t, 3, func(t *testing.T, index vector.Index) {
		v := []float32{1, 0, 0}
		add(t, index, 1, v)
		v[0], v[1] = 0, 1
		if hits := search(t, index, []float32{1, 0, 0}, 1, nil); hits[0].Cosine != 1 {
			t.Errorf("cosine %v after the caller changed its slice, want 1", hits[0].Cosine)
		}
	})
}

func TestIndex_Cosines(t *testing.T) {
	every(t, 3, func(t *testing.T, index vector.Index) {
		add(t, index, 1, []float32{1, 0, 0})
		add(t, index, 2, []float32{3, 4, 0})
		out := make([]float32, 4)
		if err := index.Cosines([]float32{1, 0, 0}, []uint32{2, 9, 1, 2}, out); err != nil {
			t.Fatal(err)
		}
		if d := math.Abs(float64(out[0]) - .6); d > 1e-5 || out[3] != out[0] || out[2] != 1 || !math.IsNaN(float64(out[1])) {
			t.Errorf("got %v, want .6, NaN, 1, .6", out)
		}
		if err := index.Cosines([]float32{1, 0, 0}, []uint32{2, 9}, out); err == nil {
			t.Error("four places for two ids were taken")
		}
	})
}

func TestIndex_AddReplaces(t *testing.T) {
	vectors, _ := vectortest.Synthetic(400, 0, 32, 1)
	every(t, 32, func(t *testing.T, index vector.Index) {
		for id, v := range vectors[:300] {
			add(t, index, uint32(id), v)
		}
		for id := range 100 {
			add(t, index, uint32(id), vectors[300+id])
		}
		if index.Len() != 300 {
			t.Fatalf("%d vectors, want 300", index.Len())
		}
		for id := range 100 {
			if hits := search(t, index, vectors[300+id], 1, nil); hits[0].ID != uint32(id) || hits[0].Cosine != 1 {
				t.Errorf("the new vector of %d finds %v", id, hits)
			}
			if hits := search(t, index, vectors[id], 1, nil); hits[0].Cosine > .9999 {
				t.Errorf("the old vector of %d is still there: %v", id, hits)
			}
		}
	})
}

func TestIndex_RemovedToEmptyAndBack(t *testing.T) {
	vectors, queries := vectortest.Synthetic(500, 5, 32, 2)
	every(t, 32, func(t *testing.T, index vector.Index) {
		for round := range 3 {
			for id, v := range vectors {
				add(t, index, uint32(id), v)
			}
			for _, id := range rand.New(rand.NewPCG(uint64(round), 1)).Perm(len(vectors)) {
				if !index.Remove(uint32(id)) || index.Remove(uint32(id)) {
					t.Fatalf("round %d: %d was not there, or is there still", round, id)
				}
				if id%50 == 0 {
					checkAbsent(t, index, queries[0], uint32(id))
				}
			}
			if hits := search(t, index, queries[0], 9, nil); index.Len() != 0 || len(hits) != 0 {
				t.Fatalf("round %d: %d left, found %v", round, index.Len(), hits)
			}
		}
	})
}

// checkAbsent looks for id among all that can be found, which must be all.
func checkAbsent(t *testing.T, index vector.Index, q []float32, id uint32) {
	t.Helper()
	hits := search(t, index, q, 1<<20, nil)
	if len(hits) != index.Len() || slices.Contains(ids(hits), id) {
		t.Fatalf("%d of %d found, %d among them: %v", len(hits), index.Len(), id, slices.Contains(ids(hits), id))
	}
}

func TestIndex_ManyCopiesOfOneVector(t *testing.T) {
	vectors, _ := vectortest.Synthetic(300, 0, 32, 3)
	every(t, 32, func(t *testing.T, index vector.Index) {
		for id, v := range vectors {
			add(t, index, uint32(1000+id), v)
		}
		for id := range 400 {
			add(t, index, uint32(399-id), vectors[0])
		}
		want := make([]uint32, 50)
		for i := range want {
			want[i] = uint32(i)
		}
		if got := ids(search(t, index, vectors[0], 50, nil)); !slices.Equal(got, want) {
			t.Errorf("50 of 400 copies: %v, want the least ids in order", got)
		}
		for id := range 399 {
			index.Remove(uint32(id))
		}
		if got := ids(search(t, index, vectors[0], 2, nil)); !slices.Equal(got, []uint32{399, 1000}) {
			t.Errorf("the last copies: %v, want 399 and 1000", got)
		}
		for id, v := range vectors[1:] {
			if got := search(t, index, v, 1, nil); got[0].ID != uint32(1001+id) {
				t.Errorf("%d is not found beside the copies: %v", 1001+id, got)
			}
		}
	})
}

func TestIndex_SameInputSameAnswers(t *testing.T) {
	vectors, queries := vectortest.Synthetic(1500, 20, 32, 5)
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) {
			var answers [2][][]vector.Hit
			for run := range answers {
				index := e.open(t, 32)
				churn(t, index, vectors)
				if w, ok := index.(interface{ Wait() }); ok {
					w.Wait()
				}
				for _, q := range queries {
					answers[run] = append(answers[run], search(t, index, q, 20, nil))
				}
			}
			if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
				t.Errorf("two runs differ:\n%s", diff)
			}
		})
	}
}

// churn adds all, removes a half, adds a quarter again.
func churn(t testing.TB, index vector.Index, vectors [][]float32) {
	for id, v := range vectors {
		add(t, index, uint32(id), v)
	}
	for id := 0; id < len(vectors); id += 2 {
		index.Remove(uint32(id))
	}
	for id := 0; id < len(vectors); id += 4 {
		add(t, index, uint32(id), vectors[id])
	}
}

func TestIndex_ReadersAndWritersAtOnce(t *testing.T) {
	vectors, queries := vectortest.Synthetic(600, 8, 32, 6)
	every(t, 32, func(t *testing.T, index vector.Index) {
		var wait sync.WaitGroup
		for part := range 3 {
			wait.Go(func() {
				for id := part; id < len(vectors); id += 3 {
					if err := index.Add(uint32(id), vectors[id]); err != nil {
						t.Error(err)
					}
					if id%5 == 0 {
						index.Remove(uint32(id))
					}
				}
			})
			wait.Go(func() {
				for i := range 150 {
					checkHits(t, index, queries[i%len(queries)])
				}
			})
		}
		wait.Wait()
		if index.Len() != 480 {
			t.Errorf("%d vectors at the end, want 480", index.Len())
		}
		checkAbsent(t, index, queries[0], 5)
	})
}

// checkHits looks that what is found while others write is well formed.
func checkHits(t *testing.T, index vector.Index, q []float32) {
	hits, err := index.Search(q, 10, func(id uint32) bool { return id%2 == 0 })
	if err != nil {
		t.Error(err)
	}
	for i, h := range hits {
		if h.ID%2 != 0 || i > 0 && hits[i-1].Cosine < h.Cosine {
			t.Errorf("hit %d of %v is odd or out of order", i, hits)
		}
	}
	if r, ok := index.(vector.Reporter); !ok || r.Stats().Vectors > 600 {
		t.Error("no Stats, or too many vectors in it")
	}
}

func TestNew_RefusesUnknownEnginesAndDimensions(t *testing.T) {
	if _, err := vector.New("annoy", 8); !errors.Is(err, vector.ErrEngine) || err.Error() != `unknown vector engine "annoy": want auto, exact, hnsw, coder` {
		t.Errorf("engine annoy: %v", err)
	}
	for _, name := range vector.Engines() {
		for _, dim := range []int{-1, 0, 1 << 20} {
			if _, err := vector.New(name, dim); !errors.Is(err, vector.ErrDimension) {
				t.Errorf("%s of dimension %d: %v", name, dim, err)
			}
		}
	}
}
