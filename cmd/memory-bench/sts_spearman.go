package main

import (
	"cmp"
	"math"
	"slices"
)

// spearman is the rank correlation of two lists of the same length, −1 to 1:
// Pearson's correlation of their ranks, equal values sharing the mean of the
// ranks that they take up (Spearman 1904). Where all values of a list are equal
// there is no order to compare, and it is 0.
func spearman(x, y []float64) float64 { return pearson(ranks(x), ranks(y)) }

// ranks numbers the values in ascending order from 1.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for from, to := 0, 0; from < len(order); from = to {
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+1+to) / 2 // the mean of from+1 … to
		}
	}
	return out
}

func pearson(x, y []float64) float64 {
	meanX, meanY := mean(x), mean(y)
	var xy, xx, yy float64
	for i := range x {
		dx, dy := x[i]-meanX, y[i]-meanY
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1))
}
