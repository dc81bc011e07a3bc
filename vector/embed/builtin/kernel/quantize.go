package kernel

import "math"

// tiniest is the largest |x| of a block that counts as zero. Below about 4e-37
// its inverse times 127 would overflow float32.
const tiniest = 1e-35

// maxLevel is the level of a block's largest value; −128 is not used.
const maxLevel = 127

// resize sets the shape of a and makes room for it.
func (a *Activations) resize(tokens, in int) {
	n := tokens * in
	a.Tokens, a.In = tokens, in
	a.Q = grow(a.Q, n)
	a.Scale = grow(a.Scale, n/Block)
	a.Sum = grow(a.Sum, n/Block)
}

// quantizeGo is Quantize in plain Go.
func quantizeGo(a *Activations, x []float32, tokens, in int) {
	checkQuantize(x, tokens, in)
	a.resize(tokens, in)
	for b := range a.Scale {
		from, to := (*[Block]float32)(x[b*Block:]), (*[Block]int8)(a.Q[b*Block:])
		a.Scale[b], a.Sum[b] = quantizeBlock(to, from)
	}
}

// quantizeBlock fills q with the levels of x and returns their scale and sum.
func quantizeBlock(q *[Block]int8, x *[Block]float32) (scale float32, sum int32) {
	const signless = 1<<31 - 1
	var bits uint32 // floats without sign are ordered as their bits are
	for _, v := range x {
		bits = max(bits, math.Float32bits(v)&signless)
	}
	largest := math.Float32frombits(bits)
	if largest <= tiniest {
		*q = [Block]int8{}
		return 0, 0
	}
	inverse := maxLevel / largest
	// Adding 1.5·2²³ leaves no bits behind the point: it rounds to the nearest,
	// halves to even, and the level is the low end of the sum's bits. The
	// conversion keeps the product from being fused into the sum.
	const rounder = 3 << 22
	for i, v := range x {
		level := int32(math.Float32bits(float32(v*inverse)+rounder) - math.Float32bits(rounder))
		q[i] = int8(level)
		sum += level
	}
	return largest / maxLevel, sum
}
