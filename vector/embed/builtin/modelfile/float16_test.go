package modelfile

import (
	"math"
	"testing"
)

// value16 is the value of a half-precision number by its definition.
func value16(h uint16) float64 {
	fraction, exponent := float64(h&0x3ff), int(h>>10&0x1f)
	value := math.Ldexp(1024+fraction, exponent-25)
	if exponent == 0 {
		value = math.Ldexp(fraction, -24)
	}
	if h&0x8000 != 0 {
		return math.Copysign(value, -1)
	}
	return value
}

func TestFloat16_HasEveryValueAndComesBack(t *testing.T) {
	for bits := range 1 << 16 {
		h := uint16(bits)
		got := float64(Float16(h))
		if h>>10&0x1f == 0x1f {
			if _, err := ToFloat16(got); err == nil {
				t.Errorf("%v was rounded, want an error", got)
			}
			continue
		}
		if want := value16(h); got != want || math.Signbit(got) != math.Signbit(want) {
			t.Errorf("%04x is %v, want %v", h, got, want)
		}
		if back, err := ToFloat16(got); err != nil || back != h {
			t.Errorf("%v rounds to %04x, %v, want %04x", got, back, err, h)
		}
	}
}

func TestToFloat16_RoundsToTheNearestTiesToEven(t *testing.T) {
	for h := uint16(0); h < 0x7bff; h++ {
		low, high := value16(h), value16(h+1)
		even := h + h&1
		for _, c := range []struct {
			x    float64
			want uint16
		}{
			{(low + high) / 2, even},
			{math.Nextafter((low+high)/2, 0), h},
			{math.Nextafter((low+high)/2, 1e9), h + 1},
		} {
			got, err := ToFloat16(-c.x)
			if err != nil || got != c.want|0x8000 {
				t.Fatalf("%v rounds to %04x, %v, want %04x", -c.x, got, err, c.want|0x8000)
			}
		}
	}
}
