package kernel

import (
	"fmt"
	"math"
	"testing"
)

// geluTolerance is absolute, for |x| ≤ 10; above, float32 rounds x itself.
const geluTolerance = 2e-6

func TestGELU_EqualsReference(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		const steps = 40_001 // from −10 to 10, an odd number so that a rest is left over
		x, want := make([]float32, steps), make([]float64, steps)
		for i := range x {
			x[i] = float32(i-steps/2) / 2000
			want[i] = referenceGELU(x[i])
		}
		s.GELU(x)
		checkClose(t, "−10…10", x, want, within(geluTolerance))
	})
}

func TestGELU_Extremes(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		x := []float32{0, 1e-38, -1e-38, 50, -50, 1e4, -1e4, 1e30, -1e30, math.MaxFloat32, -math.MaxFloat32}
		want := make([]float64, len(x))
		for i := range x {
			want[i] = referenceGELU(x[i])
		}
		s.GELU(x)
		checkClose(t, "extremes", x, want, func(i int) float64 {
			return geluTolerance + math.Abs(want[i])*1e-7
		})
	})
}

func TestGELU_EveryLengthAndNoMore(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		r := random(11)
		for n := range 70 {
			x := gaussian(r, n+16, 2)
			want := make([]float64, len(x))
			for i := range x {
				want[i] = float64(x[i])
				if i < n {
					want[i] = referenceGELU(x[i])
				}
			}
			s.GELU(x[:n])
			checkClose(t, fmt.Sprintf("%d values", n), x, want, within(geluTolerance))
		}
	})
}
