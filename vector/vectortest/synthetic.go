// Package vectortest makes vectors like those of a sentence model and measures
// the engines of package vector on them, or on any others.
package vectortest

import (
	"math"
	"math/rand/v2"
)

// The shape of sentences embedded by multilingual-e5-small, which Synthetic
// imitates: all lie about one direction (of 20,000 the mean cosine is .77, the
// spread .035), what is left lies mostly along few others whose weight falls off
// slowly, and sentences come in groups that say nearly the same (the nearest at
// .93, the tenth at .90).
const (
	common     = .87 // length of the vectors' mean
	directions = 64  // beside it
	falloff    = .4  // the i-th weighs i^−falloff
	noise      = .30 // share of the rest that lies in no such direction
	groupSize  = 24  // sentences a group
	likeness   = .80 // share of a sentence's place that is its group's
)

// Synthetic returns n unit vectors of dim numbers and queries of the same kind,
// the same for the same seed.
func Synthetic(n, queries, dim int, seed uint64) (vectors, asked [][]float32) {
	s := newSource(dim, seed)
	groups := max(1, n/groupSize)
	centres := make([][]float64, groups)
	for i := range centres {
		centres[i] = s.normals()
	}
	draw := func(m int) [][]float32 {
		out := make([][]float32, m)
		for i := range out {
			out[i] = s.vector(centres[s.random.IntN(groups)])
		}
		return out
	}
	return draw(n), draw(queries)
}

// source draws vectors.
type source struct {
	random *rand.Rand
	mean   []float64
	basis  [][]float64 // directions, each as long as it weighs
	dim    int
}

func newSource(dim int, seed uint64) *source {
	s := &source{random: rand.New(rand.NewPCG(seed, 2)), dim: dim}
	s.mean = s.direction(common)
	rest := math.Sqrt(1 - common*common)
	weights := make([]float64, directions)
	sum := 0.0
	for i := range weights {
		weights[i] = math.Pow(float64(i+1), -falloff)
		sum += weights[i] * weights[i]
	}
	for _, w := range weights {
		s.basis = append(s.basis, s.direction(rest*math.Sqrt(1-noise)*w/math.Sqrt(sum)))
	}
	return s
}

// direction is a random vector of the given length.
func (s *source) direction(length float64) []float64 {
	v := make([]float64, s.dim)
	sum := 0.0
	for i := range v {
		v[i] = s.random.NormFloat64()
		sum += v[i] * v[i]
	}
	for i := range v {
		v[i] *= length / math.Sqrt(sum)
	}
	return v
}

// normals are the coordinates of a group along the directions.
func (s *source) normals() []float64 {
	z := make([]float64, directions)
	for i := range z {
		z[i] = s.random.NormFloat64()
	}
	return z
}

// vector draws one of a group.
func (s *source) vector(centre []float64) []float32 {
	v := s.direction(math.Sqrt((1 - common*common) * noise))
	for i, m := range s.mean {
		v[i] += m
	}
	for d, along := range s.basis {
		z := math.Sqrt(likeness)*centre[d] + math.Sqrt(1-likeness)*s.random.NormFloat64()
		for i, b := range along {
			v[i] += z * b
		}
	}
	return unit(v)
}

// unit is v at length one.
func unit(v []float64) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x / math.Sqrt(sum))
	}
	return out
}
