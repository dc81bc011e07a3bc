package vector_test

import (
	"slices"
	"testing"

	"mcp-memory/vector"
	"mcp-memory/vector/vectortest"
)

func TestIndex_FiltersKeepK(t *testing.T) {
	const n, k = 2000, 10
	vectors, queries := vectortest.Synthetic(n, 20, 64, 4)
	every(t, 64, func(t *testing.T, index vector.Index) {
		for id, v := range vectors {
			add(t, index, uint32(id), v)
		}
		if w, ok := index.(interface{ Wait() }); ok {
			w.Wait()
		}
		for _, every := range []uint32{1, 2, 3, 5, 10, 100, 1000} {
			keep := func(id uint32) bool { return id%every == 0 }
			checkFilter(t, index, vectors, queries, k, keep)
		}
		if hits := search(t, index, queries[0], k, func(uint32) bool { return false }); len(hits) != 0 {
			t.Errorf("nothing kept, found %v", hits)
		}
	})
}

// checkFilter: k hits or all kept, all of them kept, and nearly those that a scan
// of the kept ones finds.
func checkFilter(t *testing.T, index vector.Index, vectors, queries [][]float32, k int, keep func(uint32) bool) {
	t.Helper()
	var kept [][]float32
	number := map[uint32]uint32{} // id → its number among the kept
	for id, v := range vectors {
		if keep(uint32(id)) {
			number[uint32(id)] = uint32(len(kept))
			kept = append(kept, v)
		}
	}
	truth, right := vectortest.Truth(kept, queries), 0
	for i, q := range queries {
		hits := search(t, index, q, k, keep)
		if len(hits) != min(k, len(kept)) {
			t.Fatalf("%d of %d kept: %d hits, want %d", len(kept), len(vectors), len(hits), min(k, len(kept)))
		}
		for _, h := range hits {
			if n, ok := number[h.ID]; !ok {
				t.Errorf("found %d, which is not kept", h.ID)
			} else if slices.Contains(truth[i], n) {
				right++
			}
		}
	}
	if recall := float64(right) / float64(min(k, len(kept))*len(queries)); recall < .97 {
		t.Errorf("%d of %d kept: recall %.3f, want .97", len(kept), len(vectors), recall)
	}
}
