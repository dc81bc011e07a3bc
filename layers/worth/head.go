package worth

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"sync"
)

// Head is the classifier of what a sentence settles of a common work: a logistic
// regression over the cues and, less their mean, the vectors of Model.
type Head struct {
	Model  string
	Bias   float64
	Cues   []float64
	Vector []float64
}

//go:embed settles.json
var headBytes []byte

var head = sync.OnceValue(func() *Head {
	h, err := DecodeHead(headBytes)
	if err == nil && len(h.Cues) != CueCount() {
		err = fmt.Errorf("%d weights of cues for %d cues", len(h.Cues), CueCount())
	}
	if err != nil {
		panic(fmt.Errorf("settles.json: %w", err))
	}
	return h
})

// headDigits is how finely weights are written: to a thousandth.
const headDigits = 1000

// Encode writes the head.
func (h *Head) Encode() ([]byte, error) {
	out := Head{Model: h.Model, Bias: rounded(h.Bias)}
	for _, w := range h.Cues {
		out.Cues = append(out.Cues, rounded(w))
	}
	for _, w := range h.Vector {
		out.Vector = append(out.Vector, rounded(w))
	}
	return json.Marshal(out)
}

func rounded(w float64) float64 { return math.Round(w*headDigits) / headDigits }

// DecodeHead reads a head that Encode wrote.
func DecodeHead(b []byte) (*Head, error) {
	h := &Head{}
	if err := json.Unmarshal(b, h); err != nil {
		return nil, fmt.Errorf("read a head: %w", err)
	}
	return h, nil
}

// score returns the probability that a text settles something.
func (h *Head) score(s string, vector, mean []float32) float64 {
	z := h.Bias
	for _, c := range Cues(s) {
		z += h.Cues[c]
	}
	for i := range min(len(vector), len(h.Vector)) {
		z += h.Vector[i] * float64(vector[i]-mean[i])
	}
	return logistic(z)
}
