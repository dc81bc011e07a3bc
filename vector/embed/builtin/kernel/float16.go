package kernel

import "math"

// float16 returns the value of IEEE 754 half-precision bits.
func float16(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent := uint32(h>>10) & 0x1f
	mantissa := uint32(h & 0x3ff)
	switch exponent {
	case 0: // zero or subnormal: mantissa · 2⁻²⁴, exact in float32
		return math.Float32frombits(math.Float32bits(float32(mantissa)*(1.0/(1<<24))) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | mantissa<<13)
	}
	const rebias = 127 - 15 // float32 and float16 exponent biases
	return math.Float32frombits(sign | (exponent+rebias)<<23 | mantissa<<13)
}
