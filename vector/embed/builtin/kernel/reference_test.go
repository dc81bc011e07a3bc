package kernel

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// The references compute in float64, one formula after the other, so that each
// can be checked by reading it.

// eachSet runs a test for every set of this machine.
func eachSet(t *testing.T, test func(t *testing.T, s *Set)) {
	t.Helper()
	for _, s := range All() {
		t.Run(s.Name, func(t *testing.T) { test(t, s) })
	}
}

// random returns a generator that gives the same numbers in every run.
func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x5eed)) }

// gaussian returns n normally distributed values of the given deviation.
func gaussian(r *rand.Rand, n int, deviation float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64() * deviation)
	}
	return x
}

// half returns the float16 bits of a positive normal value, cutting what float16
// has no room for.
func half(v float64) uint16 {
	b := math.Float32bits(float32(v))
	return uint16((b>>23-112)<<10 | b>>13&0x3ff)
}

// randomWeights returns out × in weights whose nibbles come from the given
// function.
func randomWeights(r *rand.Rand, out, in int, nibble func() byte) Weights {
	w := Weights{Data: make([]byte, out/Lanes*(in/Block)*TileBytes), Out: out, In: in}
	for tile := 0; tile < len(w.Data); tile += TileBytes {
		for o := range Lanes {
			binary.LittleEndian.PutUint16(w.Data[tile+2*o:], half(0.001+r.Float64()*0.05))
		}
		for i := 2 * Lanes; i < TileBytes; i++ {
			w.Data[tile+i] = nibble() | nibble()<<4
		}
	}
	return w
}

// weightAt returns scale and level of the weight of output o and input i, found
// by the layout that Weights documents.
func weightAt(w Weights, o, i int) (scale float64, level int) {
	tile := w.Data[(o/Lanes*(w.In/Block)+i/Block)*TileBytes:][:TileBytes]
	o, i = o%Lanes, i%Block
	scale = float64(float16(binary.LittleEndian.Uint16(tile[2*o:])))
	b := tile[2*Lanes+Block*(i/8)+4*o+i%4]
	if i%8 >= 4 {
		b >>= 4
	}
	return scale, int(b&15) - 8
}

// referenceMatMul returns the product and, for the tolerance, the sum of the
// absolute block products.
func referenceMatMul(w Weights, bias []float32, a *Activations) (y, magnitude []float64) {
	for t := range a.Tokens {
		for o := range w.Out {
			sum := float64(bias[o])
			size := math.Abs(sum)
			for b := 0; b < w.In; b += Block {
				var dot float64
				for i := b; i < b+Block; i++ {
					scale, level := weightAt(w, o, i)
					dot += scale * float64(level) * float64(a.Q[t*a.In+i])
				}
				dot *= float64(a.Scale[(t*a.In+b)/Block])
				sum += dot
				size += math.Abs(dot)
			}
			y, magnitude = append(y, sum), append(magnitude, size)
		}
	}
	return y, magnitude
}

// referenceAddNorm returns the layer norm of every row of x + y.
func referenceAddNorm(x, y, weight, bias []float32, width int, eps float64) []float64 {
	var out []float64
	for r := 0; r < len(x); r += width {
		var sum, squares float64
		row := make([]float64, width)
		for i := range row {
			row[i] = float64(x[r+i])
			if y != nil {
				row[i] += float64(y[r+i])
			}
			sum += row[i]
		}
		mean := sum / float64(width)
		for _, v := range row {
			squares += (v - mean) * (v - mean)
		}
		deviation := math.Sqrt(squares/float64(width) + eps)
		for i, v := range row {
			out = append(out, (v-mean)/deviation*float64(weight[i])+float64(bias[i]))
		}
	}
	return out
}

// referenceGELU returns x·Φ(x).
func referenceGELU(x float32) float64 {
	return 0.5 * float64(x) * math.Erfc(-float64(x)/math.Sqrt2)
}

// referenceAttention returns softmax(q·kᵀ/√dim)·v per head.
func referenceAttention(q, k, v []float32, tokens, heads, dim int) []float64 {
	out := make([]float64, tokens*heads*dim)
	p := make([]float64, tokens)
	for i := range tokens {
		for h := range heads {
			at := func(t int) int { return (t*heads + h) * dim }
			highest := math.Inf(-1)
			for j := range p {
				p[j] = 0
				for d := range dim {
					p[j] += float64(q[at(i)+d]) * float64(k[at(j)+d]) / math.Sqrt(float64(dim))
				}
				highest = max(highest, p[j])
			}
			var sum float64
			for j := range p {
				p[j] = math.Exp(p[j] - highest)
				sum += p[j]
			}
			for j := range p {
				for d := range dim {
					out[at(i)+d] += p[j] / sum * float64(v[at(j)+d])
				}
			}
		}
	}
	return out
}

// checkClose fails the test at the first value that is off by more than its
// tolerance, or is no number.
func checkClose(t *testing.T, what string, got []float32, want []float64, tolerance func(i int) float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		// The negation catches NaN too.
		if !(math.Abs(float64(got[i])-w) <= tolerance(i)) {
			t.Fatalf("%s: value %d is %v, want %v ± %.2g", what, i, got[i], w, tolerance(i))
		}
	}
}

// within is the same tolerance for every value.
func within(tolerance float64) func(int) float64 {
	return func(int) float64 { return tolerance }
}
