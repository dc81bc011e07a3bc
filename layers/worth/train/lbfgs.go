package main

import "math"

// Settings of the minimiser, L-BFGS (Nocedal, 1980: "Updating quasi-Newton
// matrices with limited storage").
const (
	memory     = 10   // pairs kept
	maxRounds  = 300  // the losses here settle within some 150
	settled    = 1e-6 // relative fall of the loss that ends it
	armijo     = 1e-4 // share of the promised fall that a step must bring
	maxHalving = 30
)

// minimise returns where a smooth convex function of n variables is least. f
// returns its value at w and writes the gradient.
func minimise(n int, f func(w, grad []float64) float64) []float64 {
	w, grad := make([]float64, n), make([]float64, n)
	next, nextGrad := make([]float64, n), make([]float64, n)
	value := f(w, grad)
	var pairs []pair
	for range maxRounds {
		step := direction(grad, pairs)
		slope := dot(step, grad)
		if slope >= 0 {
			break
		}
		size := 1.0
		if len(pairs) == 0 {
			size = 1 / max(1, math.Sqrt(dot(grad, grad)))
		}
		found := math.Inf(1)
		for range maxHalving {
			for i := range w {
				next[i] = w[i] + size*step[i]
			}
			if found = f(next, nextGrad); found <= value+armijo*size*slope {
				break
			}
			size /= 2
		}
		pairs = remember(pairs, w, next, grad, nextGrad)
		fall := value - found
		w, next, grad, nextGrad, value = next, w, nextGrad, grad, found
		if fall <= settled*math.Abs(value) {
			break
		}
	}
	return w
}

// pair is one step: how the point moved and how the gradient changed.
type pair struct {
	s, y []float64
	rho  float64 // 1 / s·y
}

func remember(pairs []pair, w, next, grad, nextGrad []float64) []pair {
	p := pair{s: make([]float64, len(w)), y: make([]float64, len(w))}
	for i := range w {
		p.s[i], p.y[i] = next[i]-w[i], nextGrad[i]-grad[i]
	}
	curve := dot(p.s, p.y)
	if curve <= 1e-12 {
		return pairs
	}
	p.rho = 1 / curve
	if pairs = append(pairs, p); len(pairs) > memory {
		pairs = pairs[1:]
	}
	return pairs
}

// direction is minus the gradient times the inverse curvature that the pairs tell.
func direction(grad []float64, pairs []pair) []float64 {
	q := make([]float64, len(grad))
	for i := range grad {
		q[i] = -grad[i]
	}
	alpha := make([]float64, len(pairs))
	for k := len(pairs) - 1; k >= 0; k-- {
		p := &pairs[k]
		alpha[k] = p.rho * dot(p.s, q)
		addTimes(q, p.y, -alpha[k])
	}
	if n := len(pairs); n > 0 {
		scale := 1 / (pairs[n-1].rho * dot(pairs[n-1].y, pairs[n-1].y))
		for i := range q {
			q[i] *= scale
		}
	}
	for k := range pairs {
		p := &pairs[k]
		addTimes(q, p.s, alpha[k]-p.rho*dot(p.y, q))
	}
	return q
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func addTimes(a, b []float64, f float64) {
	for i := range a {
		a[i] += f * b[i]
	}
}
