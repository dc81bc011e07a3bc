//go:build amd64 && !purego

package kernel

// The assembly trusts its arguments: each wrapper checks the shapes, hands whole
// blocks to the assembly and the rest, which the model does not have, to plain Go.

// avx2Turn is how many values a turn of AddNorm and GELU takes.
const avx2Turn = 32

//go:noescape
func quantizeBlocksAVX2(q *int8, scale *float32, sum *int32, x *float32, tiniest float32, blocks int)

//go:noescape
func addNormRowsAVX2(x, y, weight, bias *float32, rows, width int, eps float32)

//go:noescape
func geluTurnsAVX2(x *float32, coefficients *[15]float32, top, middle float32, turns int)

func quantizeAVX2(a *Activations, x []float32, tokens, in int) {
	checkQuantize(x, tokens, in)
	a.resize(tokens, in)
	if tokens > 0 {
		quantizeBlocksAVX2(&a.Q[0], &a.Scale[0], &a.Sum[0], &x[0], tiniest, len(a.Scale))
	}
}

func addNormAVX2(x, y, weight, bias []float32, width int, eps float32) {
	checkAddNorm(x, y, weight, bias, width)
	if width%avx2Turn != 0 {
		addNormGo(x, y, weight, bias, width, eps)
		return
	}
	if len(x) == 0 {
		return
	}
	var added *float32
	if y != nil {
		added = &y[0]
	}
	addNormRowsAVX2(&x[0], added, &weight[0], &bias[0], len(x)/width, width, eps)
}

func geluAVX2(x []float32) {
	turns := len(x) / avx2Turn
	if turns > 0 {
		geluTurnsAVX2(&x[0], &geluCoefficients, geluTop, geluMiddle, turns)
	}
	geluGo(x[turns*avx2Turn:])
}
