package main

import (
	"math"
	"sync"

	"mcp-memory/layers/worth"
)

// Scales of the parts: a larger one lets the penalty weigh less on its weights.
// Found by leaving out the authors of what is judged.
const (
	gramScale = 1.7
	cueScale  = 1.2
	// vectorScale makes the vectors, less their mean, about one long: they are some
	// 0.4 long in this model, since all its vectors lie close together.
	vectorScale = 2.5
	penalty     = 1.0 // on half the square of the weights; the C of others is its inverse
)

// problem says how samples become features: grams, cues, and dims dimensions of
// the vector.
type problem struct {
	grams map[uint32]int
	mean  []float32
	dims  int
}

// row is a sample as features: sparse, then dense.
type row struct {
	at     []int
	value  []float64
	dense  []float64
	weight float64
}

func (p *problem) width() int { return len(p.grams) + worth.CueCount() + p.dims }

func (p *problem) row(text string, grams []uint32, vector []float32, weight float64) row {
	r := row{weight: weight}
	value := worth.GramValue(len(grams)) * gramScale
	for _, g := range grams {
		if i, ok := p.grams[g]; ok {
			r.at = append(r.at, i)
			r.value = append(r.value, value)
		}
	}
	for _, c := range worth.Cues(text) {
		r.at = append(r.at, len(p.grams)+c)
		r.value = append(r.value, cueScale)
	}
	for d := range p.dims {
		r.dense = append(r.dense, float64(vector[d]-p.mean[d])*vectorScale)
	}
	return r
}

// times is the product of a row and weights, whose last is the bias.
func (p *problem) times(r *row, w []float64) float64 {
	z := w[len(w)-1]
	for k, i := range r.at {
		z += r.value[k] * w[i]
	}
	dense := w[len(w)-1-p.dims : len(w)-1]
	for d, v := range r.dense {
		z += v * dense[d]
	}
	return z
}

// fit trains one classifier for each layer on the samples that use is true for.
func (p *problem) fit(all []sample, use func(sample) bool) worth.Set {
	var rows []row
	var gold []labels
	for _, x := range all {
		if use(x) {
			rows = append(rows, p.row(x.text, x.grams, x.vector, x.weight))
			gold = append(gold, x.layers)
		}
	}
	var all5 [len(worth.Layers)][]float64
	var group sync.WaitGroup
	for l := range worth.Layers {
		group.Go(func() {
			y := make([]float64, len(gold))
			for i := range gold {
				y[i] = target(gold[i][l])
			}
			all5[l] = minimise(p.width()+1, func(w, grad []float64) float64 { return p.loss(rows, y, w, grad) })
		})
	}
	group.Wait()
	return p.set(all5)
}

// target is what a label is to the loss.
func target(yes bool) float64 {
	if yes {
		return 1
	}
	return -1
}

// loss is the penalised logistic loss, and its gradient.
func (p *problem) loss(rows []row, y, w, grad []float64) float64 {
	sum := 0.0
	last := len(w) - 1
	for i, v := range w[:last] { // the bias goes free
		grad[i] = penalty * v
		sum += penalty * v * v / 2
	}
	grad[last] = 0
	dense := grad[last-p.dims : last]
	for i := range rows {
		r := &rows[i]
		m := y[i] * p.times(r, w)
		sum += r.weight * softplus(-m)
		g := -r.weight * y[i] / (1 + math.Exp(m))
		for k, at := range r.at {
			grad[at] += g * r.value[k]
		}
		for d, v := range r.dense {
			dense[d] += g * v
		}
		grad[last] += g
	}
	return sum
}

// softplus is log(1 + e^x) without overflow.
func softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}

// set puts weights, scales multiplied in, into the form of package worth.
func (p *problem) set(w [len(worth.Layers)][]float64) worth.Set {
	grams, cues := len(p.grams), worth.CueCount()
	s := worth.Set{Grams: make([]worth.Scores, grams), Cues: make([]worth.Scores, cues), Vector: make([]worth.Scores, p.dims)}
	for l := range worth.Layers {
		for i := range s.Grams {
			s.Grams[i][l] = w[l][i] * gramScale
		}
		for i := range s.Cues {
			s.Cues[i][l] = w[l][grams+i] * cueScale
		}
		for i := range s.Vector {
			s.Vector[i][l] = w[l][grams+cues+i] * vectorScale
		}
		s.Bias[l] = w[l][len(w[l])-1]
	}
	return s
}
