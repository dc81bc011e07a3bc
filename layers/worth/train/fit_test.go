package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"mcp-memory/layers/worth"
)

func TestMinimise_FindsTheLeastOfAQuadratic(t *testing.T) {
	want := []float64{3, -1, 0.5}
	scale := []float64{1, 10, 100}
	got := minimise(3, func(w, grad []float64) float64 {
		sum := 0.0
		for i := range w {
			d := w[i] - want[i]
			grad[i] = scale[i] * d
			sum += scale[i] * d * d / 2
		}
		return 1 + sum
	})
	for i := range want {
		if math.Abs(got[i]-want[i]) > 0.01 {
			t.Errorf("coordinate %d is %g, want %g", i, got[i], want[i])
		}
	}
}

func TestLoss_GradientIsItsSlope(t *testing.T) {
	p := problem{grams: map[uint32]int{}, mean: []float32{0, 0}, dims: 2}
	for _, text := range []string{"I live in Porto", "what time is it"} {
		for _, g := range worth.Grams(text) {
			if _, ok := p.grams[g]; !ok {
				p.grams[g] = len(p.grams)
			}
		}
	}
	rows := []row{
		p.row("I live in Porto", worth.Grams("I live in Porto"), []float32{0.3, -0.2}, 1),
		p.row("what time is it", worth.Grams("what time is it"), []float32{-0.1, 0.4}, 2),
	}
	y := []float64{1, -1}
	random := rand.New(rand.NewPCG(1, 1))
	w := make([]float64, p.width()+1)
	for i := range w {
		w[i] = random.NormFloat64() / 4
	}
	grad, none := make([]float64, len(w)), make([]float64, len(w))
	p.loss(rows, y, w, grad)
	for _, i := range []int{0, len(p.grams), len(w) - 3, len(w) - 1} {
		const h = 1e-5
		w[i] += h
		up := p.loss(rows, y, w, none)
		w[i] -= 2 * h
		down := p.loss(rows, y, w, none)
		w[i] += h
		if slope := (up - down) / (2 * h); math.Abs(slope-grad[i]) > 1e-4 {
			t.Errorf("gradient %d is %g, the slope %g", i, grad[i], slope)
		}
	}
}

func TestSamples_JoinedTurnsHaveBothLayers(t *testing.T) {
	turns := []labelled{{Lang: "en", Text: "I live in Porto.", Layers: worth.Layers[3:4]}, {Lang: "en", Text: "I prefer trains.", Layers: worth.Layers[4:5]}, {Lang: "en", Text: "nice weather"}}
	all := make([]labelled, 0, 60)
	for range 20 {
		all = append(all, turns...)
	}
	s := newSamples(all, nil, true)
	if s.single != 60 || len(s.all) != 60+int(joinedShare*60) {
		t.Fatalf("%d single, %d in all", s.single, len(s.all))
	}
	for _, x := range s.all[s.single:] {
		if x.layers[3] != strings.Contains(strings.ToLower(x.text), "porto") || x.layers[4] != strings.Contains(x.text, "trains") {
			t.Errorf("%q has the layers %v", x.text, x.layers)
		}
	}
}

func TestGroupOf_NamesTheFileThatHasNoAuthors(t *testing.T) {
	for i, names := range groups {
		for _, name := range names {
			if got, err := groupOf("testdata/" + name); err != nil || got != i {
				t.Errorf("%s: group %d, %v, want %d", name, got, err, i)
			}
		}
	}
	if _, err := groupOf("testdata/seen_99.jsonl"); err == nil || !strings.Contains(err.Error(), "seen_99.jsonl") {
		t.Errorf("a file of no group: %v", err)
	}
}

func TestLimits_AreChosenOnTheGroupsInUse(t *testing.T) {
	s := &samples{}
	var left leftOut
	for i := range 100 { // of the one group scores of .6 hold something, of the other those of .9
		group := 1 + i%2
		p := 0.3 + 0.2*float64(group) + 0.01*float64(i/4)/25
		holds := i%4 < 2
		if !holds {
			p -= 0.2
		}
		s.talks = append(s.talks, talk{group: group})
		s.gold, s.also = append(s.gold, labels{holds}), append(s.also, labels{})
		left.talks, left.any = append(left.talks, worth.Scores{p}), append(left.any, p)
	}
	only := func(want int) func(int) bool { return func(group int) bool { return group == want } }
	for group, want := range map[int][2]float64{1: {0.3, 0.5}, 2: {0.5, 0.7}} {
		if got := s.bestGate(&left, 0, only(group)); got <= want[0] || got > want[1] {
			t.Errorf("group %d: gate %.2f, want between %.2f and %.2f", group, got, want[0], want[1])
		}
	}
	if one, two := s.anyLimit(&left, only(1)), s.anyLimit(&left, only(2)); one >= 0.4 || two < 0.5 {
		t.Errorf("records from %.2f and %.2f on, want the highest of what holds nothing of each group", one, two)
	}
}
