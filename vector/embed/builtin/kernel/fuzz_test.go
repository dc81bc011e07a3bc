package kernel

import (
	"fmt"
	"math"
	"testing"
)

// cycled returns n bytes, the given ones over and over.
func cycled(data []byte, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		if len(data) > 0 {
			out[i] = data[i%len(data)]
		}
	}
	return out
}

// cycledFloats returns n values of −8…8 in steps of 1/16, from bytes.
func cycledFloats(data []byte, n int) []float32 {
	out := make([]float32, n)
	for i, b := range cycled(data, n) {
		out[i] = float32(int8(b)) / 16
	}
	return out
}

// FuzzMatMul feeds any weights and any levels, in any shape, to every set.
func FuzzMatMul(f *testing.F) {
	f.Add(uint8(0), uint8(1), uint8(1), []byte{})
	f.Add(uint8(33), uint8(3), uint8(2), []byte{0xff, 0x7f, 0x00, 0x81})
	f.Add(uint8(70), uint8(2), uint8(5), []byte("levels and nibbles of 4 and 8 bits"))
	f.Fuzz(func(t *testing.T, tokens, groups, blocks uint8, data []byte) {
		out, in := int(groups%7)*Lanes, (1+int(blocks%6))*Block
		w := Weights{Data: cycled(data, out/Lanes*(in/Block)*TileBytes), Out: out, In: in}
		for tile := 0; tile < len(w.Data); tile += TileBytes {
			for o := range Lanes {
				w.Data[tile+2*o+1] &^= 0x40 // below 2, and neither infinite nor NaN
			}
		}
		a := constantActivations(int(tokens%80), in, 0)
		for i, b := range cycled(data, len(a.Q)) {
			a.Q[i] = max(int8(b), -maxLevel)
			a.Sum[i/Block] += int32(a.Q[i])
		}
		bias := cycledFloats(data, out)
		for _, s := range All() {
			checkMatMulOf(t, s, fmt.Sprintf("%s, %d tokens, %d→%d", s.Name, a.Tokens, in, out), w, bias, a)
		}
	})
}

// FuzzFloats feeds any values, in any shape, to the other kernels of every set.
func FuzzFloats(f *testing.F) {
	f.Add(uint8(0), uint8(1), uint8(32), []byte{})
	f.Add(uint8(7), uint8(2), uint8(16), []byte{0x80, 0x7f, 0x01})
	f.Add(uint8(33), uint8(3), uint8(64), []byte("queries, keys and values"))
	f.Fuzz(func(t *testing.T, tokens, heads, dim uint8, data []byte) {
		shape := [3]int{int(tokens % 50), 1 + int(heads%4), 1 + int(dim%96)}
		width := shape[1] * shape[2]
		n := shape[0] * width
		x := cycledFloats(data, n)
		y, weight := cycledFloats(append([]byte{3}, data...), n), cycledFloats(data, width)
		var scratch []float32
		for _, s := range All() {
			what := fmt.Sprintf("%s, %d tokens, %d heads of %d", s.Name, shape[0], shape[1], shape[2])
			checkAttentionOf(t, s, what, x, y, x, shape, &scratch)

			got := append([]float32(nil), x...)
			// An epsilon that keeps constant rows from blowing their rounding up.
			const eps = 1e-2
			s.AddNorm(got, y, weight, weight, width, eps)
			checkClose(t, what, got, referenceAddNorm(x, y, weight, weight, width, eps), within(20*normTolerance))

			want := make([]float64, n)
			for i, v := range x {
				got[i], want[i] = v, referenceGELU(v)
			}
			s.GELU(got)
			checkClose(t, what, got, want, within(geluTolerance))

			var a Activations
			rows := n / Block
			s.Quantize(&a, x[:rows*Block], rows, Block)
			checkQuantized(t, what, &a, x[:rows*Block], rows, Block)
		}
	})
}

// TestSets_AgreeOnALayer runs the kernels after each other, as a layer does, and
// wants every set to end up where plain Go does: what differs is rounding, which
// quantising may turn into one level of 127.
func TestSets_AgreeOnALayer(t *testing.T) {
	const tokens, heads, dim = 45, 4, 32
	const width = heads * dim
	r := random(30)
	w := randomWeights(r, width, width, func() byte { return byte(r.IntN(16)) })
	weight, bias := gaussian(r, width, 1), gaussian(r, width, 1)
	input := gaussian(r, tokens*width, 1)
	layer := func(s *Set) []float32 {
		var a Activations
		var scratch []float32
		x := append([]float32(nil), input...)
		y, z := make([]float32, len(x)), make([]float32, len(x))
		s.Quantize(&a, x, tokens, width)
		s.MatMul(y, w, bias, &a)
		s.Attention(z, x, y, y, tokens, heads, dim, &scratch)
		s.AddNorm(z, x, weight, bias, width, normEps)
		s.GELU(z)
		s.Quantize(&a, z, tokens, width)
		s.MatMul(y, w, bias, &a)
		s.AddNorm(y, nil, weight, bias, width, normEps)
		return y
	}
	want := layer(goSet())
	eachSet(t, func(t *testing.T, s *Set) {
		got := layer(s)
		var dot, gg, ww float64
		for i := range got {
			dot += float64(got[i]) * float64(want[i])
			gg += float64(got[i]) * float64(got[i])
			ww += float64(want[i]) * float64(want[i])
		}
		if cosine := dot / math.Sqrt(gg*ww); !(cosine > 0.99999) {
			t.Errorf("cosine to plain Go is %v, want > 0.99999", cosine)
		}
	})
}
