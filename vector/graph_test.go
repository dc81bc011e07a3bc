package vector

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// draw returns n vectors of dim numbers, some of them equal.
func draw(n, dim int, seed uint64) [][]float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([][]float32, n)
	for i := range out {
		if i > 0 && r.IntN(8) == 0 {
			out[i] = out[r.IntN(i)]
			continue
		}
		out[i] = make([]float32, dim)
		for j := range out[i] {
			out[i][j] = float32(r.NormFloat64())
		}
	}
	return out
}

func newTestHNSW(t testing.TB, dim int) *HNSW {
	t.Helper()
	h, err := newHNSW(dim)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// wellFormed checks what must hold of a graph between two calls.
func wellFormed(t interface {
	Helper()
	Fatalf(string, ...any)
}, g *graph) {
	t.Helper()
	top, entry := g.top, uint32(0)
	if top != notNode {
		entry = g.set.ids[g.entry]
	}
	if err := g.check(entry); err != nil || g.top != top {
		t.Fatalf("%v; top level %d, says %d", err, g.top, top)
	}
	nodes, inRings := 0, 0
	for slot := range uint32(len(g.level)) {
		if g.level[slot] == notNode {
			continue
		}
		nodes++
		inRings++
		for twin := g.twins[slot]; twin != slot; twin = g.twins[twin] {
			inRings++
			if g.level[twin] != notNode || !g.set.same(twin, slot) {
				t.Fatalf("%d is no twin of %d", twin, slot)
			}
		}
		if node, found := g.prints[g.set.fingerprint(slot)]; !found || node != slot {
			t.Fatalf("the fingerprint of %d names %d", slot, node)
		}
	}
	if nodes != g.nodes || nodes != len(g.prints) || inRings != g.set.Len() || len(g.level) != len(g.set.ids) {
		t.Fatalf("%d nodes (says %d, %d prints), %d vectors in rings of %d, %d slots of %d",
			nodes, g.nodes, len(g.prints), inRings, g.set.Len(), len(g.level), len(g.set.ids))
	}
}

// unreached counts the nodes of level 0 that no way leads to from the entry.
func unreached(g *graph) int {
	if g.nodes == 0 {
		return 0
	}
	seen := map[uint32]bool{g.entry: true}
	for queue := []uint32{g.entry}; len(queue) > 0; queue = queue[1:] {
		for _, n := range g.neighbours(queue[0], 0) {
			if !seen[n] {
				seen[n] = true
				queue = append(queue, n)
			}
		}
	}
	return g.nodes - len(seen)
}

// TestHNSW_LikeAMap does random operations to an index and to a map.
func TestHNSW_LikeAMap(t *testing.T) {
	vectors := draw(120, 6, 1)
	rapid.Check(t, func(t *rapid.T) {
		h, _ := newHNSW(6)
		model := map[uint32]int{}
		id, which := rapid.Uint32Range(0, 60), rapid.IntRange(0, len(vectors)-1)
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				i, n := id.Draw(t, "id"), which.Draw(t, "vector")
				if err := h.Add(i, vectors[n]); err != nil {
					t.Fatal(err)
				}
				model[i] = n
			},
			"remove": func(t *rapid.T) {
				i := id.Draw(t, "id")
				_, want := model[i]
				if got := h.Remove(i); got != want {
					t.Fatalf("remove %d: %v, want %v", i, got, want)
				}
				delete(model, i)
			},
			"search": func(t *rapid.T) {
				modulus := rapid.Uint32Range(1, 4).Draw(t, "modulus")
				k := rapid.IntRange(0, 80).Draw(t, "k")
				compareWithModel(t, h, model, vectors, vectors[which.Draw(t, "query")], k, modulus)
			},
			"": func(t *rapid.T) {
				wellFormed(t, h.graph)
				if lost := unreached(h.graph); lost > 0 {
					t.Fatalf("%d of %d nodes out of reach", lost, h.graph.nodes)
				}
			},
		})
	})
}

