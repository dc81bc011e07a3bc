package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"mcp-memory/vector/embed/builtin/modelfile"
)

// Sizes of a block of 3-bit weights: an f16 scale and 32 levels −4…3.
const (
	block3Len    = modelfile.Block3
	lowest3      = -4
	highest3     = 3
	levelsOffset = 2 // of the levels in a block of either kind: after the scale
)

// scaleSteps are the scales tried for a block, in units of twice the scale of
// its 4-bit levels. Those reach to −8, so the first covers all of them; smaller
// ones clip the extremes and are finer in the middle, where most weights are.
var scaleSteps = [...]float64{1, .95, .9, .85, .8, .75, .7}

// levels are a block's weights before they are scaled.
type levels [block4]int

// unpack4 reads the levels −8…7 and the scale of a 4-bit block.
func unpack4(block []byte) (v levels, scale float64) {
	for j, pair := range block[levelsOffset:block4Len] {
		v[j] = int(pair&15) - 8
		v[j+16] = int(pair>>4) - 8
	}
	return v, float64(modelfile.Float16(binary.LittleEndian.Uint16(block)))
}

// pack4 writes levels −8…7 and the bits of a scale as a 4-bit block.
func pack4(block []byte, l levels, scale uint16) {
	binary.LittleEndian.PutUint16(block, scale)
	for j := range 16 {
		block[levelsOffset+j] = byte(l[j]+8) | byte(l[j+16]+8)<<4
	}
}

// pack3 writes levels −4…3 and the bits of a scale as a 3-bit block.
func pack3(block []byte, l levels, scale uint16) {
	binary.LittleEndian.PutUint16(block, scale)
	for i := range block4 / 8 {
		eight := 0
		for j, level := range l[8*i : 8*i+8] {
			eight |= (level - lowest3) << (3 * j)
		}
		at := levelsOffset + 3*i
		block[at], block[at+1], block[at+2] = byte(eight), byte(eight>>8), byte(eight>>16)
	}
}

// shrink finds the 3-bit levels and the f16 scale that come nearest to the 4-bit
// levels v of scale d in squared error: the best of scaleSteps, each once as it
// is and once as the least-squares scale of the levels that it leads to.
func shrink(v levels, d float64) (best levels, scale uint16, err error) {
	least := math.Inf(1)
	try := func(s float64) (l levels) {
		bits, fits := modelfile.ToFloat16(s)
		if fits != nil {
			err = fits
			return l
		}
		s = float64(modelfile.Float16(bits))
		l = nearest(v, d, s)
		if e := squaredError(v, l, d, s); e < least {
			best, scale, least = l, bits, e
		}
		return l
	}
	for _, step := range scaleSteps {
		l := try(2 * d * step)
		if ratio, ok := fitted(v, l); ok {
			try(d * ratio)
		}
	}
	return best, scale, err
}

// nearest are the levels of scale s nearest to v·d.
func nearest(v levels, d, s float64) (l levels) {
	if s == 0 {
		return l
	}
	for i, x := range v {
		level := int(math.RoundToEven(float64(x) * d / s))
		l[i] = min(max(level, lowest3), highest3)
	}
	return l
}

// fitted is Σvl/Σll, the scale relative to v's that fits the levels l best.
func fitted(v, l levels) (float64, bool) {
	products, squares := 0, 0
	for i := range v {
		products += v[i] * l[i]
		squares += l[i] * l[i]
	}
	return float64(products) / float64(squares), squares > 0
}

// squaredError is Σ(v·d − l·s)². Products and differences of such short numbers
// are exact in float64, so every machine gets the same sum, fused or not.
func squaredError(v, l levels, d, s float64) float64 {
	total := 0.0
	for i := range v {
		off := float64(v[i])*d - float64(l[i])*s
		total += off * off
	}
	return total
}

// shrinkWords puts a table of 4-bit blocks into 3-bit blocks; same has the same
// weights in 4-bit blocks, for the reference.
func shrinkWords(table []byte) (small, same []byte, err error) {
	count := len(table) / block4Len
	small, same = make([]byte, count*block3Len), make([]byte, count*block4Len)
	for i := range count {
		v, d := unpack4(table[i*block4Len:])
		l, scale, err := shrink(v, d)
		if err != nil {
			return nil, nil, fmt.Errorf("shrink block %d of the word table: %w", i, err)
		}
		pack3(small[i*block3Len:], l, scale)
		pack4(same[i*block4Len:], l, scale)
	}
	return small, same, nil
}
