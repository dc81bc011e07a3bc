package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-memory/vector/embed"
)

// lengthEmbedder gives a text the unit vector of its length, and counts texts.
type lengthEmbedder struct{ texts int }

const lengthDim = 16

func (*lengthEmbedder) Model() string { return "length/1" }
func (*lengthEmbedder) Dim() int      { return lengthDim }

func (e *lengthEmbedder) Embed(_ context.Context, _ embed.Kind, texts []string) ([][]float32, error) {
	var out [][]float32
	for _, text := range texts {
		v := make([]float32, lengthDim)
		v[len(text)%lengthDim] = 1
		out = append(out, v)
	}
	e.texts += len(texts)
	return out, nil
}

// testCache is a cache in a file of the test's own.
func testCache(t *testing.T) (*vectorCache, *lengthEmbedder) {
	t.Helper()
	e := &lengthEmbedder{}
	return &vectorCache{embedder: e, path: filepath.Join(t.TempDir(), "test.vectors"), progress: io.Discard}, e
}

// wordsOf are n texts of lengths 1 to n.
func wordsOf(n int) (texts []string) {
	for i := range n {
		texts = append(texts, strings.Repeat("x", i+1))
	}
	return texts
}

func embedCached(t *testing.T, c *vectorCache, kind embed.Kind, texts []string) {
	t.Helper()
	vectors, err := c.embed(t.Context(), kind, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vectors {
		if slices.Index(v, 1) != len(texts[i])%lengthDim {
			t.Fatalf("text %d has the vector %v", i, v)
		}
	}
}

func TestVectorCache_MakesWhatIsMissing(t *testing.T) {
	c, e := testCache(t)
	embedCached(t, c, embed.Passage, wordsOf(100))
	embedCached(t, c, embed.Passage, wordsOf(130))
	embedCached(t, c, embed.Query, wordsOf(2))
	if e.texts != 132 {
		t.Errorf("embedded %d texts, want 130 and as queries 2", e.texts)
	}
}

// TestVectorCache_SurvivesAKill: a row that was cut off is made again, and those
// behind it are found.
func TestVectorCache_SurvivesAKill(t *testing.T) {
	c, e := testCache(t)
	embedCached(t, c, embed.Passage, wordsOf(3))
	if err := os.Truncate(c.path, int64(3*c.rowBytes()-1)); err != nil {
		t.Fatal(err)
	}
	embedCached(t, c, embed.Passage, wordsOf(5))
	if e.texts != 3+3 {
		t.Errorf("embedded %d texts, want 3, the one that was cut off and 2 more", e.texts)
	}
	embedCached(t, c, embed.Passage, wordsOf(5))
	if e.texts != 3+3 {
		t.Errorf("embedded %d texts, want none any more", e.texts)
	}
}

func TestVectorCache_SaysThatItIsDamaged(t *testing.T) {
	c, _ := testCache(t)
	embedCached(t, c, embed.Passage, wordsOf(1))
	raw, err := os.ReadFile(c.path)
	if err != nil {
		t.Fatal(err)
	}
	copy(raw[len(raw)-4:], "\x00\x00\xc0\x7f") // NaN
	if err := os.WriteFile(c.path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.embed(t.Context(), embed.Passage, wordsOf(1)); err == nil || !strings.Contains(err.Error(), c.path) {
		t.Errorf("embed = %v, want an error that names %s", err, c.path)
	}
}
