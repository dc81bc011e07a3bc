// Package embedtest is the one suite that every embedder passes: it holds the
// contract of [embed.Embedder].
//
//	func TestEmbedder(t *testing.T) {
//		embedtest.Run(t, func(t *testing.T) embed.Embedder { return open(t) })
//	}
package embedtest

import (
	"context"
	"math"
	"testing"

	"mcp-memory/vector/embed"
)

// Suite says what may not be asked of an embedder. The zero Suite asks all.
type Suite struct {
	// OneKind: the model makes no difference between queries and passages. The
	// suite then wants the same vector for both.
	OneKind bool
	// NoMeaning: the vectors do not follow what texts mean, as those of an
	// embedder for tests.
	NoMeaning bool
}

// Run holds an embedder to all of the contract. open gives a fresh one for each
// test, and closes it when that ends.
func Run(t *testing.T, open func(t *testing.T) embed.Embedder) {
	t.Helper()
	Suite{}.Run(t, open)
}

// Run holds an embedder to what the suite asks.
func (s Suite) Run(t *testing.T, open func(t *testing.T) embed.Embedder) {
	t.Helper()
	tests := []struct {
		name string
		test func(t *testing.T, b *bench)
	}{
		{"NothingGivesNothing", testNothing},
		{"OneVectorForEveryTextInOrder", testOrder},
		{"SameTextSameVector", testSame},
		{"Kinds", s.testKinds},
		{"AnyTextIsTaken", testAnyText},
		{"VectorsAreTheCallers", testCallers},
		{"NamesItsModel", testModel},
		{"MayBeUsedAtOnce", testConcurrent},
		{"EndsWithItsContext", testCancelled},
		{"AllOrNothingWhenCancelled", testCancelledWithin},
	}
	if !s.NoMeaning {
		tests = append(tests, struct {
			name string
			test func(t *testing.T, b *bench)
		}{"NearIsWhatMeansTheSame", testMeaning})
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) { c.test(t, &bench{t, open(t)}) })
	}
}

const (
	// unitTolerance is how far a vector's length may be from 1: float32 sums.
	unitTolerance = 1e-3
	// sameTolerance is how far 1 − cosine of two vectors of one text may be from 0:
	// a model may add up in another order in a batch.
	sameTolerance = 1e-3
)

// bench is an embedder under test.
type bench struct {
	t        *testing.T
	embedder embed.Embedder
}

// embed returns the vectors of the texts, each checked for its form.
func (b *bench) embed(kind embed.Kind, texts ...string) [][]float32 {
	b.t.Helper()
	vectors, err := b.embedder.Embed(b.t.Context(), kind, texts)
	if err != nil {
		b.t.Fatalf("embed %d texts: %v", len(texts), err)
	}
	if err := checkForm(b.embedder, len(texts), vectors); err != "" {
		b.t.Fatal(err)
	}
	return vectors
}

// one returns the vector of a text that is embedded alone.
func (b *bench) one(kind embed.Kind, text string) []float32 {
	b.t.Helper()
	return b.embed(kind, text)[0]
}

// cancelled returns a context that is.
func (b *bench) cancelled() context.Context {
	ctx, cancel := context.WithCancel(b.t.Context())
	cancel()
	return ctx
}

// same reports two vectors of one text that differ.
func (b *bench) same(what string, got, want []float32) {
	b.t.Helper()
	if cos := cosine(got, want); math.Abs(1-cos) > sameTolerance {
		b.t.Errorf("%s: cosine %.6f, want 1", what, cos)
	}
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	return dot / math.Sqrt(aa*bb)
}
