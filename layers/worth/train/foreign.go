package main

import (
	"math"

	"mcp-memory/layers/recall"
	"mcp-memory/layers/worth"
	"mcp-memory/vector/embed"
)

// runForeign trains and writes the classifier of languages without rules: over the
// vectors of all samples, which are English and Chinese, less the directions in which
// languages differ. So its weights are at right angles to these, and a sentence
// counts alike in whichever language it is said.
func (s *samples) runForeign(path string, e embed.Embedder) error {
	directions, err := languageDirections(e)
	if err != nil {
		return err
	}
	p := problem{mean: s.mean(), dims: len(s.all[0].vector)}
	rows, gold := make([]row, len(s.all)), make([]labels, len(s.all))
	for i := range s.all {
		x := &s.all[i]
		rows[i] = row{weight: x.weight, dense: make([]float64, p.dims)}
		for d := range p.dims {
			rows[i].dense[d] = float64(x.vector[d]-p.mean[d]) * vectorScale
		}
		takeOut(rows[i].dense, directions)
		gold[i] = x.layers
	}
	f := worth.Foreign{Model: e.Model(), Vector: make([]worth.Scores, p.dims)}
	for l := range worth.Layers {
		y := make([]float64, len(gold))
		for i := range gold {
			y[i] = target(gold[i][l])
		}
		w := minimise(p.dims+1, func(w, grad []float64) float64 { return p.loss(rows, y, w, grad) })
		f.Bias[l] = w[p.dims]
		for d := range p.dims {
			f.Vector[d][l] = w[d] * vectorScale
			f.Bias[l] -= f.Vector[d][l] * float64(p.mean[d])
		}
	}
	return write(path, &f)
}

// languageDirections are those in which the vectors of the yardstick's languages
// differ from each other, orthonormal.
func languageDirections(e embed.Embedder) (out [][]float64, err error) {
	statements, questions := recall.Yardstick()
	var means [][]float64
	for i := range statements {
		vectors, err := embedPassages(e, append(statements[i], questions[i]...))
		if err != nil {
			return nil, err
		}
		means = append(means, meanOf(vectors))
	}
	for _, m := range means[1:] {
		for d := range m {
			m[d] -= means[0][d]
		}
		takeOut(m, out)
		if length := math.Sqrt(dot(m, m)); length > 0 {
			for d := range m {
				m[d] /= length
			}
			out = append(out, m)
		}
	}
	return out, nil
}

func meanOf(vectors [][]float32) []float64 {
	out := make([]float64, len(vectors[0]))
	for _, v := range vectors {
		for d, x := range v {
			out[d] += float64(x) / float64(len(vectors))
		}
	}
	return out
}

// takeOut takes directions out of a vector.
func takeOut(v []float64, directions [][]float64) {
	for _, d := range directions {
		addTimes(v, d, -dot(v, d))
	}
}
