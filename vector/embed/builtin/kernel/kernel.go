// Package kernel holds the arithmetic of the built-in embedder: products of
// 4-bit weights with 8-bit activations, layer norm, GELU and attention, in plain
// Go and, where the processor has them, in AVX2 and AVX-512 VNNI. Best returns the
// fastest set of the machine at hand; the build tag purego leaves plain Go only.
//
// All sets compute the same within a small tolerance; a test compares them on
// the machine it runs on. Numbers that go in are finite. A shape that does not fit
// the slices is a mistake of the caller's code and panics.
package kernel

// Sizes of the blocks that weights and activations are quantised in.
const (
	Block     = 32                      // consecutive inputs that share a scale
	Lanes     = 8                       // outputs of one tile
	TileBytes = 2*Lanes + Lanes*Block/2 // 144
)

// Weights are a matrix of Out × In weights of 4 bits each, in tiles of 8 outputs
// by 32 inputs. The tile of outputs 8g…8g+7 and inputs 32b…32b+31 starts at byte
// (g·In/32 + b)·TileBytes:
//
//	byte 0     8 float16 scales, little-endian, one per output
//	byte 16    row 0 │ 32 bytes, byte 4·o + i of row r holds two weights of output o:
//	byte 48    row 1 │   low nibble   input 8r + i
//	byte 80    row 2 │   high nibble  input 8r + 4 + i        (o 0…7, i 0…3)
//	byte 112   row 3 │
//
// A nibble n stands for (n − 8)·scale. So a 256-bit load, masked or shifted,
// has in each 32-bit lane four consecutive inputs of one output, which is what
// VPMADDUBSW and VPDPBUSD sum up.
type Weights struct {
	Data []byte
	Out  int // multiple of 8
	In   int // multiple of 32
}

// Activations are the inputs of a product, quantised to int8 in blocks of 32:
// input i of token t is Q[t·In+i] · Scale[(t·In+i)/32]. Sum holds the sum of each
// block's Q, which corrects for the weights' offset of 8.
type Activations struct {
	Q      []int8
	Scale  []float32
	Sum    []int32
	Tokens int
	In     int
}

// Set is one implementation of all kernels. Matrices are row-major, one token
// after the other.
type Set struct {
	Name string // "go", "avx2", "avx512vnni"

	// Quantize fills a from x[tokens·in]; it reuses a's slices where they are
	// large enough.
	Quantize func(a *Activations, x []float32, tokens, in int)
	// MatMul computes y[t·w.Out+o] = bias[o] + Σ_i w[o][i]·a[t][i].
	MatMul func(y []float32, w Weights, bias []float32, a *Activations)
	// AddNorm replaces every row of x (width long) by the layer norm of x + y; y
	// may be nil.
	AddNorm func(x, y, weight, bias []float32, width int, eps float32)
	// GELU replaces every x by x·Φ(x), Φ the normal distribution's (the exact
	// form, not the tanh approximation).
	GELU func(x []float32)
	// Attention computes, for each of heads heads of width dim, softmax(q·kᵀ/√dim)·v
	// over the tokens of one text. out, q, k, v are [tokens·heads·dim]; out shares
	// no memory with the others. scratch is grown as needed and kept for the next
	// call.
	Attention func(out, q, k, v []float32, tokens, heads, dim int, scratch *[]float32)
}
