package vector

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestQuantise_Bounds: whatever the vector, hi alone is wrong by loss at most,
// and both bytes by little.
func TestQuantise_Bounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.SampledFrom([]int{1, 2, 63, 384, 600}).Draw(t, "dim")
		spread := rapid.Float64Range(0, 6).Draw(t, "spread")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		row, q := uneven(r, dim, spread), uneven(r, dim, spread)
		set, _ := NewSet(dim)
		if set.Add(1, row) != nil {
			t.Skip("drew nothing but zeros")
		}
		asked, err := newQuery(q, dim, set.hi.stride)
		if err != nil {
			t.Skip("drew nothing but zeros")
		}
		b := new(block)
		b.both(set, asked, 1)
		rough, exact := asked.rough(b.hi[0], set.norms[0]), asked.exact(b.hi[0], b.lo[0], set.norms[0])
		if d := math.Abs(float64(rough - exact)); d > float64(set.norms[0].loss) {
			t.Fatalf("rough %v, exact %v: %v apart, bound %v", rough, exact, d, set.norms[0].loss)
		}
		if truth := cosine(q, row); math.Abs(truth-float64(exact)) > 3e-4 {
			t.Fatalf("cosine %v, want %v", exact, truth)
		}
	})
}

// uneven draws numbers of very different sizes: e^(spread·normal).
func uneven(r *rand.Rand, dim int, spread float64) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64() * math.Exp(spread*r.NormFloat64()))
	}
	return v
}

func TestQuantise_WithItselfIsOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		v := uneven(r, 384, 1)
		set, _ := NewSet(384)
		if err := set.Add(3, v); err != nil {
			t.Fatal(err)
		}
		out := make([]float32, 1)
		if err := set.cosines(v, []uint32{3}, out); err != nil || out[0] != 1 {
			t.Fatalf("cosine with itself is %v, %v", out[0], err)
		}
	}
}

// TestSet_VectorComesBackTheSame: adding what Vector gives changes nothing, so a
// file may hold that.
func TestSet_VectorComesBackTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	set, _ := NewSet(384)
	for id := range uint32(100) {
		v := uneven(r, 384, .5)
		if err := set.Add(id, v); err != nil {
			t.Fatal(err)
		}
		out := make([]float32, 384)
		if !set.Vector(id, out) || math.Abs(cosine(v, out)-1) > 1e-8 || math.Abs(length(out)-1) > 1e-6 {
			t.Fatalf("vector %d came back at cosine %v, length %v", id, cosine(v, out), length(out))
		}
		before := set.fingerprint(set.slots[id])
		if err := set.Add(id, out); err != nil || set.fingerprint(set.slots[id]) != before {
			t.Errorf("vector %d is another after coming back: %v", id, err)
		}
	}
	if set.Vector(1000, make([]float32, 384)) {
		t.Error("a vector under an id that has none")
	}
}

func TestSet_NearestIsTheNearest(t *testing.T) {
	for _, n := range []int{1, 700, parallelRows + 300} {
		vectors := draw(n, 8, uint64(n))
		set, _ := NewSet(8)
		for id, v := range vectors {
			if err := set.Add(uint32(id), v); err != nil {
				t.Fatal(err)
			}
		}
		hits, err := set.search(vectors[0], 20, nil)
		if err != nil || len(hits) != min(20, n) {
			t.Fatalf("%d hits, %v", len(hits), err)
		}
		nearer := 0
		for _, v := range vectors {
			if cosine(vectors[0], v) > float64(hits[len(hits)-1].Cosine)+1e-4 {
				nearer++
			}
		}
		if nearer >= len(hits) {
			t.Errorf("of %d: %d are nearer than the last of %d hits", n, nearer, len(hits))
		}
	}
}
