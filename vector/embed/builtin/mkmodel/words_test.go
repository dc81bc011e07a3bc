package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"mcp-memory/vector/embed/builtin/modelfile"
)

// randomLevels are 4-bit levels as the wheel's: near normal, one of them −8.
func randomLevels(r *rand.Rand) (v levels) {
	for i := range v {
		v[i] = min(max(int(math.Round(3*r.NormFloat64())), -8), 7)
	}
	v[r.IntN(len(v))] = -8
	return v
}

// scale16 is the value of a half-precision scale near s.
func scale16(t *testing.T, s float64) float64 {
	t.Helper()
	bits, err := modelfile.ToFloat16(s)
	if err != nil {
		t.Fatal(err)
	}
	return float64(modelfile.Float16(bits))
}

// leastError is the squared error of the best of 1,000 scales on either side.
func leastError(t *testing.T, v levels, d float64) float64 {
	t.Helper()
	least := math.Inf(1)
	for i := 1; i <= 1000; i++ {
		for _, sign := range []float64{1, -1} {
			s := scale16(t, sign*d*4*float64(i)/1000)
			least = min(least, squaredError(v, nearest(v, d, s), d, s))
		}
	}
	return least
}

func TestShrink_ComesNearTheBestOfAllScales(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found, best, plain := 0.0, 0.0, 0.0
	for range 100 {
		v, d := randomLevels(r), scale16(t, (r.Float64()-.5)/10)
		l, bits, err := shrink(v, d)
		if err != nil {
			t.Fatal(err)
		}
		found += squaredError(v, l, d, float64(modelfile.Float16(bits)))
		best += leastError(t, v, d)
		plain += squaredError(v, nearest(v, d, 2*d), d, 2*d)
	}
	// Measured: 1.002 and .63.
	if found > 1.01*best || found > .75*plain {
		t.Errorf("squared error is %.3f of the best of all scales' and %.3f of the plain scale's, want at most 1.01 and .75", found/best, found/plain)
	}
}

func TestShrink_KeepsWhatFitsExactly(t *testing.T) {
	var even, zero levels
	for i := range even {
		even[i] = 2 * (i%8 - 4)
	}
	for name, c := range map[string]struct {
		v levels
		d float64
	}{"even levels": {even, .25}, "negative scale": {even, -.25}, "no levels": {zero, .25}, "no scale": {even, 0}} {
		l, bits, err := shrink(c.v, c.d)
		if err != nil {
			t.Fatal(err)
		}
		if e := squaredError(c.v, l, c.d, float64(modelfile.Float16(bits))); e != 0 {
			t.Errorf("%s: squared error is %v, want 0", name, e)
		}
	}
}

func TestShrink_RefusesScalesWithoutHalfPrecision(t *testing.T) {
	if _, _, err := shrink(levels{-8, 7}, 60000); err == nil {
		t.Error("a scale of 120000 was taken")
	}
}

func TestShrinkWords_BothTablesHoldTheSameWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	table := make([]byte, 40*block4Len)
	for i := range 40 {
		bits, err := modelfile.ToFloat16((r.Float64() - .5) / 10)
		if err != nil {
			t.Fatal(err)
		}
		pack4(table[i*block4Len:], randomLevels(r), bits)
	}
	small, same, err := shrinkWords(table)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		v, scale := unpack4(same[i*block4Len:])
		three := append(bytes.Clone(small[i*block3Len:(i+1)*block3Len]), 0)
		if !bytes.Equal(three[:2], same[i*block4Len:i*block4Len+2]) {
			t.Fatalf("block %d has scale %x in 3 bits and %v in 4", i, three[:2], scale)
		}
		for j, want := range v {
			bit := 3 * j
			pair := uint(three[2+bit/8]) | uint(three[2+bit/8+1])<<8
			if got := int(pair>>(bit%8)&7) - 4; got != want {
				t.Fatalf("block %d level %d is %d in 3 bits and %d in 4", i, j, got, want)
			}
		}
	}
}
