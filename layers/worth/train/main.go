// Command train makes weights.bin, the classifier of package worth, of labelled
// sentences and conversations:
//
//	go run ./layers/worth/train -data layers/gatekeeper/testdata -o layers/worth/weights.bin
//
// settles.json, its head for what people settle at work, and foreign.json, what
// judges sentences in languages without rules. It reads train.jsonl
// (single turns) and the seen files (conversations, whose turns get the layers of
// the memories whose words they hold), and never the unseen one. The limits are chosen on predictions for parts that were left out of the
// training: they are by other authors. The same input gives the same file on the same machine; it takes some
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
	data := flag.String("data", "layers/gatekeeper/testdata", "`folder` of train.jsonl and seen*.jsonl")
	plain := flag.Bool("plain", false, "learn nothing from the seen files, so that they can be measured on")
	parts := flag.String("parts", "", "`folder` for a file of each part, 0.bin and so on, of what was trained without it: the parts are the groups of files by who wrote them")
	head := flag.String("head", "layers/worth/settles.json", "`file` for the classifier of what is settled")
	foreign := flag.String("foreign", "layers/worth/foreign.json", "`file` for the classifier of languages without rules")
	only := flag.Bool("foreign-only", false, "write the file of -foreign alone")
	out := flag.String("o", "layers/worth/weights.bin", "`file` to write")
	flag.Parse()
	if *only {
		*out, *head, *parts = "", "", ""
	}
	if err := run(*data, paths{*out, *head, *foreign, *parts}, *plain); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// paths are what is written; out and head are left out where they are empty.
type paths struct{ out, head, foreign, parts string }

func run(data string, to paths, plain bool) error {
	turns, err := readTurns(filepath.Join(data, "train.jsonl"))
	if err != nil {
		return err
	}
	talks, err := readTalks(data)
	if err != nil {
		return err
	}
	borderline, err := readLines[talk](filepath.Join(data, "borderline.jsonl"))
	if err != nil {
		return err
	}
	set := newSamples(turns, talks, plain)
	set.lenient(borderline)
	e, err := builtin.New(builtin.Options{Parallel: 2})
	if err != nil {
		return err
	}
	if err := set.embed(e); err != nil {
		return err
	}
	if err := set.runForeign(to.foreign, e); err != nil || to.out == "" {
		return err
	}
	if err := runHead(data, to.head, turns, talks, e, set.mean()); err != nil {
		return err
	}
	f, without := set.train(e.Model())
	if to.parts != "" {
		for k := range without {
			if err := write(filepath.Join(to.parts, fmt.Sprintf("%d.bin", k)), &without[k]); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%d samples, %d grams\n", len(set.all), len(f.Grams))
	return write(to.out, f)
}

// write writes a classifier to a file, and says how large it is.
func write(path string, c interface{ Encode() ([]byte, error) }) error {
	b, err := c.Encode()
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes\n", path, len(b))
	return os.WriteFile(path, b, 0o644)
}

// runHead trains and writes the classifier of what is settled.
func runHead(data, path string, turns []labelled, talks []talk, e embed.Embedder, mean []float32) error {
	samples, err := settleSamples(data, turns, talks)
	if err != nil {
		return err
	}
	h, err := trainSettle(samples, e, mean)
	if err != nil {
		return err
	}
	return write(path, h)
}

// embed gives every sample and every unit of the talks its vector.
func (s *samples) embed(e embed.Embedder) error {
	texts := make([]string, 0, len(s.all)+len(s.units))
	for i := range s.all {
		texts = append(texts, s.all[i].text)
	}
	for i := range s.units {
		texts = append(texts, s.units[i].text)
	}
	vectors, err := embedPassages(e, texts)
	if err != nil {
		return err
	}
	for i := range s.all {
		s.all[i].vector = vectors[i]
	}
	for i := range s.units {
		s.units[i].vector = vectors[len(s.all)+i]
	}
	return nil
}

func embedPassages(e embed.Embedder, texts []string) ([][]float32, error) {
	vectors, err := e.Embed(context.Background(), embed.Passage, texts)
	if err != nil {
		return nil, fmt.Errorf("embed %d texts: %w", len(texts), err)
	}
	return vectors, nil
}

// train fits both sets on everything, and their limits on what was left out. It
// also returns what was trained without each part, with the same limits.
func (s *samples) train(model string) (f *worth.File, without [len(groups)]worth.File) {
	grams := s.vocabulary()
	mean := s.mean()
	f = &worth.File{Model: model, Mean: mean, Grams: grams}
	words, both := problem{grams: index(grams), mean: mean}, problem{grams: index(grams), mean: mean, dims: len(mean)}
	fit := func(use func(sample) bool) (w, b worth.Set) {
		return words.fit(s.all, use), both.fit(s.all, use)
	}
	f.Words, f.Both = fit(func(sample) bool { return true })
	var left [2]leftOut
	for group := range groups {
		w, b := fit(func(x sample) bool { return x.group != group })
		s.judge(&words, &w, group, &left[0])
		s.judge(&both, &b, group, &left[1])
		without[group] = worth.File{Model: model, Mean: mean, Grams: grams, Words: w, Both: b}
	}
	f.Words.Limits = s.limits(&left[0], "words", others)
	f.Both.Limits = s.limits(&left[1], "both", others)
	for k := range without {
		without[k].Words.Limits, without[k].Both.Limits = f.Words.Limits, f.Both.Limits
	}
	return f, without
}

// others are the groups beside the first. What is trained without the first, which
// wrote most, is too weak for limits to be chosen on it.
func others(group int) bool { return group != 0 }
