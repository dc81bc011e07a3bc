package main

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestPercentile_IsTheNearestRank(t *testing.T) {
	// 15, 20, 35, 40, 50: the worked example of the nearest-rank method.
	sorted := []time.Duration{15, 20, 35, 40, 50}
	tests := []struct {
		p    float64
		want time.Duration
	}{{0.05, 15}, {0.30, 20}, {0.40, 20}, {0.50, 35}, {0.95, 50}, {1, 50}}
	for _, tt := range tests {
		if got := percentile(sorted, tt.p); got != tt.want {
			t.Errorf("percentile(%v) = %d, want %d", tt.p, got, tt.want)
		}
	}
}

func TestPercentile_OfOneSampleIsThatSample(t *testing.T) {
	for _, p := range []float64{0.001, 0.5, 0.95, 1} {
		if got := percentile([]time.Duration{7}, p); got != 7 {
			t.Errorf("percentile(%v) = %d, want 7", p, got)
		}
	}
}

func TestPercentile_SharesOfSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Int64Range(0, 1000), 1, 300).Draw(t, "samples")
		durations := make([]time.Duration, len(samples))
		for i, s := range samples {
			durations[i] = time.Duration(s) * time.Millisecond
		}
		q := summarize(durations)
		for p, value := range map[float64]float64{0.50: q.P50, 0.95: q.P95, 1: q.Max} {
			below := 0
			for _, s := range samples {
				if float64(s) <= value {
					below++
				}
			}
			if float64(below) < p*float64(len(samples)) {
				t.Fatalf("only %d of %d samples are at most p%v = %v ms", below, len(samples), p*100, value)
			}
		}
	})
}

func TestSummarize_TakesSamplesInAnyOrder(t *testing.T) {
	got := summarize([]time.Duration{3 * time.Millisecond, 1500 * time.Microsecond, 2 * time.Millisecond})
	want := quantiles{N: 3, P50: 2, P95: 3, Max: 3}
	if got != want {
		t.Errorf("summarize = %+v, want %+v", got, want)
	}
	if got := summarize(nil); got != (quantiles{}) {
		t.Errorf("summarize(nil) = %+v, want zeros", got)
	}
}
