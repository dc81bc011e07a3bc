package builtin

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"runtime"
	"slices"
	"testing"

	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/builtin/kernel"
)

// goldenLines are texts with the token counts and vectors of the reference
// engine; testdata/golden.sh makes them.
//
//go:embed testdata/golden.jsonl
var goldenLines []byte

// nearEnough is the least cosine with the reference engine's vector. Both
// quantise activations to 8 bits; sums in another order round some of them to
// the neighbour.
const nearEnough = 0.999

type golden struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Text   string `json:"text"`
	Bytes  []byte `json:"bytes"`  // instead of Text, where that is not UTF-8
	Tokens int    `json:"tokens"` // with <s> and </s>, of all windows together
	Vector string `json:"vector"` // base64 of int16, little-endian: component · 32767
}

func TestEmbed_AgreesWithReferenceEngine(t *testing.T) {
	cases := readGolden(t)
	if len(cases) < 48 {
		t.Fatalf("testdata/golden.jsonl has %d texts, want 48 or more", len(cases))
	}
	for _, set := range kernel.All() {
		t.Run(set.Name, func(t *testing.T) {
			e := newEmbedder(testModel(t), set, runtime.GOMAXPROCS(0))
			least := 1.0
			for _, kind := range []embed.Kind{embed.Query, embed.Passage} {
				least = min(least, compareAll(t, e, kind, affordable(cases, set)))
			}
			t.Logf("least cosine %.6f", least)
		})
	}
}

// compareAll embeds the cases of a kind and returns the least cosine.
func compareAll(t *testing.T, e *Embedder, kind embed.Kind, cases []golden) float64 {
	t.Helper()
	cases = slices.DeleteFunc(slices.Clone(cases), func(c golden) bool { return c.kind() != kind })
	var texts []string
	for _, c := range cases {
		texts = append(texts, c.text())
	}
	vectors, err := e.Embed(t.Context(), kind, texts)
	if err != nil || len(vectors) != len(texts) {
		t.Fatalf("embed %d texts: %d vectors, %v", len(texts), len(vectors), err)
	}
	least := 1.0
	for i, c := range cases {
		near := dot(vectors[i], c.vector(t))
		if !(near >= nearEnough) { // NaN is not
			t.Errorf("%s: cosine with the reference is %.5f, want ≥ %.3f", c.Name, near, nearEnough)
		}
		least = min(least, near)
	}
	return least
}

func TestEncode_CountsTokensAsReferenceEngine(t *testing.T) {
	e := testEmbedder(t)
	for _, c := range readGolden(t) {
		ids, err := e.encode(t.Context(), c.kind(), c.text())
		if err != nil {
			t.Fatal(err)
		}
		if got := len(ids) + 2; got != c.Tokens {
			t.Errorf("%s: %d tokens, the reference has %d", c.Name, got, c.Tokens)
		}
	}
}

// affordable leaves out the long texts where instrumented plain Go would take
// minutes over them; without -race no text is left out.
func affordable(cases []golden, set *kernel.Set) []golden {
	if !raceEnabled || set.Name != "go" {
		return cases
	}
	var short []golden
	for i, c := range cases {
		if c.Tokens < 64 && i%8 == 0 {
			short = append(short, c)
		}
	}
	return short
}

func readGolden(t *testing.T) []golden {
	t.Helper()
	var cases []golden
	for lines := json.NewDecoder(bytes.NewReader(goldenLines)); lines.More(); {
		var c golden
		if err := lines.Decode(&c); err != nil {
			t.Fatalf("testdata/golden.jsonl: %v", err)
		}
		cases = append(cases, c)
	}
	return cases
}

func (c golden) kind() embed.Kind {
	if c.Kind == embed.Query.String() {
		return embed.Query
	}
	return embed.Passage
}

func (c golden) text() string {
	if c.Bytes != nil {
		return string(c.Bytes)
	}
	return c.Text
}

func (c golden) vector(t *testing.T) []float32 {
	t.Helper()
	packed, err := base64.StdEncoding.DecodeString(c.Vector)
	if err != nil || len(packed) == 0 {
		t.Fatalf("%s: vector: %d bytes, %v", c.Name, len(packed), err)
	}
	vector := make([]float32, len(packed)/2)
	for i := range vector {
		vector[i] = float32(int16(binary.LittleEndian.Uint16(packed[2*i:]))) / math.MaxInt16
	}
	return vector
}

// dot is the cosine of unit vectors.
func dot(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
