package vector_test

import (
	"fmt"
	"os"
	"testing"

	"mcp-memory/vector"
	"mcp-memory/vector/vectortest"
)

// BenchmarkEngines measures every engine at 1,000, 10,000 and 100,000 vectors: on
// synthetic ones, or on those of the files that VECTORS and QUERIES name (float32,
// little endian, 384 a vector). Run it with -benchtime 1x.
func BenchmarkEngines(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		vectors, queries := benchVectors(b, n)
		truth := vectortest.Truth(vectors, queries)
		for _, name := range vector.Engines() {
			b.Run(fmt.Sprintf("%s/%d", name, len(vectors)), func(b *testing.B) {
				for b.Loop() {
					f, err := vectortest.Measure(name, vectors, queries, truth)
					if err != nil {
						b.Fatal(err)
					}
					report(b, f)
				}
			})
		}
	}
}

func report(b *testing.B, f vectortest.Figures) {
	b.ReportMetric(f.Recall, "recall@10")
	b.ReportMetric(f.P50.Seconds()*1e3, "p50-ms")
	b.ReportMetric(f.P95.Seconds()*1e3, "p95-ms")
	b.ReportMetric(f.Build.Seconds(), "build-s")
	b.ReportMetric(float64(f.Bytes)/float64(f.Vectors), "B/vector")
}

// benchVectors are n vectors, fewer where the file holds fewer, and 200 queries.
func benchVectors(b *testing.B, n int) (vectors, queries [][]float32) {
	const dim, asked = 384, 200
	if os.Getenv("VECTORS") == "" {
		return vectortest.Synthetic(n, asked, dim, 1)
	}
	read := func(variable string, most int) [][]float32 {
		vectors, err := vectortest.ReadFile(os.Getenv(variable), dim)
		if err != nil {
			b.Fatalf("%s: %v", variable, err)
		}
		return vectors[:min(most, len(vectors))]
	}
	return read("VECTORS", n), read("QUERIES", asked)
}
