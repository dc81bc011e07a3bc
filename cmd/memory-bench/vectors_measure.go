package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"mcp-memory/vector"
	"mcp-memory/vector/embed"
	"mcp-memory/vector/vectortest"
)

// vectorsOptions say what is measured: the vectors of a file, or those of the
// texts in data.
type vectorsOptions struct {
	sizes            []int
	data             []string
	vectors, queries string
}

const (
	// askedQueries makes recall@10 a share of 3,000 neighbours: its standard error
	// is .003 at .97.
	askedQueries = 300
	// fileDim is how many numbers the vectors of a file have: as many as the
	// built-in embedder's.
	fileDim = 384
)

// embeddings are what is measured on.
type embeddings struct {
	of               string // where they come from
	vectors, queries [][]float32
}

// measureVectors measures every engine at every size, and tells progress.
func measureVectors(ctx context.Context, o vectorsOptions, progress io.Writer) (r vectorsReport, err error) {
	slices.Sort(o.sizes)
	e, err := o.embeddings(ctx, progress)
	if err != nil {
		return r, err
	}
	r.Embeddings, r.Queries = e.of, len(e.queries)
	for _, size := range slices.Compact(o.sizes) {
		if err := r.measure(ctx, e.vectors[:size], e.queries, progress); err != nil {
			return r, fmt.Errorf("measure %d vectors: %w", size, err)
		}
	}
	r.Machine = thisMachine(time.Now())
	return r, nil
}

// embeddings reads or makes as many vectors as the largest size needs. The sizes
// are sorted.
func (o *vectorsOptions) embeddings(ctx context.Context, progress io.Writer) (e embeddings, err error) {
	most := o.sizes[len(o.sizes)-1]
	if o.vectors != "" {
		return fileEmbeddings(o.vectors, o.queries, most)
	}
	texts, err := gatherTexts(o.data)
	if err != nil {
		return e, err
	}
	if len(texts.stored) < most || len(texts.asked) == 0 {
		return e, fmt.Errorf("the data has %d distinct texts and %d questions, want %d and at least 1: name more with --data, or take smaller --sizes",
			len(texts.stored), len(texts.asked), most)
	}
	embedder, err := openBuiltin("", "")
	if err != nil {
		return e, err
	}
	cache, err := openVectorCache(embedder, progress)
	if err != nil {
		return e, err
	}
	e.of = fmt.Sprintf("%s, of %d distinct texts and %d questions", embedder.Model(), len(texts.stored), len(texts.asked))
	if e.vectors, err = cache.embed(ctx, embed.Passage, texts.stored[:most]); err != nil {
		return e, err
	}
	e.queries, err = cache.embed(ctx, embed.Query, texts.asked[:min(askedQueries, len(texts.asked))])
	return e, err
}

// fileEmbeddings reads vectors and queries.
func fileEmbeddings(vectors, queries string, most int) (e embeddings, err error) {
	e.of = "vectors of a file"
	if e.vectors, err = readUnits("--vectors", vectors); err != nil {
		return e, err
	}
	if e.queries, err = readUnits("--queries", queries); err != nil {
		return e, err
	}
	if len(e.vectors) < most {
		return e, fmt.Errorf("--vectors: %s has %d vectors, --sizes want %d", vectors, len(e.vectors), most)
	}
	e.queries = e.queries[:min(askedQueries, len(e.queries))]
	return e, nil
}

// readUnits reads vectors, which must be of length one: the truth they are
// measured by is their dot products.
func readUnits(flag, path string) ([][]float32, error) {
	vectors, err := vectortest.ReadFile(path, fileDim)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	for i, v := range vectors {
		if !isUnit(v) {
			return nil, fmt.Errorf("%s: vector %d of %s is not of length one", flag, i, path)
		}
	}
	return vectors, nil
}

// errNoLibrary: github.com/coder/hnsw does not build on this system.
var errNoLibrary = errors.New("no github.com/coder/hnsw on this system")

// rowEngines are measured at every size, in the order of the report.
var rowEngines = []string{vector.EngineExact, vector.EngineHNSW, vector.EngineCoder, vector.EngineAuto}

// measure adds the rows of one size: the engines, the graph after churn, and
// the library that engine coder guards.
func (r *vectorsReport) measure(ctx context.Context, vectors, queries [][]float32, progress io.Writer) error {
	fmt.Fprintf(progress, "%d vectors: truth", len(vectors))
	truth := vectortest.Truth(vectors, queries)
	for _, name := range rowEngines {
		if err := ctx.Err(); err != nil {
			return err
		}
		fmt.Fprintf(progress, "; %s", name)
		f, err := vectortest.Measure(name, vectors, queries, truth)
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, figuresRow(f))
	}
	for _, more := range []func(vectors, queries [][]float32, truth [][]uint32) (vectorsRow, error){measureChurn, measureLibrary} {
		if err := ctx.Err(); err != nil {
			return err
		}
		row, err := more(vectors, queries, truth)
		if errors.Is(err, errNoLibrary) {
			continue
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(progress, "; %s", row.Engine)
		r.Rows = append(r.Rows, row)
	}
	fmt.Fprintln(progress)
	return nil
}

func figuresRow(f vectortest.Figures) vectorsRow {
	return vectorsRow{
		Vectors: f.Vectors, Engine: f.Engine, Recall: f.Recall, P50: milliseconds(f.P50), P95: milliseconds(f.P95),
		BuildSeconds: f.Build.Seconds(), BytesPerVector: float64(f.Bytes) / float64(f.Vectors),
		Answers: f.Stats.Answers, Note: f.Stats.Note,
	}
}
