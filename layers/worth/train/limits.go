package main

import (
	"fmt"
	"math"
	"slices"

	"mcp-memory/layers/worth"
)

// anyErrors is the share of turns that hold nothing, and are no courtesy or
// question that the rules see, which may still reach the limit for records.
const anyErrors = 0.008

// gateFloor bounds the gate's limits: below it a probability means too little to
// act on.
const gateFloor = 0.15

// leftOut are the scores of what was left out of the training.
type leftOut struct {
	talks  []worth.Scores // the highest of each talk
	single []worth.Scores // of each single turn
	idle   []float64      // the probability of any layer, of each turn that holds nothing
}

// limits chooses a set's limits on what was left out of the training, and prints
// how it does there.
func (s *samples) limits(left *leftOut, name string) worth.Limits {
	var out worth.Limits
	strict, lenient := 0.0, 0.0
	for l := range worth.Layers {
		limit := s.bestGate(left, l)
		out.Gate[l] = max(limit, gateFloor)
		a, b := s.f1(left.talks, l, out.Gate[l], true), s.f1(left.talks, l, out.Gate[l], false)
		strict, lenient = strict+a, lenient+b
		fmt.Printf("%-6s %-10s F1 %.3f strict %.3f gate %.2f\n", name, worth.Layers[l], b, a, out.Gate[l])
	}
	slices.Sort(left.idle)
	out.Any = left.idle[len(left.idle)-1-int(anyErrors*float64(len(left.idle)))]
	n := float64(len(worth.Layers))
	fmt.Printf("%-6s macro F1 %.3f strict %.3f on the development set, left out of the training; records from %.3f on\n", name, lenient/n, strict/n, out.Any)
	return out
}

// judge adds the scores of a fold's talks and of its idle turns.
func (s *samples) judge(p *problem, set *worth.Set, fold int, left *leftOut) {
	if left.talks == nil {
		left.talks, left.single = make([]worth.Scores, len(s.talks)), make([]worth.Scores, s.single)
	}
	for _, u := range s.units {
		if u.talk%folds != fold {
			continue
		}
		z := p.scores(set, u.text, u.vector)
		for l := range z {
			left.talks[u.talk][l] = max(left.talks[u.talk][l], z[l])
		}
		if !s.gold[u.talk].any() {
			left.idle = append(left.idle, z.Any())
		}
	}
	for i, x := range s.all[:s.single] {
		if x.fold != fold || x.vetoed {
			continue
		}
		left.single[i] = p.scores(set, x.text, x.vector)
		if !x.layers.any() {
			left.idle = append(left.idle, left.single[i].Any())
		}
	}
}

// scores are the probabilities that a set gives a text.
func (p *problem) scores(set *worth.Set, text string, vector []float32) worth.Scores {
	z := set.Bias
	grams := worth.Grams(text)
	add := func(w *worth.Scores, f float64) {
		for l := range z {
			z[l] += w[l] * f
		}
	}
	for _, g := range grams {
		if i, ok := p.grams[g]; ok {
			add(&set.Grams[i], worth.GramValue(len(grams)))
		}
	}
	for _, c := range worth.Cues(text) {
		add(&set.Cues[c], 1)
	}
	for d := range set.Vector {
		add(&set.Vector[d], float64(vector[d]-p.mean[d]))
	}
	for l := range z {
		z[l] = 1 / (1 + math.Exp(-z[l]))
	}
	return z
}

// gateSteps are the limits that are tried.
const gateSteps = 50

// bestGate returns the limit with the best F1 of a layer over the talks, strict
// and lenient, and over the single turns, which are many; of a run of equal ones
// the middle.
func (s *samples) bestGate(left *leftOut, layer int) float64 {
	best := 0.0
	var at []float64
	for k := 1; k < gateSteps; k++ {
		t := float64(k) / gateSteps
		f := s.f1(left.talks, layer, t, true)/2 + s.f1(left.talks, layer, t, false)/2 + s.f1Single(left.single, layer, t)
		switch {
		case f > best:
			best, at = f, []float64{t}
		case f == best:
			at = append(at, t)
		}
	}
	return at[len(at)/2]
}

// f1 is a layer's F1 at a limit. Borderline layers count as wrong where strict,
// else not at all.
func (s *samples) f1(talks []worth.Scores, layer int, limit float64, strict bool) float64 {
	hit, wrong, missed := 0, 0, 0
	for i, z := range talks {
		gold, found := s.gold[i][layer], z[layer] >= limit
		switch {
		case gold && found:
			hit++
		case gold:
			missed++
		case found && (strict || !s.also[i][layer]):
			wrong++
		}
	}
	if hit == 0 {
		return 0
	}
	return 2 * float64(hit) / float64(2*hit+wrong+missed)
}

// f1Single is a layer's F1 over the single turns.
func (s *samples) f1Single(single []worth.Scores, layer int, limit float64) float64 {
	hit, either := 0, 0
	for i, z := range single {
		gold, found := s.all[i].layers[layer], z[layer] >= limit
		if gold && found {
			hit++
		}
		if gold {
			either++
		}
		if found {
			either++
		}
	}
	if hit == 0 {
		return 0
	}
	return 2 * float64(hit) / float64(either)
}
