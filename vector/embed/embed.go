// Package embed turns texts into vectors whose cosine says how much two texts
// mean the same.
//
// Two embedders exist: embed/builtin, a multilingual model inside the binary,
// and embed/endpoint, any server that speaks OpenAI's embeddings. Both keep the
// contract of [Embedder]; embed/embedtest holds it as a suite. [Cached] spares
// either the texts it has seen.
package embed

import (
	"context"
	"errors"
)

// Kind says what a text is: models trained on search tell the two apart.
type Kind uint8

// The kinds of text.
const (
	Passage Kind = iota // what is remembered
	Query               // what is asked

	kinds = 2
)

// String returns "passage" or "query".
func (k Kind) String() string {
	if k == Query {
		return "query"
	}
	return "passage"
}

// Embedder turns texts into vectors. It is safe for concurrent use.
type Embedder interface {
	// Embed returns one vector for every text, in their order, each Dim() long
	// and of unit length. Any text is taken: empty, of any length (what a model
	// cannot take at once is embedded in windows, or cut where the embedder says
	// so), not valid UTF-8. No text gives no vector and no error. The vectors are
	// the caller's.
	//
	// It returns soon after ctx is done, with its error. Other errors wrap
	// [ErrUnavailable] where the same call may succeed later, and [ErrRefused]
	// where it will not. A call gives all vectors or none.
	Embed(ctx context.Context, kind Kind, texts []string) ([][]float32, error)

	// Model names what makes the vectors. Vectors may be compared only where it
	// is the same; it changes whenever the same text would get another vector.
	Model() string

	// Dim is the length of every vector; 0 where that is not known before the
	// first answer.
	Dim() int
}

// Errors of an Embedder. Wrapped with what was tried.
var (
	// ErrUnavailable: the embedder cannot answer now; the call may be tried
	// again.
	ErrUnavailable = errors.New("embedder unavailable")
	// ErrRefused: the same call will fail again (wrong key, wrong model, an answer
	// that is not what was asked for).
	ErrRefused = errors.New("embedder refused")
)
