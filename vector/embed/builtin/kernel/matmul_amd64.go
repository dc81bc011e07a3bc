//go:build amd64 && !purego

package kernel

// stackTokens is how many tokens one unpacking of a tile serves, at most: the
// assembly keeps their sums on its stack.
const stackTokens = 32

// matMulGroupAVX2 computes 8 outputs and matMulGroupsVNNI 16 outputs of up to
// stackTokens tokens, see the assembly.
//
//go:noescape
func matMulGroupAVX2(y *float32, w *byte, bias *float32, q *int8, scale *float32, sum *int32, tokens, blocks, out int)

//go:noescape
func matMulGroupsVNNI(y *float32, w *byte, bias *float32, q *int8, scale *float32, sum *int32, tokens, blocks, out int)

// matMulAVX2 is MatMul with AVX2, FMA and F16C.
func matMulAVX2(y []float32, w Weights, bias []float32, a *Activations) {
	checkMatMul(y, w, bias, a)
	for t := 0; t < a.Tokens; t += stackTokens {
		for o := 0; o < w.Out; o += Lanes {
			groupAVX2(y, w, bias, a, t, o)
		}
	}
}

// matMulVNNI is MatMul with AVX-512 VNNI; a last 8 outputs without a partner are
// left to AVX2.
func matMulVNNI(y []float32, w Weights, bias []float32, a *Activations) {
	checkMatMul(y, w, bias, a)
	blocks := w.In / Block
	for t := 0; t < a.Tokens; t += stackTokens {
		n := min(stackTokens, a.Tokens-t)
		o := 0
		for ; o+2*Lanes <= w.Out; o += 2 * Lanes {
			matMulGroupsVNNI(&y[t*w.Out+o], &w.Data[o/Lanes*blocks*TileBytes], &bias[o],
				&a.Q[t*w.In], &a.Scale[t*blocks], &a.Sum[t*blocks], n, blocks, w.Out)
		}
		if o < w.Out {
			groupAVX2(y, w, bias, a, t, o)
		}
	}
}

// groupAVX2 computes outputs o…o+7 of the chunk of tokens from t on.
func groupAVX2(y []float32, w Weights, bias []float32, a *Activations, t, o int) {
	blocks := w.In / Block
	matMulGroupAVX2(&y[t*w.Out+o], &w.Data[o/Lanes*blocks*TileBytes], &bias[o],
		&a.Q[t*w.In], &a.Scale[t*blocks], &a.Sum[t*blocks],
		min(stackTokens, a.Tokens-t), blocks, w.Out)
}
