package endpoint

import (
	"context"
	"errors"
	"fmt"
	"math"

	"mcp-memory/internal/openai"
	"mcp-memory/vector/embed"
)

// request returns the vectors of texts that go to the server together, or, where
// it finds that too much, in parts.
func (e *Embedder) request(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := e.ask(ctx, texts)
	if errors.Is(err, openai.ErrTooLarge) {
		return e.smaller(ctx, texts, err)
	}
	return vectors, err
}

// smaller asks for less after the server found the texts too large: for half of
// them at a time, and for half of a text that is alone.
func (e *Embedder) smaller(ctx context.Context, texts []string, tooLarge error) ([][]float32, error) {
	switch size := len(texts[0]); {
	case len(texts) > 1:
		return e.halves(ctx, texts)
	case size > minTextBytes:
		return e.request(ctx, []string{cut(texts[0], max(size/2, minTextBytes))})
	}
	return nil, tooLarge
}

// halves makes two requests of one that was too large. Where the server takes
// both as they are, it was the number of texts, and the next calls heed it;
// where it does not, one of the texts is too long.
func (e *Embedder) halves(ctx context.Context, texts []string) ([][]float32, error) {
	half := (len(texts) + 1) / 2
	vectors, taken := make([][]float32, 0, len(texts)), true
	for _, part := range [][]string{texts[:half], texts[half:]} {
		got, err := e.ask(ctx, part)
		if errors.Is(err, openai.ErrTooLarge) {
			taken = false
			got, err = e.smaller(ctx, part, err)
		}
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, got...)
	}
	if taken {
		e.shrink(half)
	}
	return vectors, nil
}

// ask makes one request, whose vectors are checked and of unit length.
func (e *Embedder) ask(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := e.client.Embeddings(ctx, e.options.Model, texts)
	if errors.Is(err, openai.ErrTimeout) {
		e.shrink(len(texts) / 2) // whoever tries again asks for less at a time
	}
	if err != nil {
		return nil, err
	}
	if err := e.accept(vectors); err != nil {
		return nil, err
	}
	return vectors, nil
}

// shrink lowers the number of texts in the requests to come.
func (e *Embedder) shrink(to int) {
	for {
		now := e.batch.Load()
		if int64(to) >= now || e.batch.CompareAndSwap(now, int64(max(to, 1))) {
			return
		}
	}
}

// accept checks the vectors of an answer and brings them to unit length. The
// first answer that is good decides the length of all that follow.
func (e *Embedder) accept(vectors [][]float32) error {
	dim := len(vectors[0])
	for i, vector := range vectors {
		if len(vector) != dim {
			return fmt.Errorf("%w: %s answers with vectors of length %d and of length %d at once", embed.ErrRefused, e.name, dim, len(vector))
		}
		if err := normalise(vector); err != nil {
			return fmt.Errorf("%w: %s answers for text %d of a request with a vector that %v", embed.ErrRefused, e.name, i+1, err)
		}
	}
	e.dim.CompareAndSwap(0, int64(dim))
	if first := e.Dim(); dim != first {
		return fmt.Errorf("%w: %s answers with vectors of length %d, and of length %d before: it has another model now; restart to use that",
			embed.ErrRefused, e.name, dim, first)
	}
	return nil
}

var (
	errNotFinite = errors.New("holds NaN or an infinity")
	errZero      = errors.New("is all zeros")
)

// normalise brings the vector to length 1.
func normalise(vector []float32) error {
	var squares float64
	for _, x := range vector {
		squares += float64(x) * float64(x)
	}
	length := math.Sqrt(squares)
	switch {
	case math.IsNaN(length) || math.IsInf(length, 0): // float32s cannot overflow the sum
		return errNotFinite
	case length == 0:
		return errZero
	}
	for i, x := range vector {
		vector[i] = float32(float64(x) / length)
	}
	return nil
}
