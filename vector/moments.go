package vector

import (
	"errors"
	"fmt"
	"math"
)

// Moments keeps the mean μ and the covariance C of a changing set of vectors, so
// that how a query's cosines spread over all of them is known without a scan:
// their mean is q·μ, their variance qᵀCq.
//
// The sums are whole numbers, of vectors at unit length in steps of 2⁻²¹. So
// taking a vector out undoes adding it to the last bit, nothing drifts however
// many come and go, and any order gives the same. It takes 4·dim·(dim+1) bytes
// (590 KB at 384 numbers), however many vectors there are. It is not safe for
// concurrent use.
type Moments struct {
	dim   int
	n     int
	sum   []int64 // Σ w
	cross []int64 // Σ w wᵀ, lower triangle by rows
	w     []int64 // the vectors at hand, one after the other; the first alone but for AddAll
}

// momentStep is how fine the numbers are: the worst error of a query's mean over
// one vector is about 1e-6.
const momentStep = 1 << 21

// MaxMoments is how many vectors fit: Σ w² of a number that is 1 in all of them
// must stay in an int64.
const MaxMoments = math.MaxInt64 / (momentStep * momentStep)

// Errors of Moments.
var (
	// ErrMomentsFull: there are MaxMoments vectors.
	ErrMomentsFull = errors.New("moments are full")
	// ErrMomentsEmpty: there is no vector to take out.
	ErrMomentsEmpty = errors.New("moments are empty")
)

// NewMoments returns the moments of no vectors of dim numbers.
func NewMoments(dim int) (*Moments, error) {
	if err := checkDim(dim); err != nil {
		return nil, err
	}
	return &Moments{
		dim: dim, sum: make([]int64, dim), cross: make([]int64, dim*(dim+1)/2), w: make([]int64, atOnce*dim),
	}, nil
}

// Len is the number of vectors.
func (m *Moments) Len() int { return m.n }

// Add counts a vector in, brought to unit length. It refuses what an [Index]
// refuses, and more than MaxMoments.
func (m *Moments) Add(v []float32) error {
	if m.n == MaxMoments {
		return fmt.Errorf("%w: %d vectors", ErrMomentsFull, m.n)
	}
	if err := m.take(m.w[:m.dim], v); err != nil {
		return err
	}
	m.n++
	m.update(1)
	return nil
}

// Remove counts a vector out: exactly one that was added, number for number, or
// the moments are of no set of vectors any more. What [Set.Vector] gives may
// stand for the vector if it did in Add too.
func (m *Moments) Remove(v []float32) error {
	if m.n == 0 {
		return ErrMomentsEmpty
	}
	if err := m.take(m.w[:m.dim], v); err != nil {
		return err
	}
	m.n--
	m.update(-1)
	return nil
}

// atOnce is how many vectors AddAll takes on one way through the sums, which are more
// than the fastest cache holds.
const atOnce = 4

// AddAll is Add for many vectors, in a sixth of the time. On an error those before
// the one that is refused may be counted in.
func (m *Moments) AddAll(vs [][]float32) error {
	if m.n+len(vs) > MaxMoments {
		return fmt.Errorf("%w: %d vectors and %d more", ErrMomentsFull, m.n, len(vs))
	}
	for len(vs) >= atOnce {
		for i, v := range vs[:atOnce] {
			if err := m.take(m.w[i*m.dim:(i+1)*m.dim], v); err != nil {
				return err
			}
		}
		m.n += atOnce
		m.addFour()
		vs = vs[atOnce:]
	}
	for _, v := range vs {
		if err := m.Add(v); err != nil {
			return err
		}
	}
	return nil
}

// addFour adds the four vectors at hand to the sums.
func (m *Moments) addFour() {
	row := m.cross
	for i := range m.dim {
		factors := [atOnce]int64{m.w[i], m.w[m.dim+i], m.w[2*m.dim+i], m.w[3*m.dim+i]}
		m.sum[i] += factors[0] + factors[1] + factors[2] + factors[3]
		addFour(row[:i+1], m.w, m.dim, &factors)
		row = row[i+1:]
	}
}

// take sets w to v at unit length.
func (m *Moments) take(w []int64, v []float32) error {
	if _, err := peak(v, m.dim); err != nil {
		return fmt.Errorf("moments: %w", err)
	}
	up := momentStep / length(v)
	for i, x := range v {
		w[i] = int64(math.RoundToEven(float64(x) * up))
	}
	return nil
}

// length is the Euclidean length of v. Squares of float32 neither overflow a
// float64 nor vanish in it.
func length(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(float64(x) * float64(x)) // the conversion forbids fusing: same sums on every processor
	}
	return math.Sqrt(sum)
}

// update adds sign·w and sign·w wᵀ to the sums. It passes through memory once;
// at 384 numbers that takes some 40 µs.
func (m *Moments) update(sign int64) {
	row := m.cross
	for i, x := range m.w[:m.dim] {
		m.sum[i] += sign * x
		addScaled(row[:i+1], m.w, sign*x)
		row = row[i+1:]
	}
}

// addScaled adds factor·w to row, for as long as row is.
func addScaled(row, w []int64, factor int64) {
	w = w[:len(row)]
	for len(row) >= 8 {
		r, x := (*[8]int64)(row), (*[8]int64)(w)
		r[0] += factor * x[0]
		r[1] += factor * x[1]
		r[2] += factor * x[2]
		r[3] += factor * x[3]
		r[4] += factor * x[4]
		r[5] += factor * x[5]
		r[6] += factor * x[6]
		r[7] += factor * x[7]
		row, w = row[8:], w[8:]
	}
	for i, x := range w {
		row[i] += factor * x
	}
}

// Score is the mean and the standard deviation of the cosines of q with all
// vectors; zeros where there are none, and NaN for a query that an [Index]
// refuses.
func (m *Moments) Score(q []float32) (mean, std float64) {
	if _, err := peak(q, m.dim); err != nil {
		return math.NaN(), math.NaN()
	}
	if m.n == 0 {
		return 0, 0
	}
	unit := 1 / (length(q) * momentStep)
	u := make([]float64, m.dim)
	for i, x := range q {
		u[i] = float64(x) * unit
	}
	n := float64(m.n)
	for i, s := range m.sum {
		mean += float64(u[i] * float64(s))
	}
	mean /= n
	return mean, math.Sqrt(max(0, m.square(u)/n-float64(mean*mean)))
}

// square is uᵀ(Σ w wᵀ)u: the sum of the squared cosines.
func (m *Moments) square(u []float64) float64 {
	total := 0.0
	row := m.cross
	for i, x := range u {
		total += float64(x * (2*dotMixed(row[:i], u) + float64(x*float64(row[i]))))
		row = row[i+1:]
	}
	return total
}

// dotMixed is the dot product of row with the start of u.
func dotMixed(row []int64, u []float64) float64 {
	var a, b, c, d float64
	u = u[:len(row)]
	for len(row) >= 4 && len(u) >= 4 {
		a += float64(float64(row[0]) * u[0])
		b += float64(float64(row[1]) * u[1])
		c += float64(float64(row[2]) * u[2])
		d += float64(float64(row[3]) * u[3])
		row, u = row[4:], u[4:]
	}
	for i, x := range row {
		a += float64(float64(x) * u[i])
	}
	return a + b + c + d
}
