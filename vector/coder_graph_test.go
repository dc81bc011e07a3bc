//go:build !windows

package vector

import (
	"testing"

	"github.com/coder/hnsw"
)

// TestCoderHNSW_IsStillWrong measures the library itself. It is here to fail when
// an upgrade mends it.
func TestCoderHNSW_IsStillWrong(t *testing.T) {
	const n, dim, mended = 4000, 64, 0.6
	vectors, set := clustered(n, dim), must(NewSet(dim))
	raw := hnsw.NewGraph[uint32]()
	for id, v := range vectors {
		if err := set.Add(uint32(id), v); err != nil {
			t.Fatal(err)
		}
		raw.Add(hnsw.MakeNode(uint32(id), v))
	}
	search := func(v []float32, k int, _ func(uint32) bool) (hits []Hit, err error) {
		for _, node := range raw.Search(v, k) {
			hits = append(hits, Hit{ID: node.Key})
		}
		return hits, nil
	}
	recall := recallOf(set.sample(sampleQueries, nil), func(id uint32) (found, wanted int) {
		return set.compare(id, nil, search)
	})
	t.Logf("github.com/coder/hnsw v0.6.1: recall@10 %.3f at %d clustered vectors", recall, n)
	if recall < 0 || recall >= mended {
		t.Errorf("recall@10 of github.com/coder/hnsw is %.3f, it was .3: an upgrade mended it. Say so in the README, engine coder's comment and here, and see whether it is to be trusted", recall)
	}
}
