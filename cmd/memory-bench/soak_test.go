package main

import (
	"testing"
)

// samplesOf makes a soak of a hundred samples, each what of says of its number.
func samplesOf(of func(n int) soakSample) (r soakReport) {
	for n := range 100 {
		r.Samples = append(r.Samples, of(n))
	}
	return r
}

func TestCheckSoak_FindsWhatGrows(t *testing.T) {
	steady := soakSample{Goroutines: 40, Owner: 90e6, Attached: 20e6, Files: 1e6}
	for name, grow := range map[string]func(*soakSample, int){
		"goroutines": func(s *soakSample, n int) { s.Goroutines += n },
		"owner":      func(s *soakSample, n int) { s.Owner += int64(n) * 2e6 },
		"attached":   func(s *soakSample, n int) { s.Attached += int64(n) * 1e6 },
		"files":      func(s *soakSample, n int) { s.Files += int64(n) * 2e6 },
	} {
		r := samplesOf(func(n int) soakSample { s := steady; grow(&s, n); return s })
		failed := 0
		for _, l := range checkSoak(r) {
			if !l.Holds {
				failed++
			}
		}
		if failed != 1 {
			t.Errorf("%s grow: %d limits fail, want 1: %v", name, failed, checkSoak(r))
		}
	}
	if r := samplesOf(func(int) soakSample { return steady }); len(r.fifth(4)) != 20 {
		t.Errorf("the last fifth of 100 has %d samples", len(r.fifth(4)))
	} else {
		for _, l := range checkSoak(r) {
			if !l.Holds {
				t.Errorf("nothing grows, but %v", l)
			}
		}
	}
}
