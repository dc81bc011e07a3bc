package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// checkQuantized holds a against the definition: half a step of error at most,
// levels within ±127, sums exact.
func checkQuantized(t *testing.T, what string, a *Activations, x []float32, tokens, in int) {
	t.Helper()
	if a.Tokens != tokens || a.In != in || len(a.Q) != tokens*in || len(a.Scale) != len(a.Q)/Block || len(a.Sum) != len(a.Scale) {
		t.Fatalf("%s: shape %d×%d with %d levels, %d scales, %d sums", what, a.Tokens, a.In, len(a.Q), len(a.Scale), len(a.Sum))
	}
	for b, scale := range a.Scale {
		var sum int32
		for i := b * Block; i < (b+1)*Block; i++ {
			sum += int32(a.Q[i])
			if a.Q[i] == math.MinInt8 {
				t.Fatalf("%s: level %d is −128", what, i)
			}
			// Half a step, and some rounding of the division before.
			off := math.Abs(float64(a.Q[i])*float64(scale) - float64(x[i]))
			if !(off <= 0.50001*float64(scale)+tiniest) {
				t.Fatalf("%s: value %d is %v, quantised to %d·%v", what, i, x[i], a.Q[i], scale)
			}
		}
		if sum != a.Sum[b] {
			t.Fatalf("%s: sum of block %d is %d, want %d", what, b, a.Sum[b], sum)
		}
	}
}

func TestQuantize_EqualsDefinition(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		r := random(5)
		var a Activations
		for _, deviation := range []float64{1e-38, 1e-20, 1e-3, 1, 1e4, 1e30} {
			for range 20 {
				tokens, in := 1+r.IntN(9), Block*(1+r.IntN(5))
				x := gaussian(r, tokens*in, deviation)
				s.Quantize(&a, x, tokens, in)
				what := fmt.Sprintf("%d×%d, deviation %g", tokens, in, deviation)
				checkQuantized(t, what, &a, x, tokens, in)
			}
		}
	})
}

func TestQuantize_Extremes(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		var a Activations
		for _, v := range []float32{0, math.SmallestNonzeroFloat32, -1e-38, 1, -1, math.MaxFloat32, -math.MaxFloat32} {
			x := make([]float32, 2*Block)
			for i := range Block {
				x[i] = v
			}
			s.Quantize(&a, x, 1, len(x))
			checkQuantized(t, fmt.Sprintf("all %g", v), &a, x, 1, len(x))
			if a.Sum[1] != 0 {
				t.Errorf("a block of zeros sums up to %d", a.Sum[1])
			}
		}
	})
}

// TestQuantize_AllSetsAlike wants the same levels to the bit, so that sets differ
// by the rounding of their float sums only.
func TestQuantize_AllSetsAlike(t *testing.T) {
	r := random(6)
	const tokens, in = 40, 384
	x := gaussian(r, tokens*in, 1.5)
	for i := 0; i < len(x); i += 7 {
		x[i] = float32(r.IntN(255)-127) / 2 // half steps, to see ties
	}
	var want Activations
	goSet().Quantize(&want, x, tokens, in)
	eachSet(t, func(t *testing.T, s *Set) {
		var got Activations
		s.Quantize(&got, x, tokens, in)
		if !slices.Equal(got.Q, want.Q) || !slices.Equal(got.Scale, want.Scale) || !slices.Equal(got.Sum, want.Sum) {
			t.Errorf("quantises unlike the plain Go set")
		}
	})
}

func TestQuantize_ReusesItsSlices(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		r := random(7)
		var a Activations
		large := gaussian(r, 8*64, 1)
		s.Quantize(&a, large, 8, 64)
		first := &a.Q[0]
		small := gaussian(r, 3*32, 1)
		s.Quantize(&a, small, 3, 32)
		checkQuantized(t, "after a larger one", &a, small, 3, 32)
		if &a.Q[0] != first {
			t.Errorf("a smaller input got new memory")
		}
		allocations := testing.AllocsPerRun(5, func() { s.Quantize(&a, large, 8, 64) })
		if allocations != 0 {
			t.Errorf("%v allocations with room for the input, want 0", allocations)
		}
		s.Quantize(&a, nil, 0, 64)
		checkQuantized(t, "no tokens", &a, nil, 0, 64)
	})
}

func TestQuantize_WrongShapePanics(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		var a Activations
		mustPanic(t, "x too short", func() { s.Quantize(&a, make([]float32, 63), 2, 32) })
		mustPanic(t, "half a block", func() { s.Quantize(&a, make([]float32, 64), 1, 48) })
	})
}