// compareWithModel: so few vectors are all within a walk's width, so the answer
// must be the right one.
func compareWithModel(t *rapid.T, h *HNSW, model map[uint32]int, vectors [][]float32, q []float32, k int, modulus uint32) {
	want := []Hit{}
	for id, n := range model {
		if id%modulus == 0 {
			want = append(want, Hit{id, float32(cosine(q, vectors[n]))})
		}
	}
	slices.SortFunc(want, func(a, b Hit) int { return cmp.Compare(b.Cosine, a.Cosine) })
	got, err := h.Search(q, k, func(id uint32) bool { return id%modulus == 0 })
	if err != nil || len(got) != min(k, len(want)) {
		t.Fatalf("%d hits, want %d of %d kept; %v", len(got), k, len(want), err)
	}
	for i, hit := range got {
		truth := cosine(q, vectors[model[hit.ID]])
		if math.Abs(float64(hit.Cosine)-truth) > 1e-4 || math.Abs(float64(want[i].Cosine-hit.Cosine)) > 1e-4 {
			t.Fatalf("hit %d is %v, its cosine %v, the %d-th nearest has %v", i, hit, truth, i, want[i].Cosine)
		}
		if i > 0 && got[i-1].Cosine == hit.Cosine && got[i-1].ID >= hit.ID {
			t.Fatalf("equal cosines out of order: %v", got)
		}
	}
}

// cosine in float64.
func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

// TestGraph_StaysWhole: after many removals every node can still be reached.
func TestGraph_StaysWhole(t *testing.T) {
	vectors := draw(2000, 16, 2)
	h := newTestHNSW(t, 16)
	r := rand.New(rand.NewPCG(3, 3))
	for id, v := range vectors {
		if err := h.Add(uint32(id), v); err != nil {
			t.Fatal(err)
		}
		if id > 700 {
			h.Remove(uint32(r.IntN(id)))
		}
	}
	wellFormed(t, h.graph)
	if lost := unreached(h.graph); lost > 0 {
		t.Errorf("%d of %d nodes out of reach", lost, h.graph.nodes)
	}
}

// TestGraph_LinksTightClusters: added one cluster after the other, each so tight
// that the nearest of every vector are all of its own cluster. Only edges chosen
// for their direction lead from one to the next.
func TestGraph_LinksTightClusters(t *testing.T) {
	const clusters, size, dim = 40, 60, 24
	centres, noise := draw(clusters, dim, 12), draw(clusters*size, dim, 13)
	h := newTestHNSW(t, dim)
	for i := range noise {
		v := slices.Clone(noise[i])
		for j := range v {
			v[j] = centres[i/size][j] + .2*v[j]
		}
		if err := h.Add(uint32(i), v); err != nil {
			t.Fatal(err)
		}
	}
	if lost := unreached(h.graph); lost > 0 {
		t.Errorf("%d of %d nodes out of reach", lost, h.graph.nodes)
	}
	found, wanted := 0, 0
	for id := uint32(0); id < clusters*size; id += 7 {
		narrow := func(v []float32, k int, _ func(uint32) bool) ([]Hit, error) {
			q, err := newQuery(v, dim, h.set.hi.stride)
			return h.graph.nearest(q, k, 2*k, nil), err
		}
		f, w := h.set.compare(id, nil, narrow)
		found, wanted = found+f, wanted+w
	}
	recall := float64(found) / float64(wanted)
	t.Logf("recall@10 %.3f of a walk 20 wide", recall)
	if recall < .97 {
		t.Errorf("recall@10 %.3f, want .97", recall)
	}
}

func TestLevelOf_FallsOffBySixteen(t *testing.T) {
	var count [maxLevel + 1]int
	const n = 1 << 18
	for id := range uint32(n) {
		count[levelOf(id)]++
	}
	for level, want := range []float64{15. / 16, 15. / 256, 15. / 4096} {
		if got := float64(count[level]) / n; math.Abs(got/want-1) > .1 {
			t.Errorf("level %d: %.5f of all ids, want %.5f", level, got, want)
		}
	}
}

func TestGraph_WidthFollowsTheFilter(t *testing.T) {
	h := newTestHNSW(t, 4)
	for id, v := range draw(2000, 4, 4) {
		if err := h.Add(uint32(id), v); err != nil {
			t.Fatal(err)
		}
	}
	every := func(n uint32) func(uint32) bool { return func(id uint32) bool { return id%n == 0 } }
	plain := leastWidth + 10*widthPerK
	for n, want := range map[uint32][2]int{1: {plain, plain}, 2: {plain * 3 / 2, plain * 3}, 100: {widestWalk + 1, math.MaxInt}} {
		if got := h.graph.width(10, every(n)); got < want[0] || got > want[1] {
			t.Errorf("one of %d kept: width %d, want %d to %d", n, got, want[0], want[1])
		}
	}
}

// newHNSW returns an empty index of vectors of dim numbers that has a graph from
// the first vector on.
func newHNSW(dim int) (*HNSW, error) {
	set, err := NewSet(dim)
	if err != nil {
		return nil, err
	}
	return openHNSW(set), nil
}
