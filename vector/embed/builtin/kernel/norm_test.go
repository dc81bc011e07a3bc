package kernel

import (
	"fmt"
	"testing"
)

// normTolerance allows for a float32 sum over a row of unit deviation, with
// weights up to about 3.
const normTolerance = 1e-5

// normEps is the model's epsilon.
const normEps = 1e-12

func TestAddNorm_EqualsReference(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		r := random(8)
		for _, width := range []int{1, 7, 8, 31, 32, 40, 100, 384, 385, 1536} {
			for rows := range 4 {
				x, y := gaussian(r, rows*width, 3), gaussian(r, rows*width, 1)
				if rows == 2 {
					y = nil
				}
				weight, bias := gaussian(r, width, 1), gaussian(r, width, 1)
				eps := float32(normEps)
				if width == 1 {
					eps = 1e-3 // one value has no deviation
				}
				want := referenceAddNorm(x, y, weight, bias, width, float64(eps))
				s.AddNorm(x, y, weight, bias, width, eps)
				what := fmt.Sprintf("%d rows of %d", rows, width)
				checkClose(t, what, x, want, within(normTolerance))
			}
		}
	})
}

func TestAddNorm_Extremes(t *testing.T) {
	const width = 48
	weight, bias := make([]float32, width), make([]float32, width)
	for i := range weight {
		weight[i], bias[i] = 1, 0.25
	}
	eachSet(t, func(t *testing.T, s *Set) {
		for _, v := range []float32{0, 1, -1e6, 1e-30} {
			x := make([]float32, width)
			for i := range x {
				x[i] = v
			}
			// A constant row has no deviation: what is left is the bias.
			s.AddNorm(x, nil, weight, bias, width, 1e-5)
			want := make([]float64, width)
			for i := range want {
				want[i] = 0.25
			}
			checkClose(t, fmt.Sprintf("all %g", v), x, want, within(1e-3))
		}
		// A large offset beside a small deviation: a one-pass variance would fail.
		r := random(9)
		x := gaussian(r, width, 1)
		for i := range x {
			x[i] += 1000
		}
		want := referenceAddNorm(x, nil, weight, bias, width, normEps)
		s.AddNorm(x, nil, weight, bias, width, normEps)
		checkClose(t, "offset 1000", x, want, within(1e-3))
	})
}

func TestAddNorm_WritesItsRowsOnly(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		const width, mark = 40, 777
		r := random(10)
		x := gaussian(r, width+8, 1)
		for i := width; i < len(x); i++ {
			x[i] = mark
		}
		s.AddNorm(x[:width], nil, gaussian(r, width, 1), gaussian(r, width, 1), width, normEps)
		for i := width; i < len(x); i++ {
			if x[i] != mark {
				t.Fatalf("wrote value %d behind a row of %d", i, width)
			}
		}
	})
}

func TestAddNorm_WrongShapePanics(t *testing.T) {
	full := make([]float32, 32)
	eachSet(t, func(t *testing.T, s *Set) {
		mustPanic(t, "half a row", func() { s.AddNorm(make([]float32, 48), nil, full, full, 32, normEps) })
		mustPanic(t, "y too short", func() { s.AddNorm(full, full[:31], full, full, 32, normEps) })
		mustPanic(t, "weight too short", func() { s.AddNorm(full, nil, full[:31], full, 32, normEps) })
	})
}
