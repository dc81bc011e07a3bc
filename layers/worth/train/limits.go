package main

import (
	"fmt"
	"math"
	"slices"

	"mcp-memory/layers/worth"
)

// anyErrors is the share of the conversations that hold nothing which may still
// reach the limit for records.
const anyErrors = 0.01

// margin is the share of what is left above that limit from which on records are
// made: conversations that nobody has read hold kinds of nothing that the rules
// were not written for.
const margin = 0.25

// gateFloor bounds the gate's limits: below it a probability means too little to
// act on.
const gateFloor = 0.15

// leftOut are the scores of what was left out of the training.
type leftOut struct {
	talks []worth.Scores // the highest of each talk
	any   []float64      // the highest probability of any layer of each talk
}

// limits chooses a set's limits on what was left out of the training, as far as
// use is true for its group, and prints how it does there.
func (s *samples) limits(left *leftOut, name string, use func(group int) bool) worth.Limits {
	var out worth.Limits
	for l := range worth.Layers {
		out.Gate[l] = max(s.bestGate(left, l, use), gateFloor)
	}
	out.Any = 1 - (1-s.anyLimit(left, use))*margin
	for group := range groups {
		strict, lenient := 0.0, 0.0
		for l := range worth.Layers {
			strict += s.f1(left.talks, l, out.Gate[l], group, true) / float64(len(worth.Layers))
			lenient += s.f1(left.talks, l, out.Gate[l], group, false) / float64(len(worth.Layers))
		}
		fmt.Printf("%-6s without the authors of %v: macro F1 %.3f strict %.3f there\n", name, groups[group], lenient, strict)
	}
	fmt.Printf("%-6s gate %.2f, records from %.3f on\n", name, out.Gate, out.Any)
	return out
}

// anyLimit is the limit that no more than anyErrors of the talks that hold nothing
// reach.
func (s *samples) anyLimit(left *leftOut, use func(group int) bool) float64 {
	var idle []float64
	for i := range s.talks {
		if !s.gold[i].any() && use(s.talks[i].group) {
			idle = append(idle, left.any[i])
		}
	}
	slices.Sort(idle)
	return idle[len(idle)-1-int(anyErrors*float64(len(idle)))]
}

// judge adds the scores of a group's talks.
func (s *samples) judge(p *problem, set *worth.Set, group int, left *leftOut) {
	if left.talks == nil {
		left.talks, left.any = make([]worth.Scores, len(s.talks)), make([]float64, len(s.talks))
	}
	for _, u := range s.units {
		if s.talks[u.talk].group != group {
			continue
		}
		z := p.scores(set, u.text, u.vector)
		for l := range z {
			left.talks[u.talk][l] = max(left.talks[u.talk][l], z[l])
		}
		left.any[u.talk] = max(left.any[u.talk], z.Any())
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
	for _, layer := range worth.Plain(text) {
		z[slices.Index(worth.Layers[:], layer)] = 1 // whatever the classifier thinks
	}
	return z
}

// gateSteps are the limits that are tried.
const gateSteps = 50

// beside is how many limits on each side count with one: a peak of few talks means
// nothing for others.
const beside = 2

// bestGate returns the limit about which F1 of a layer is best, strict and lenient,
// each group counting alike.
func (s *samples) bestGate(left *leftOut, layer int, use func(group int) bool) float64 {
	var at [gateSteps]float64
	for k := range at {
		t := float64(k) / gateSteps
		for group := range groups {
			if use(group) {
				at[k] += s.f1(left.talks, layer, t, group, true) + s.f1(left.talks, layer, t, group, false)
			}
		}
	}
	best, top := 0, 0.0
	for k := beside; k+beside < gateSteps; k++ {
		sum := 0.0
		for _, f := range at[k-beside : k+beside+1] {
			sum += f
		}
		if sum > top {
			best, top = k, sum
		}
	}
	return float64(best) / gateSteps
}

// f1 is a layer's F1 at a limit on the talks of a group. Borderline layers count as
// wrong where strict, else not at all.
func (s *samples) f1(talks []worth.Scores, layer int, limit float64, group int, strict bool) float64 {
	hit, wrong, missed := 0, 0, 0
	for i, z := range talks {
		if s.talks[i].group != group {
			continue
		}
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
