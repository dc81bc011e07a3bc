package main

import (
	"cmp"
	"slices"
)

// nearestToMiddle returns the places of the n vectors that are nearest to the mean
// of all, ascending.
func nearestToMiddle(vectors [][]float32, n int) []int {
	if len(vectors) == 0 {
		return nil
	}
	middle := make([]float32, len(vectors[0]))
	for _, v := range vectors {
		for i, x := range v {
			middle[i] += x
		}
	}
	places := make([]int, len(vectors))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(dot(vectors[b], middle), dot(vectors[a], middle)) })
	places = places[:min(n, len(places))]
	slices.Sort(places)
	return places
}

func dot(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
