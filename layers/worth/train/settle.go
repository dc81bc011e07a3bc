package main

import (
	"path/filepath"
	"slices"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/worth"
	"mcp-memory/storage"
	"mcp-memory/vector/embed"
)

// Files of what people settle while they work together: single turns, and
// conversations. The five layers are not learned from them.
const (
	workFile  = "work.jsonl"
	workTalks = "seen_6.jsonl"
)

// Weights of the samples for what is settled: those that settle something are few,
// and those that only look so are chosen.
const (
	settlesWeight = 3
	nearMiss      = 2
	settleCues    = 0.7 // scale of the cues
)

// settling is a line of work.jsonl.
type settling struct {
	Lang    string
	Text    string
	Settles bool
}

// settleSample is a sentence that settles something, or does not.
type settleSample struct {
	text   string
	yes    bool
	weight float64
}

// settleSamples are the sentences to learn from: of what is labelled for it, and,
// as what settles nothing, of all other files what is of neither activity nor
// context.
func settleSamples(data string, turns []labelled, talks []talk) ([]settleSample, error) {
	lines, err := readLines[settling](filepath.Join(data, workFile))
	if err != nil {
		return nil, err
	}
	work, err := readLines[talk](filepath.Join(data, workTalks))
	if err != nil {
		return nil, err
	}
	var out []settleSample
	for _, l := range lines {
		out = append(out, settleSample{l.Text, l.Settles, weightOf(l.Settles)})
	}
	for i := range work {
		for _, s := range statedIn(work[i].read()) {
			yes := work[i].layersIn(s) != labels{}
			out = append(out, settleSample{s, yes, weightOf(yes)})
		}
	}
	for _, t := range turns {
		if !mayWork(t.Layers) {
			read := conversation.Read([]conversation.Turn{{Role: conversation.User, Content: t.Text}}, conversation.Options{})
			out = appendIdle(out, read)
		}
	}
	for i := range talks {
		if !mayWork(talks[i].Layers) {
			out = appendIdle(out, talks[i].read())
		}
	}
	return out, nil
}

func weightOf(yes bool) float64 {
	if yes {
		return settlesWeight
	}
	return nearMiss
}

func mayWork(layers []storage.Layer) bool {
	return slices.Contains(layers, storage.Activity) || slices.Contains(layers, storage.Context)
}

func appendIdle(out []settleSample, read *conversation.Talk) []settleSample {
	for _, s := range statedIn(read) {
		out = append(out, settleSample{s, false, 1})
	}
	return out
}

// statedIn are the words of the sentences that a talk states.
func statedIn(read *conversation.Talk) (out []string) {
	for i := range read.Sentences {
		if s := &read.Sentences[i]; s.Kind == conversation.Stated {
			out = append(out, s.Words())
		}
	}
	return out
}

// trainSettle fits the head for what is settled over vectors and cues.
func trainSettle(samples []settleSample, e embed.Embedder, mean []float32) (*worth.Head, error) {
	texts := make([]string, len(samples))
	for i := range samples {
		texts[i] = samples[i].text
	}
	vectors, err := embedPassages(e, texts)
	if err != nil {
		return nil, err
	}
	p := problem{mean: mean, dims: len(mean)}
	rows, y := make([]row, len(samples)), make([]float64, len(samples))
	for i, s := range samples {
		rows[i] = p.row(s.text, nil, vectors[i], s.weight)
		for k := range rows[i].value {
			rows[i].value[k] = settleCues
		}
		y[i] = target(s.yes)
	}
	w := minimise(p.width()+1, func(w, grad []float64) float64 { return p.loss(rows, y, w, grad) })
	h := &worth.Head{Model: e.Model(), Bias: w[len(w)-1]}
	cues := worth.CueCount()
	for _, v := range w[:cues] {
		h.Cues = append(h.Cues, v*settleCues)
	}
	for _, v := range w[cues : len(w)-1] {
		h.Vector = append(h.Vector, v*vectorScale)
	}
	return h, nil
}
