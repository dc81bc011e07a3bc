package kernel

import (
	"fmt"
	"math"
	"testing"
)

// attentionTolerance is relative to the largest |v|: scores of some tens, as the
// model has them, round by about 1e-6, and so do the probabilities.
const attentionTolerance = 2e-5

// attentionShapes are tokens, heads and dim; the model has 12 heads of 32.
var attentionShapes = [][3]int{
	{1, 1, 32}, {1, 12, 32}, {2, 3, 32}, {5, 12, 32}, {13, 2, 64}, {512, 2, 32},
	{3, 2, 1}, {9, 2, 5}, {17, 3, 8}, {33, 2, 24}, {20, 2, 96}, {70, 1, 128}, {65, 2, 40},
}

// checkAttentionOf runs one attention into the middle of a marked slice, against
// the reference.
func checkAttentionOf(t *testing.T, s *Set, what string, q, k, v []float32, shape [3]int, scratch *[]float32) {
	t.Helper()
	const margin, mark = 16, 4242
	tokens, heads, dim := shape[0], shape[1], shape[2]
	n := tokens * heads * dim
	out := make([]float32, margin+n+margin)
	for i := range out {
		out[i] = mark
	}
	s.Attention(out[margin:margin+n], q, k, v, tokens, heads, dim, scratch)
	var largest float64
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	want := referenceAttention(q, k, v, tokens, heads, dim)
	checkClose(t, what, out[margin:margin+n], want, within(attentionTolerance*largest))
	for i := range margin {
		if out[i] != mark || out[margin+n+i] != mark {
			t.Fatalf("%s: wrote outside out", what)
		}
	}
}

func TestAttention_EqualsReference(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		r := random(12)
		shapes := attentionShapes
		for tokens := 1; tokens <= 70; tokens++ {
			shapes = append(shapes, [3]int{tokens, 1 + tokens%3, 32})
		}
		var scratch []float32
		for _, shape := range shapes {
			n := shape[0] * shape[1] * shape[2]
			q, k, v := gaussian(r, n, 2), gaussian(r, n, 2), gaussian(r, n, 1)
			what := fmt.Sprintf("%d tokens, %d heads of %d", shape[0], shape[1], shape[2])
			checkAttentionOf(t, s, what, q, k, v, shape, &scratch)
		}
	})
}

func TestAttention_Extremes(t *testing.T) {
	const tokens, heads, dim = 21, 2, 32
	const n = tokens * heads * dim
	constant := func(c float32) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = c
		}
		return x
	}
	eachSet(t, func(t *testing.T, s *Set) {
		r := random(13)
		v := gaussian(r, n, 1)
		var scratch []float32
		// The same score everywhere, low or high, is the mean of v.
		for _, c := range []float32{0, 1e-20, 1, -1, 1000, -1000} {
			checkAttentionOf(t, s, fmt.Sprintf("all q %g", c), constant(c), constant(3), v, [3]int{tokens, heads, dim}, &scratch)
		}
		// One key that outweighs all others by far more than float32's exp reaches.
		q, k := constant(100), constant(-100)
		for d := range dim {
			k[heads*dim*7+d] = 100 // head 0 of token 7
		}
		checkAttentionOf(t, s, "one key", q, k, v, [3]int{tokens, heads, dim}, &scratch)
	})
}

func TestAttention_ReusesScratch(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		r := random(14)
		const tokens, heads, dim = 37, 2, 32
		x := gaussian(r, tokens*heads*dim, 1)
		out := make([]float32, len(x))
		var scratch []float32
		s.Attention(out, x, x, x, tokens, heads, dim, &scratch)
		// Whatever a call left in the scratch must not reach the next one.
		for i := range scratch {
			scratch[i] = float32(math.NaN())
		}
		checkAttentionOf(t, s, "after NaN in the scratch", x, x, x, [3]int{tokens, heads, dim}, &scratch)
		checkAttentionOf(t, s, "fewer tokens", x, x, x, [3]int{5, heads, dim}, &scratch)
		allocations := testing.AllocsPerRun(5, func() {
			s.Attention(out, x, x, x, tokens, heads, dim, &scratch)
		})
		if allocations != 0 {
			t.Errorf("%v allocations with a grown scratch, want 0", allocations)
		}
	})
}

func TestAttention_NoTokensAndWrongShapes(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		var scratch []float32
		s.Attention(nil, nil, nil, nil, 0, 12, 32, &scratch)
		full := make([]float32, 64)
		mustPanic(t, "out too short", func() { s.Attention(full[:63], full, full, full, 2, 1, 32, &scratch) })
		mustPanic(t, "v too short", func() { s.Attention(full, full, full, full[:63], 2, 1, 32, &scratch) })
		mustPanic(t, "no heads", func() { s.Attention(full, full, full, full, 2, 0, 32, &scratch) })
	})
}
