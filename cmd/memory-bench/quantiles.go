package main

import (
	"math"
	"slices"
	"time"
)

// quantiles sums up how long something took, in milliseconds, over N samples.
type quantiles struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50_ms"`
	P95 float64 `json:"p95_ms"`
	Max float64 `json:"max_ms"`
}

// summarize sorts samples and sums them up; no samples are all zero.
func summarize(samples []time.Duration) quantiles {
	slices.Sort(samples)
	return quantiles{
		N:   len(samples),
		P50: milliseconds(percentile(samples, 0.50)),
		P95: milliseconds(percentile(samples, 0.95)),
		Max: milliseconds(percentile(samples, 1)),
	}
}

// percentile is the nearest-rank percentile of sorted samples: the smallest
// sample that at least the share p (0 < p ≤ 1) of them does not exceed. It is
// a sample itself, never an interpolation; without samples it is 0.
func percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(p * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

func milliseconds(d time.Duration) float64 {
	return float64(d) / float64(time.Millisecond)
}
