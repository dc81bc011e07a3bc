package recall

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestYardstick_TheSameInEveryLanguage(t *testing.T) {
	statements, questions := Yardstick()
	if len(statements) != 12 || len(questions) != 12 {
		t.Fatalf("%d and %d languages, want 12", len(statements), len(questions))
	}
	seen := map[string]bool{}
	for i := range statements {
		if len(statements[i]) != 4 || len(questions[i]) != 4 {
			t.Errorf("language %d: %d statements, %d questions, want 4 of each", i, len(statements[i]), len(questions[i]))
		}
		for _, s := range append(statements[i], questions[i]...) {
			if seen[s] || strings.TrimSpace(s) == "" {
				t.Errorf("%q stands there twice, or is empty", s)
			}
			seen[s] = true
		}
	}
}

// model makes up vectors: subject + language + what all of a kind have in common.
type model struct {
	rng       *rand.Rand
	dim       int
	common    []float32
	languages [][]float32
}

func newModel(dim int) *model {
	m := &model{rng: rand.New(rand.NewPCG(1, 2)), dim: dim}
	m.common = m.direction(2)
	for range 12 {
		m.languages = append(m.languages, m.direction(2))
	}
	return m
}

// direction is a random vector of a length.
func (m *model) direction(length float64) []float32 {
	v := make([]float64, m.dim)
	for i := range v {
		v[i] = m.rng.NormFloat64()
	}
	unit(v)
	out := make([]float32, m.dim)
	for i, x := range v {
		out[i] = float32(x * length)
	}
	return out
}

func sum(vs ...[]float32) []float32 {
	out := make([]float64, len(vs[0]))
	for _, v := range vs {
		for i, x := range v {
			out[i] += float64(x)
		}
	}
	unit(out)
	v := make([]float32, len(out))
	for i, x := range out {
		v[i] = float32(x)
	}
	return v
}

// lens is that of the model.
func (m *model) lens() *Lens {
	group := func() (out [][][]float32) {
		subjects := [][]float32{m.direction(1), m.direction(1), m.direction(1), m.direction(1)}
		for _, l := range m.languages {
			var vs [][]float32
			for _, s := range subjects {
				vs = append(vs, sum(s, l, m.common))
			}
			out = append(out, vs)
		}
		return out
	}
	return NewLens(group(), group(), group())
}

// A model whose languages differ more than its subjects puts two texts of one
// language nearer than one subject in two; its lens does not.
func TestLens_SubjectsCountAndLanguagesDoNot(t *testing.T) {
	m := newModel(384)
	l := m.lens()
	for range 20 {
		subject := m.direction(1)
		query := sum(subject, m.languages[0], m.common)
		same := sum(subject, m.languages[5], m.common)
		other := sum(m.direction(1), m.languages[0], m.common)
		if dot(query, same) > dot(query, other) {
			t.Fatal("the made-up model has no bias to take out")
		}
		focus := l.Focus(query)
		if dot(focus, same) < dot(focus, other)+0.1 {
			t.Errorf("same subject %.3f, same language %.3f", dot(focus, same), dot(focus, other))
		}
		if got := dot(focus, focus); math.Abs(got-1) > 1e-5 {
			t.Errorf("the focus has length² %v", got)
		}
	}
}

func TestLens_GaugeOfASmallStoreIsTheYardsticks(t *testing.T) {
	m := newModel(384)
	l := m.lens()
	query := sum(m.direction(1), m.languages[0], m.common)
	focus := l.Focus(query)
	none := l.Gauge(query, focus, 0.9, 0.5, 0)
	if none.Std != l.std || math.Abs(none.Mean-along(l.unrelated, focus)) > 1e-12 {
		t.Errorf("of no record: %+v", none)
	}
	if many := l.Gauge(query, focus, 0.9, 0.5, 1_000_000); math.Abs(many.Mean-0.9) > 1e-3 || math.Abs(many.Std-0.5) > 1e-3 {
		t.Errorf("of a million: %+v, want nearly their own", many)
	}
	if half := l.Gauge(query, focus, 0.9, 0.5, unrelatedCount); math.Abs(half.Std-(0.5+l.std)/2) > 1e-12 {
		t.Errorf("of as many as the yardstick counts: %+v", half)
	}
	if math.Abs(none.Top-dot(focus, query)) > 1e-12 || none.most() < 1 {
		t.Errorf("top %v", none.Top)
	}
}

func TestLens_LeavesSmallAndStrangeModelsStanding(t *testing.T) {
	for _, dim := range []int{1, 2, 31, 64} {
		m := newModel(dim)
		l := m.lens()
		if len(l.languages) > dim/lensShare {
			t.Errorf("%d directions taken out of %d", len(l.languages), dim)
		}
		for _, v := range l.Focus(sum(m.direction(1), m.common)) {
			if math.IsNaN(float64(v)) {
				t.Errorf("dim %d: a focus that is no number", dim)
			}
		}
	}
	one := [][][]float32{{{1, 0}, {1, 0}}, {{1, 0}, {1, 0}}} // all texts are one to it
	l := NewLens(one, one, one)
	if s := l.Gauge([]float32{1, 0}, l.Focus([]float32{1, 0}), 1, 0, 3); s.Std <= 0 || math.IsNaN(s.z(1)) {
		t.Errorf("%+v", s)
	}
	query := []float32{1, 0, 0} // of another model
	if got := l.Focus(query); dot(got, query) != 1 {
		t.Errorf("a vector of another length became %v", got)
	}
}
