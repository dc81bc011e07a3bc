// Command train makes weights.bin, the classifier of package worth, of labelled
// sentences and conversations:
//
//	go run ./layers/worth/train -data layers/gatekeeper/testdata -o layers/worth/weights.bin
//
// It reads train.jsonl (single turns) and seen.jsonl (conversations, whose turns
// get the layers of the memories whose words they hold), and never the unseen
// files. The limits are chosen on predictions for parts that were left out of the
// training. The same input gives the same file on the same machine; it takes some
// minutes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"mcp-memory/layers/worth"
	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/builtin"
)

func main() {
	data := flag.String("data", "layers/gatekeeper/testdata", "`folder` of train.jsonl and seen.jsonl")
	plain := flag.Bool("plain", false, "learn nothing from seen.jsonl, so that it can be measured on")
	out := flag.String("o", "layers/worth/weights.bin", "`file` to write")
	flag.Parse()
	if err := run(*data, *out, *plain); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(data, out string, plain bool) error {
	turns, err := readTurns(filepath.Join(data, "train.jsonl"))
	if err != nil {
		return err
	}
	talks, err := readTalks(filepath.Join(data, "seen.jsonl"))
	if err != nil {
		return err
	}
	borderline, err := readLines[talk](filepath.Join(data, "borderline.jsonl"))
	if err != nil {
		return err
	}
	set := newSamples(turns, talks, plain)
	set.lenient(borderline)
	model, err := set.embed()
	if err != nil {
		return err
	}
	f := set.train(model)
	b, err := f.Encode()
	if err != nil {
		return err
	}
	fmt.Printf("%d samples, %d grams, %d bytes\n", len(set.all), len(f.Grams), len(b))
	return os.WriteFile(out, b, 0o644)
}

// embed gives every sample and every unit of the talks its vector.
func (s *samples) embed() (model string, err error) {
	e, err := builtin.New(builtin.Options{Parallel: 2})
	if err != nil {
		return "", err
	}
	texts := make([]string, 0, len(s.all)+len(s.units))
	for i := range s.all {
		texts = append(texts, s.all[i].text)
	}
	for i := range s.units {
		texts = append(texts, s.units[i].text)
	}
	vectors, err := e.Embed(context.Background(), embed.Passage, texts)
	if err != nil {
		return "", fmt.Errorf("embed %d texts: %w", len(texts), err)
	}
	for i := range s.all {
		s.all[i].vector = vectors[i]
	}
	for i := range s.units {
		s.units[i].vector = vectors[len(s.all)+i]
	}
	return e.Model(), nil
}

// train fits both sets on everything, and their limits on what was left out.
func (s *samples) train(model string) *worth.File {
	grams := s.vocabulary()
	mean := s.mean()
	f := &worth.File{Model: model, Mean: mean, Grams: grams}
	words, both := problem{grams: index(grams), mean: mean}, problem{grams: index(grams), mean: mean, dims: len(mean)}
	fit := func(use func(sample) bool) (w, b worth.Set) {
		return words.fit(s.all, use), both.fit(s.all, use)
	}
	f.Words, f.Both = fit(func(sample) bool { return true })
	var left [2]leftOut
	for fold := range folds {
		w, b := fit(func(x sample) bool { return x.fold != fold })
		s.judge(&words, &w, fold, &left[0])
		s.judge(&both, &b, fold, &left[1])
	}
	f.Words.Limits = s.limits(&left[0], "words")
	f.Both.Limits = s.limits(&left[1], "both")
	return f
}
