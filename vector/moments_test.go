package vector

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func newMoments(t testing.TB, dim int) *Moments {
	t.Helper()
	m, err := NewMoments(dim)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// cone draws vectors about one direction, as a sentence model's are: of mean
// cosine .75.
func cone(n, dim int, seed uint64) [][]float32 {
	vectors := draw(n+1, dim, seed)
	middle := vectors[n]
	for i, v := range vectors[:n] {
		vectors[i] = make([]float32, dim)
		for j := range v {
			vectors[i][j] = v[j] + 1.7*middle[j]
		}
	}
	return vectors[:n]
}

// TestMoments_AreTheScans: to 1e-6, for one vector as for many, after many came
// and went.
func TestMoments_AreTheScans(t *testing.T) {
	vectors := cone(720, 384, 31)
	vectors, queries := vectors[:700], vectors[700:]
	m := newMoments(t, 384)
	r := rand.New(rand.NewPCG(1, 1))
	live := map[int]bool{}
	for step := range 2000 {
		i := r.IntN(len(vectors))
		change := m.Add
		if live[i] {
			change = m.Remove
		}
		if err := change(vectors[i]); err != nil {
			t.Fatal(err)
		}
		live[i] = !live[i]
		if step < 3 || step%200 == 0 || step == 1999 {
			compareMoments(t, m, vectors, live, queries)
		}
	}
}

func compareMoments(t *testing.T, m *Moments, vectors [][]float32, live map[int]bool, queries [][]float32) {
	t.Helper()
	for _, q := range queries {
		var n, sum, squares float64
		for i, v := range vectors {
			if live[i] {
				c := cosine(q, v)
				n, sum = n+1, sum+c
			}
		}
		for i, v := range vectors {
			if live[i] {
				squares += math.Pow(cosine(q, v)-sum/n, 2)
			}
		}
		mean, std := m.Score(q)
		if int(n) != m.Len() || n > 0 && (math.Abs(mean-sum/n) > 1e-6 || math.Abs(std-math.Sqrt(squares/n)) > 1e-6) {
			t.Fatalf("%d vectors: mean %.9f, std %.9f; the scan's %.9f, %.9f of %v", m.Len(), mean, std, sum/n, math.Sqrt(squares/n), n)
		}
	}
}

// TestMoments_LeaveNoTrace: what was taken out is gone to the last bit, in
// whatever order things came.
func TestMoments_LeaveNoTrace(t *testing.T) {
	vectors := draw(300, 24, 32)
	some, all := newMoments(t, 24), newMoments(t, 24)
	for _, v := range vectors[:100] {
		if err := some.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range slices.Backward(vectors) {
		if err := all.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range vectors[100:] {
		if err := all.Remove(v); err != nil {
			t.Fatal(err)
		}
	}
	if some.n != all.n || !slices.Equal(some.sum, all.sum) || !slices.Equal(some.cross, all.cross) {
		t.Error("adding and removing others leaves a trace")
	}
}

func TestMoments_RefuseBadVectors(t *testing.T) {
	m := newMoments(t, 2)
	nan := float32(math.NaN())
	if err := m.Remove([]float32{1, 0}); !errors.Is(err, ErrMomentsEmpty) {
		t.Errorf("remove from none: %v", err)
	}
	if mean, std := m.Score([]float32{1, 0}); mean != 0 || std != 0 {
		t.Errorf("of no vectors: %v, %v", mean, std)
	}
	if err := m.Add([]float32{3, 4}); err != nil {
		t.Fatal(err)
	}
	for v, want := range map[*[]float32]error{{1}: ErrDimension, {nan, 1}: ErrNotFinite, {0, 0}: ErrZero} {
		if err := errors.Join(m.Add(*v), m.Remove(*v)); !errors.Is(err, want) {
			t.Errorf("%v: %v, want %v", *v, err, want)
		}
		if mean, std := m.Score(*v); !math.IsNaN(mean) || !math.IsNaN(std) {
			t.Errorf("score of %v: %v, %v", *v, mean, std)
		}
	}
	if mean, std := m.Score([]float32{2, 0}); m.Len() != 1 || math.Abs(mean-.6) > 1e-6 || std > 1e-6 {
		t.Errorf("%d vectors, mean %v, std %v; want 1, .6, 0", m.Len(), mean, std)
	}
	m.n = MaxMoments
	if err := m.Add([]float32{1, 0}); !errors.Is(err, ErrMomentsFull) {
		t.Errorf("one too many: %v", err)
	}
	if _, err := NewMoments(0); !errors.Is(err, ErrDimension) {
		t.Errorf("dimension 0: %v", err)
	}
}

// TestMoments_HoldTheWorstCase: as many as fit, all the same axis.
func TestMoments_HoldTheWorstCase(t *testing.T) {
	if worst := float64(MaxMoments) * momentStep * momentStep; worst >= math.MaxInt64 || MaxMoments < 2_000_000 {
		t.Errorf("%d vectors sum up to %g", MaxMoments, worst)
	}
}

func BenchmarkMoments(b *testing.B) {
	vectors := cone(64, 384, 33)
	m := newMoments(b, 384)
	b.Run("Add", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if err := m.Add(vectors[i%64]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Score", func(b *testing.B) {
		for b.Loop() {
			m.Score(vectors[0])
		}
	})
}

// TestMoments_ManyAtOnceAreOneByOne: to the last bit, in any dimension and number,
// with numbers as large as they can be.
func TestMoments_ManyAtOnceAreOneByOne(t *testing.T) {
	for _, dim := range []int{1, 2, 3, 4, 5, 64, 67, 384} {
		vectors := cone(23, dim, uint64(dim))
		for i := range dim { // along an axis: ±2²¹ and zeros
			v := make([]float32, dim)
			v[i] = float32(1 - 2*(i%2))
			vectors = append(vectors, v)
		}
		for _, n := range []int{0, 1, 3, 4, 5, 8, len(vectors)} {
			one, all := newMoments(t, dim), newMoments(t, dim)
			for _, v := range vectors[:min(n, len(vectors))] {
				if err := one.Add(v); err != nil {
					t.Fatal(err)
				}
			}
			if err := all.AddAll(vectors[:min(n, len(vectors))]); err != nil {
				t.Fatal(err)
			}
			if one.n != all.n || !slices.Equal(one.sum, all.sum) || !slices.Equal(one.cross, all.cross) {
				t.Errorf("dim %d, %d vectors: not the same", dim, n)
			}
		}
	}
	if err := newMoments(t, 2).AddAll([][]float32{{1, 2}, {0, 0}, {1, 1}, {1, 2}}); err == nil {
		t.Error("a vector without a direction is counted")
	}
}

func TestAddFour_FastIsPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 70 {
		stride := n + r.IntN(5)
		w, fast := make([]int64, 4*stride), make([]int64, n)
		for i := range w {
			w[i] = int64(r.Int32()) - 1<<30
		}
		for i := range fast {
			fast[i] = r.Int64() - 1<<62
		}
		plain, factors := slices.Clone(fast), [4]int64{math.MinInt32, math.MaxInt32, -3, int64(r.Int32())}
		addFour(fast, w, stride, &factors)
		addFourPlain(plain, w, stride, &factors)
		if !slices.Equal(fast, plain) {
			t.Fatalf("%d numbers: fast and plain differ", n)
		}
	}
}

func BenchmarkMoments_AddAll(b *testing.B) {
	vectors, m := cone(64, 384, 1), newMoments(b, 384)
	for b.Loop() {
		_ = m.AddAll(vectors)
	}
}
