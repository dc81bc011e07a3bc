package main

import (
	"math"
	"slices"
	"testing"
)

func TestRanks_EqualValuesShareTheMean(t *testing.T) {
	tests := []struct{ values, want []float64 }{
		{nil, []float64{}},
		{[]float64{7}, []float64{1}},
		{[]float64{30, 10, 20}, []float64{3, 1, 2}},
		{[]float64{5, 1, 5, 5, 2}, []float64{4, 1, 4, 4, 2}},
		{[]float64{2, 2, 1, 1}, []float64{3.5, 3.5, 1.5, 1.5}},
	}
	for _, tt := range tests {
		if got := ranks(tt.values); !slices.Equal(got, tt.want) {
			t.Errorf("ranks(%v) = %v, want %v", tt.values, got, tt.want)
		}
	}
}

func TestSpearman(t *testing.T) {
	tests := []struct {
		name string
		x, y []float64
		want float64
	}{
		{"any growing function", []float64{1, 2, 3, 4}, []float64{1, 10, 11, 1000}, 1},
		{"any falling function", []float64{1, 2, 3, 4}, []float64{9, 3, 2, -7}, -1},
		{"two neighbours swapped: 1 − 6·2/(5·24)", []float64{1, 2, 3, 4, 5}, []float64{1, 3, 2, 4, 5}, 0.9},
		// Ranks 1.5 1.5 3 4 and 1 2 3 4: Σ(dx·dy) = 4.5, Σdx² = 4.5, Σdy² = 5.
		{"ties averaged", []float64{1, 1, 2, 3}, []float64{1, 2, 3, 4}, 4.5 / math.Sqrt(4.5*5)},
		{"one list says nothing", []float64{1, 1, 1}, []float64{1, 2, 3}, 0},
		{"nothing", nil, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := spearman(tt.x, tt.y); math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("spearman(%v, %v) = %v, want %v", tt.x, tt.y, got, tt.want)
			}
		})
	}
}
