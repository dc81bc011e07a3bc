package embedtest

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"mcp-memory/vector/embed"
)

// Words returns an embedder for tests, without a model: a vector is the sum of
// its words' own, so texts are near that share words. It takes any dim of at
// least 2, and passes the suite but for meaning.
func Words(dim int) embed.Embedder { return words{dim} }

type words struct{ dim int }

func (w words) Model() string { return fmt.Sprintf("words:%d", w.dim) }

func (w words) Dim() int { return w.dim }

func (w words) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("embed text %d of %d: %w", i, len(texts), err)
		}
		vectors[i] = w.vector(kind.String() + ": " + text)
	}
	return vectors, nil
}

// vector adds up the words. The first, the kind, keeps it from being zero.
func (w words) vector(text string) []float32 {
	sum := make([]float64, w.dim)
	for i, word := range strings.Fields(strings.ToLower(text)) {
		weight := 1.0
		if i == 0 {
			weight = 0.5
		}
		w.add(sum, word, weight)
	}
	var squares float64
	for _, x := range sum {
		squares += x * x
	}
	vector := make([]float32, w.dim)
	for i, x := range sum {
		vector[i] = float32(x / math.Sqrt(squares))
	}
	return vector
}

// add adds a word's vector, whose numbers its hash draws from [-1, 1).
func (w words) add(sum []float64, word string, weight float64) {
	hash := fnv.New64a()
	hash.Write([]byte(word)) //nolint:errcheck // a hash takes every byte
	state := hash.Sum64()
	for i := range sum {
		state = state*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
		sum[i] += weight * (float64(state>>11)/(1<<52) - 1)
	}
}
