package main

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"mcp-memory/layers"
	"mcp-memory/vector/embed/builtin"
	"mcp-memory/vector/file"
)

var update = flag.Bool("update", false, "write yardstick.vec anew")

// agreement is the least cosine of a shipped vector and one made here: processors
// may round differently.
const agreement = 0.9999

func TestYardstick_ShippedIsWhatTheModelMakes(t *testing.T) {
	e, err := builtin.New(builtin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	made, shipped := t.TempDir(), t.TempDir()
	model := e.Model() + measures
	f := openVectors(t, made, model)
	if err := layers.KeepYardstick(t.Context(), e, f); err != nil {
		t.Fatal(err)
	}
	if *update {
		writeShipped(t, made)
	}
	if err := file.Provide(shipped, model, shippedYardstick); err != nil {
		t.Fatal(err)
	}
	want, got := vectorsOf(t, f), vectorsOf(t, openVectors(t, shipped, model))
	if len(got) != len(want) {
		t.Errorf("%d vectors are shipped, %d are wanted: go test ./cmd/mcp-memory -run Yardstick -update", len(got), len(want))
	}
	for id, v := range want {
		if c := cosine(got[id], v); !(c >= agreement) {
			t.Errorf("%s: cosine %.5f of the shipped vector and the model's: go test ./cmd/mcp-memory -run Yardstick -update", id, c)
		}
	}
}

func writeShipped(t *testing.T, dir string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.vec"))
	if err != nil || len(paths) != 1 {
		t.Fatal(paths, err)
	}
	if shippedYardstick, err = os.ReadFile(paths[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("yardstick.vec", shippedYardstick, 0o644); err != nil { //nolint:gosec // a file of the sources
		t.Fatal(err)
	}
}

func openVectors(t *testing.T, dir, model string) *file.File {
	t.Helper()
	f, replaced, err := file.Open(dir, model)
	if err != nil || replaced {
		t.Fatal(err, replaced)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func vectorsOf(t *testing.T, f *file.File) map[string][]float32 {
	t.Helper()
	all := map[string][]float32{}
	_, err := f.Each(t.Context(), func(id string, v []float32) error {
		all[id] = append([]float32(nil), v...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}
