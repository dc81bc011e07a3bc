package kernel

import "fmt"

// A kernel reads and writes by address in its assembly forms, so every set
// checks the shapes first, here. A wrong shape is a mistake of the caller's code
// and panics.

// need panics unless a slice has at least the length that a kernel touches.
func need(kernel, what string, have, want int) {
	if have < want {
		panic(fmt.Sprintf("kernel: %s: %s has %d values, want %d", kernel, what, have, want))
	}
}

// checkQuantize checks the input of Quantize.
func checkQuantize(x []float32, tokens, in int) {
	if tokens < 0 || in <= 0 || in%Block != 0 {
		panic(fmt.Sprintf("kernel: Quantize: %d tokens of %d inputs, want a positive multiple of %d inputs", tokens, in, Block))
	}
	need("Quantize", "x", len(x), tokens*in)
}

// checkMatMul checks everything that MatMul touches.
func checkMatMul(y []float32, w Weights, bias []float32, a *Activations) {
	if w.Out < 0 || w.Out%Lanes != 0 || w.In <= 0 || w.In%Block != 0 {
		panic(fmt.Sprintf("kernel: MatMul: weights are %d×%d, want multiples of %d×%d", w.Out, w.In, Lanes, Block))
	}
	if a.In != w.In || a.Tokens < 0 {
		panic(fmt.Sprintf("kernel: MatMul: activations are %d×%d, weights take %d inputs", a.Tokens, a.In, w.In))
	}
	blocks := a.Tokens * a.In / Block
	need("MatMul", "y", len(y), a.Tokens*w.Out)
	need("MatMul", "weights", len(w.Data), w.Out/Lanes*(w.In/Block)*TileBytes)
	need("MatMul", "bias", len(bias), w.Out)
	need("MatMul", "Q", len(a.Q), blocks*Block)
	need("MatMul", "Scale", len(a.Scale), blocks)
	need("MatMul", "Sum", len(a.Sum), blocks)
}

// checkAddNorm checks everything that AddNorm touches.
func checkAddNorm(x, y, weight, bias []float32, width int) {
	if width <= 0 || len(x)%width != 0 {
		panic(fmt.Sprintf("kernel: AddNorm: x has %d values, want whole rows of %d", len(x), width))
	}
	if y != nil {
		need("AddNorm", "y", len(y), len(x))
	}
	need("AddNorm", "weight", len(weight), width)
	need("AddNorm", "bias", len(bias), width)
}

// checkAttention checks everything that Attention touches.
func checkAttention(out, q, k, v []float32, tokens, heads, dim int) {
	if tokens < 0 || heads <= 0 || dim <= 0 {
		panic(fmt.Sprintf("kernel: Attention: %d tokens, %d heads of %d", tokens, heads, dim))
	}
	n := tokens * heads * dim
	need("Attention", "out", len(out), n)
	need("Attention", "q", len(q), n)
	need("Attention", "k", len(k), n)
	need("Attention", "v", len(v), n)
}

// grow returns s with length n, keeping its memory where that is enough; the
// content is not kept.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
