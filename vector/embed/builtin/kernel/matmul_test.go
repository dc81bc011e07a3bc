package kernel

import (
	"fmt"
	"math"
	"testing"
)

// matmulTolerance is relative to the sum of the absolute block products: the
// integer sums are exact, so only the float32 sum over up to 48 blocks rounds.
const matmulTolerance = 64.0 / (1 << 24)

// checkMatMulOf runs one product into the middle of a marked slice, against the
// reference.
func checkMatMulOf(t *testing.T, s *Set, what string, w Weights, bias []float32, a *Activations) {
	t.Helper()
	const margin, mark = 16, 12345
	n := a.Tokens * w.Out
	y := make([]float32, margin+n+margin)
	for i := range y {
		y[i] = mark
	}
	s.MatMul(y[margin:margin+n], w, bias, a)
	want, magnitude := referenceMatMul(w, bias, a)
	checkClose(t, what, y[margin:margin+n], want, func(i int) float64 {
		return matmulTolerance*magnitude[i] + math.SmallestNonzeroFloat32
	})
	for i := range margin {
		if y[i] != mark || y[margin+n+i] != mark {
			t.Fatalf("%s: wrote outside y", what)
		}
	}
}

func TestMatMul_EqualsReference(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		r := random(1)
		var a Activations
		for tokens := 1; tokens <= 70; tokens++ {
			out, in := Lanes*(1+r.IntN(6)), Block*(1+r.IntN(4))
			switch tokens {
			case 5, 33:
				in = 1536
			case 7, 34:
				out = 384
			}
			w := randomWeights(r, out, in, func() byte { return byte(r.IntN(16)) })
			s.Quantize(&a, gaussian(r, tokens*in, 2), tokens, in)
			what := fmt.Sprintf("%d tokens, %d→%d", tokens, in, out)
			checkMatMulOf(t, s, what, w, gaussian(r, out, 1), &a)
		}
	})
}

// TestMatMul_Extremes drives the sums inside a kernel to their bounds: int16 in
// the AVX2 and plain Go sets.
func TestMatMul_Extremes(t *testing.T) {
	fixed := func(n byte) func() byte { return func() byte { return n } }
	eachSet(t, func(t *testing.T, s *Set) {
		r := random(2)
		for _, nibble := range []byte{0, 7, 8, 9, 15} {
			for _, level := range []int8{-127, 0, 1, 127} {
				const tokens, out, in = 9, 24, 64
				w := randomWeights(r, out, in, fixed(nibble))
				a := constantActivations(tokens, in, level)
				what := fmt.Sprintf("all nibbles %d, all activations %d", nibble, level)
				checkMatMulOf(t, s, what, w, make([]float32, out), a)
			}
		}
	})
}

// constantActivations returns activations that all have the same level.
func constantActivations(tokens, in int, level int8) *Activations {
	a := &Activations{
		Q:      make([]int8, tokens*in),
		Scale:  make([]float32, tokens*in/Block),
		Sum:    make([]int32, tokens*in/Block),
		Tokens: tokens,
		In:     in,
	}
	for i := range a.Q {
		a.Q[i] = level
	}
	for i := range a.Scale {
		a.Scale[i], a.Sum[i] = 0.01, Block*int32(level)
	}
	return a
}

func TestMatMul_NoTokensWritesNothing(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		w := randomWeights(random(3), 16, 32, func() byte { return 3 })
		y := []float32{42}
		s.MatMul(y, w, make([]float32, 16), &Activations{In: 32})
		if y[0] != 42 {
			t.Errorf("y[0] = %v after no tokens, want it untouched", y[0])
		}
	})
}

func TestMatMul_WrongShapePanics(t *testing.T) {
	w := randomWeights(random(4), 16, 64, func() byte { return 3 })
	bias := make([]float32, 16)
	eachSet(t, func(t *testing.T, s *Set) {
		mustPanic(t, "y too short", func() {
			s.MatMul(make([]float32, 31), w, bias, constantActivations(2, 64, 1))
		})
		mustPanic(t, "other inputs", func() {
			s.MatMul(make([]float32, 32), w, bias, constantActivations(2, 32, 1))
		})
		mustPanic(t, "weights too short", func() {
			short := Weights{Data: w.Data[:len(w.Data)-1], Out: 16, In: 64}
			s.MatMul(make([]float32, 32), short, bias, constantActivations(2, 64, 1))
		})
		mustPanic(t, "bias too short", func() {
			s.MatMul(make([]float32, 32), w, bias[:15], constantActivations(2, 64, 1))
		})
		mustPanic(t, "sums too short", func() {
			a := constantActivations(2, 64, 1)
			a.Sum = a.Sum[:3]
			s.MatMul(make([]float32, 32), w, bias, a)
		})
	})
}

// mustPanic fails the test when f returns.
func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}

func TestFloat16_EveryValue(t *testing.T) {
	for h := range 1 << 16 {
		sign := 1.0
		if h>>15 == 1 {
			sign = -1
		}
		exponent, mantissa := h>>10&31, float64(h&0x3ff)/1024
		want := sign * math.Ldexp(1+mantissa, exponent-15)
		switch {
		case exponent == 0:
			want = sign * math.Ldexp(mantissa, -14)
		case exponent == 31 && mantissa == 0:
			want = math.Inf(int(sign))
		case exponent == 31:
			want = math.NaN()
		}
		got := float64(float16(uint16(h)))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("float16(%#04x) = %v, want %v", h, got, want)
		}
	}
}
