package slot

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A slot of 5,000 statements is a figure that changed every day for years.
const many = 5000

// manySaid makes statements of which every tenth says the value before it
// again; shuffled, their beginnings do not follow the order of being said.
func manySaid(shuffled bool) []Statement {
	r := rand.New(rand.NewPCG(1, 2))
	ss := make([]Statement, many)
	for i := range ss {
		ss[i] = Statement{ID: fmt.Sprintf("%05d", i), Value: fmt.Sprint(i - i%10/9), Said: []Saying{{ObservedAt: onDay(i), RecordedAt: onDay(i)}}}
		if shuffled {
			ss[i].Said[0].ValidFrom = onDay(-r.IntN(many))
		}
	}
	return ss
}

func BenchmarkTimeline(b *testing.B) {
	for _, shuffled := range []bool{false, true} {
		ss := manySaid(shuffled)
		line := New(ss, nil)
		name := fmt.Sprintf("shuffled=%v/", shuffled)
		b.Run(name+"new", func(b *testing.B) {
			for b.Loop() {
				New(ss, nil)
			}
		})
		b.Run(name+"at", func(b *testing.B) {
			for b.Loop() {
				line.At(onDay(many))
			}
		})
		b.Run(name+"match", func(b *testing.B) {
			s := Statement{Value: "7", Said: []Saying{{ObservedAt: onDay(8), RecordedAt: onDay(many)}}}
			for b.Loop() {
				line.Match(s)
			}
		})
		b.Run(name+"intervals", func(b *testing.B) {
			for b.Loop() {
				line.Intervals()
			}
		})
		b.Run(name+"successors", func(b *testing.B) {
			for b.Loop() {
				line.sweepDepartures()
			}
		})
		b.Run(name+"displaced", func(b *testing.B) {
			for b.Loop() {
				line.Displaced(ss[many-1].ID)
			}
		})
	}
}

func BenchmarkCanonical(b *testing.B) {
	for b.Loop() {
		Canonical("favorite_color")
	}
}

func BenchmarkKinds(b *testing.B) {
	likes := Canonical("likes")
	for b.Loop() {
		Kinds(likes, "black coffee")
	}
}
