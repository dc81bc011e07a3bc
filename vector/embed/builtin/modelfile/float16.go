package modelfile

import (
	"fmt"
	"math"
)

// Float16 is the value of the IEEE 754 half-precision number with bits h.
func Float16(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent := uint32(h>>10) & 0x1f
	fraction := uint32(h & 0x3ff)
	switch exponent {
	case 0: // zero or subnormal: fraction · 2⁻²⁴, exact
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)/(1<<24)))
	case 0x1f: // infinite or not a number
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	const rebias = 127 - 15
	return math.Float32frombits(sign | (exponent+rebias)<<23 | fraction<<13)
}

// ToFloat16 rounds x to the nearest half-precision number, ties to even. What
// is too large or not a number is an error.
func ToFloat16(x float64) (uint16, error) {
	const most = 65504
	if math.IsNaN(x) || math.Abs(x) > most {
		return 0, fmt.Errorf("%v is no half-precision number, want at most ±%d", x, most)
	}
	sign := uint16(0)
	if math.Signbit(x) {
		sign = 0x8000
	}
	const least = -13 // exponent of the smallest normal numbers: below, steps stay 2⁻²⁴
	exponent := least
	if x != 0 {
		_, e := math.Frexp(x) // |x| in [½, 1) · 2^e
		exponent = max(e, least)
	}
	steps := uint16(math.RoundToEven(math.Ldexp(math.Abs(x), 11-exponent)))
	// 1024 to 2048 steps for a normal number, fewer for a subnormal one. The
	// leading step of 1024 adds one to the exponent field, 2048 two.
	return sign | uint16(exponent+13)<<10 + steps, nil
}
