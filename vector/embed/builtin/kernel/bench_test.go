package kernel

import (
	"fmt"
	"testing"
)

// benchTokens are the lengths of a query, a sentence, a paragraph and a window.
var benchTokens = []int{10, 25, 32, 128, 512}

// eachBench runs a benchmark for every set and token count.
func eachBench(b *testing.B, run func(b *testing.B, s *Set, tokens int)) {
	for _, s := range All() {
		for _, tokens := range benchTokens {
			b.Run(fmt.Sprintf("%s/%d", s.Name, tokens), func(b *testing.B) { run(b, s, tokens) })
		}
	}
}

// BenchmarkMatMul runs the six products of one of the model's 12 layers.
func BenchmarkMatMul(b *testing.B) {
	r := random(20)
	nibble := func() byte { return byte(r.IntN(16)) }
	square := randomWeights(r, 384, 384, nibble)
	up := randomWeights(r, 1536, 384, nibble)
	down := randomWeights(r, 384, 1536, nibble)
	bias := make([]float32, 1536)
	eachBench(b, func(b *testing.B, s *Set, tokens int) {
		var narrow, wide Activations
		s.Quantize(&narrow, gaussian(r, tokens*384, 1), tokens, 384)
		s.Quantize(&wide, gaussian(r, tokens*1536, 1), tokens, 1536)
		y := make([]float32, tokens*1536)
		for b.Loop() {
			for range 4 {
				s.MatMul(y, square, bias, &narrow)
			}
			s.MatMul(y, up, bias, &narrow)
			s.MatMul(y, down, bias, &wide)
		}
	})
}

// BenchmarkQuantize runs the four quantisations of one layer.
func BenchmarkQuantize(b *testing.B) {
	eachBench(b, func(b *testing.B, s *Set, tokens int) {
		r := random(21)
		var a Activations
		narrow, wide := gaussian(r, tokens*384, 1), gaussian(r, tokens*1536, 1)
		for b.Loop() {
			for range 3 {
				s.Quantize(&a, narrow, tokens, 384)
			}
			s.Quantize(&a, wide, tokens, 1536)
		}
	})
}

// BenchmarkAddNorm runs the two layer norms of one layer.
func BenchmarkAddNorm(b *testing.B) {
	eachBench(b, func(b *testing.B, s *Set, tokens int) {
		r := random(22)
		x, y := gaussian(r, tokens*384, 1), gaussian(r, tokens*384, 1)
		weight, bias := gaussian(r, 384, 1), gaussian(r, 384, 1)
		for b.Loop() {
			s.AddNorm(x, y, weight, bias, 384, normEps)
			s.AddNorm(x, y, weight, bias, 384, normEps)
		}
	})
}

// BenchmarkGELU runs the one GELU of one layer.
func BenchmarkGELU(b *testing.B) {
	eachBench(b, func(b *testing.B, s *Set, tokens int) {
		source := gaussian(random(23), tokens*1536, 2)
		x := make([]float32, len(source))
		for b.Loop() {
			copy(x, source)
			s.GELU(x)
		}
	})
}

// BenchmarkAttention runs the attention of one layer, 12 heads of 32.
func BenchmarkAttention(b *testing.B) {
	eachBench(b, func(b *testing.B, s *Set, tokens int) {
		r := random(24)
		n := tokens * 384
		q, k, v := gaussian(r, n, 1), gaussian(r, n, 1), gaussian(r, n, 1)
		out := make([]float32, n)
		var scratch []float32
		for b.Loop() {
			s.Attention(out, q, k, v, tokens, 12, 32, &scratch)
		}
	})
}
