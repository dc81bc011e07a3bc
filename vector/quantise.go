package vector

import (
	"fmt"
	"math"
)

// A vector v is kept as whole numbers w, with the largest |w| at rowPeak, and
// each w as two bytes, w = 256·hi + lo:
//
//	v ──► w = round(v · rowPeak / max|v|) ──► hi = −127…127    scanned
//	                                     └──► lo = −128…127    read for the few
//	                                                           that may be near
//	cosine(v, u) = w·u / (|w|·|u|)
//
// Of 102,590 sentences embedded by multilingual-e5-small and 200 questions, that
// leaves all of the ten nearest by float32 and cosines within 7e-6 of its; float16
// leaves .9985 of them, hi alone, which is wrong by .006 at most, .987. Integers
// also mean that every processor gives the same answer to the last bit.
const rowPeak = 127 << 8

// maxDim is the longest vector taken. Models have 256 to 4,096 numbers; the sums
// of dotRows fit an int32 far beyond.
const maxDim = 1 << 14

// queryPeak is the largest |w| of a query of dim numbers: as large as rowPeak,
// but never so large that dim products with a byte could leave an int32.
func queryPeak(dim int) int {
	return min(rowPeak, math.MaxInt32/(128*dim))
}

// checkDim refuses a dimension no index can have.
func checkDim(dim int) error {
	if dim < 1 || dim > maxDim {
		return fmt.Errorf("%w: %d, want 1 to %d", ErrDimension, dim, maxDim)
	}
	return nil
}

// peak is the largest magnitude in v, which must be a vector an index takes: of
// dim numbers, all finite, not all zero.
func peak(v []float32, dim int) (float64, error) {
	if len(v) != dim {
		return 0, fmt.Errorf("%w: %d numbers, want %d", ErrDimension, len(v), dim)
	}
	largest := 0.0
	for i, x := range v {
		m := math.Abs(float64(x))
		if math.IsNaN(m) || math.IsInf(m, 0) {
			return 0, fmt.Errorf("%w: number %d is %v", ErrNotFinite, i, x)
		}
		largest = max(largest, m)
	}
	if largest == 0 {
		return 0, ErrZero
	}
	return largest, nil
}

// norms are what a row's bytes lack to give a cosine.
type norms struct {
	scale float64 // 1 / |w|
	loss  float32 // the most that leaving lo out changes a cosine: |lo| / |w|
}

// split writes v, whose largest magnitude is peak, to the two bytes of a row.
func split(v []float32, peak float64, hi, lo []int8) norms {
	up := rowPeak / peak
	var all, low int64
	for i, x := range v {
		w := int64(math.RoundToEven(float64(x) * up))
		h := (w + 128) >> 8
		l := w - h<<8
		hi[i], lo[i] = int8(h), int8(l)
		all += w * w
		low += l * l
	}
	scale := 1 / math.Sqrt(float64(all))
	return norms{scale: scale, loss: float32(math.Sqrt(float64(low))*scale) + roundingSlack}
}

// roundingSlack covers what float32 loses of a bound on a cosine.
const roundingSlack = 1e-6

// query is a vector made ready to be compared with rows.
type query struct {
	w     []int16 // padded to the rows' stride
	scale float64 // 1 / |w|
}

// newQuery refuses what peak refuses.
func newQuery(v []float32, dim, stride int) (query, error) {
	largest, err := peak(v, dim)
	if err != nil {
		return query{}, fmt.Errorf("query: %w", err)
	}
	q := query{w: make([]int16, stride)}
	up := float64(queryPeak(dim)) / largest
	var all int64
	for i, x := range v {
		w := int64(math.RoundToEven(float64(x) * up))
		q.w[i] = int16(w)
		all += w * w
	}
	q.scale = 1 / math.Sqrt(float64(all))
	return q, nil
}

// rough is the cosine by hi alone; |rough − exact| ≤ norms.loss.
func (q query) rough(hi int32, n norms) float32 {
	return float32(256 * float64(hi) * q.scale * n.scale)
}

// exact is the cosine by both bytes.
func (q query) exact(hi, lo int32, n norms) float32 {
	c := float64(int64(hi)<<8+int64(lo)) * q.scale * n.scale
	return float32(max(-1, min(1, c)))
}
