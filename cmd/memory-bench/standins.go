package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"mcp-memory/layers/recall"
	"mcp-memory/vector/embed"
)

// standIns makes vectors of passages that cost microseconds and lie as a model's
// do. Some texts have the model's own vectors; that of any other text is a mixture
// of a few of these, chosen by the text's hash:
//
//	mean + √(1−n²) Σ wᵢ (basisᵢ − mean) + n·noise,   Σ wᵢ² = 1
//
// brought to unit length. So the same text has the same vector whenever it is asked
// for, and all together have about the mean and the covariance of the model's: what
// a scan or a walk through a graph meets are neighbourhoods as dense as true ones.
// What a text says is in no mixture: it finds nothing by meaning.
//
// Queries are embedded by the model itself. It is safe for concurrent use.
type standIns struct {
	embedder embed.Embedder
	known    map[textKey][]float32 // the model's own vectors of passages
	basis    [][]float32           // those that are mixed, less their mean
	mean     []float32
	spread   float64 // root mean square of the lengths of basis
}

// The make-up of a mixture.
const (
	mixed      = 3   // vectors in it
	leastShare = .25 // of the weight that one of them has before all are scaled, of at most 1
	noiseShare = .1  // of its distance from the mean that is noise
)

// basisMost is how many texts of a corpus have the model's own vectors.
const basisMost = 10_000

// basisTexts are the first texts of a corpus as a store of that seed and size has
// them.
func basisTexts(seed uint64, size int, of length) []string {
	c, texts := newCorpus(seed, size, of), make([]string, min(size, basisMost))
	for i := range texts {
		texts[i] = c.next().Text
	}
	return texts
}

// openStandIns embeds the basis, and the statements that a server makes its lens
// of: these must be the model's own.
func openStandIns(ctx context.Context, cache *vectorCache, basis []string) (*standIns, error) {
	statements, _ := recall.Yardstick()
	texts := slices.Concat(append([][]string{basis}, statements...)...)
	vectors, err := cache.embed(ctx, embed.Passage, texts)
	if err != nil {
		return nil, err
	}
	s := newStandIns(cache.embedder, vectors[:len(basis)])
	for i, text := range texts {
		s.known[keyOf(embed.Passage, text)] = vectors[i]
	}
	return s, nil
}

// newStandIns mixes the vectors of a basis, of which there is at least one.
func newStandIns(e embed.Embedder, basis [][]float32) *standIns {
	s := &standIns{embedder: e, known: map[textKey][]float32{}, mean: make([]float32, len(basis[0]))}
	for _, v := range basis {
		addScaled(s.mean, v, 1/float64(len(basis)))
	}
	squares := 0.0
	for _, v := range basis {
		away := slices.Clone(v)
		addScaled(away, s.mean, -1)
		s.basis = append(s.basis, away)
		squares += squared(away)
	}
	s.spread = math.Sqrt(squares / float64(len(basis)))
	return s
}

// Model names the model and how its vectors are mixed.
func (s *standIns) Model() string {
	return fmt.Sprintf("stand-ins of %d for %s", len(s.basis), s.embedder.Model())
}

// Dim is the model's.
func (s *standIns) Dim() int { return s.embedder.Dim() }

// Embed returns the vectors of the texts, as [embed.Embedder] says.
func (s *standIns) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	if kind == embed.Query {
		return s.embedder.Embed(ctx, kind, texts)
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		key := keyOf(kind, text)
		if known, ok := s.known[key]; ok {
			vectors[i] = slices.Clone(known)
		} else {
			vectors[i] = s.mix(key)
		}
	}
	return vectors, ctx.Err()
}

var _ embed.Embedder = (*standIns)(nil)

// mix is the vector of a text that is not known.
func (s *standIns) mix(key textKey) []float32 {
	rng := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(key[:]), binary.LittleEndian.Uint64(key[sha256.Size/2:])))
	var weights [mixed]float64
	sum := 0.0
	for i := range weights {
		weights[i] = leastShare + (1-leastShare)*rng.Float64()
		sum += weights[i] * weights[i]
	}
	v, scale := slices.Clone(s.mean), math.Sqrt((1-noiseShare*noiseShare)/sum)
	for _, w := range weights {
		addScaled(v, pick(rng, s.basis), scale*w)
	}
	noise := noiseShare * s.spread / math.Sqrt(float64(len(v)))
	for i := range v {
		v[i] += float32(noise * rng.NormFloat64())
	}
	length := math.Sqrt(squared(v))
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return v
}

// addScaled adds a multiple of w to v.
func addScaled(v, w []float32, by float64) {
	for i := range v {
		v[i] += float32(by * float64(w[i]))
	}
}

// squared is the squared length of v.
func squared(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return sum
}
