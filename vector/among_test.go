package vector_test

import (
	"slices"
	"testing"

	"mcp-memory/vector"
	"mcp-memory/vector/vectortest"
)

// Among finds just what a scan filtered to the same vectors finds, by every engine, and
// leaves out ids that have no vector.
func TestAmong_IsTheFilteredScan(t *testing.T) {
	const n, dim = 500, 32
	vectors, queries := vectortest.Synthetic(n, 10, dim, 4)
	exact, err := vector.NewExact(dim)
	if err != nil {
		t.Fatal(err)
	}
	for id, v := range vectors {
		add(t, exact, uint32(id), v)
	}
	every(t, dim, func(t *testing.T, index vector.Index) {
		for id, v := range vectors {
			add(t, index, uint32(id), v)
		}
		for _, step := range []int{1, 7, 100} {
			ids := []uint32{n + 5}
			for id := n - 1; id >= 0; id -= step {
				ids = append(ids, uint32(id))
			}
			for _, k := range []int{0, 1, 10, n + 1} {
				for _, q := range queries {
					got, err := vector.Among(index, q, ids, k)
					if err != nil {
						t.Fatal(err)
					}
					if want := search(t, exact, q, k, func(id uint32) bool { return slices.Contains(ids, id) }); !slices.Equal(got, want) {
						t.Fatalf("every %d, k %d: %v, want %v", step, k, got, want)
					}
				}
			}
		}
	})
	if _, err := vector.Among(exact, make([]float32, dim), []uint32{1}, 1); err == nil {
		t.Error("a query without a direction is taken")
	}
}

// A filter that many pass is asked about the nearest alone, one that few pass about
// all: what is found is the same.
func TestExact_AFilterChangesNoOrder(t *testing.T) {
	const n, dim, k = 6000, 16, 10
	vectors, queries := vectortest.Synthetic(n, 10, dim, 4)
	exact, err := vector.NewExact(dim)
	if err != nil {
		t.Fatal(err)
	}
	for id, v := range vectors {
		add(t, exact, uint32(id), v)
	}
	for _, q := range queries {
		all := search(t, exact, q, n, nil)
		half := map[uint32]bool{} // the farther half passes, so that none of the nearest does
		for _, h := range all[n/2:] {
			half[h.ID] = true
		}
		for name, keep := range map[string]func(uint32) bool{
			"all": func(uint32) bool { return true }, "two of three": func(id uint32) bool { return id%3 > 0 },
			"every fifth": func(id uint32) bool { return id%5 == 0 }, "few": func(id uint32) bool { return id%997 == 0 },
			"none": func(uint32) bool { return false }, "the farther half": func(id uint32) bool { return half[id] },
		} {
			want := slices.DeleteFunc(slices.Clone(all), func(h vector.Hit) bool { return !keep(h.ID) })
			if got := search(t, exact, q, k, keep); !slices.Equal(got, want[:min(k, len(want))]) {
				t.Errorf("%s: %v, want %v", name, got, want[:min(k, len(want))])
			}
		}
	}
}
