package main

import (
	"io"
	"path/filepath"
	"testing"
)

// halfFilled leaves a store with the first memories of a corpus of 130, as a
// measurement that was killed does.
func halfFilled(t *testing.T, exe, stores string) {
	t.Helper()
	o := latencyOptions{server: exe, stores: stores, words: true, seed: 1, remembers: 1}
	s := &subject{options: o, row: row{Size: 130}, corpus: newCorpus(o.seed, 130, o.length()), dir: filepath.Join(stores, "130"), progress: io.Discard}
	if err := s.keepAs(kept{Filling: true, Row: row{Size: 130}}); err != nil {
		t.Fatal(err)
	}
	if err := s.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.row.Size = batch
	if err := s.loadBatches(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
}

// testGoesOn tests that filling a store goes on where it was cut short, and says
// nothing twice.
func testGoesOn(t *testing.T, exe string) {
	dir := t.TempDir()
	halfFilled(t, exe, dir)
	r := runLatency(t, "--server", exe, "--words", "--stores", dir)
	checkRows(t, r)
	if r.Rows[0].LoadSeconds == 0 || r.Rows[1].LoadSeconds != 0 {
		t.Errorf("loaded in %v s and %v s: it is known of the first alone", r.Rows[0].LoadSeconds, r.Rows[1].LoadSeconds)
	}
	texts := keptTexts(t, exe, filepath.Join(dir, "130"))
	want, c := []string{}, newCorpus(1, 130, proseLength)
	for range 130 {
		want = append(want, c.next().Text)
	}
	for _, text := range want {
		if n := count(texts, text); n != 1 {
			t.Errorf("%q is there %d times", text, n)
		}
	}
}

func count(texts []string, text string) (n int) {
	for _, s := range texts {
		if s == text {
			n++
		}
	}
	return n
}

// keptTexts are all that a store has.
func keptTexts(t *testing.T, exe, dir string) (texts []string) {
	t.Helper()
	c, err := startChild(t.Context(), childOptions{exe: exe, dir: dir, log: "warn", embedder: "off"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.stop(); err != nil {
			t.Error(err)
		}
	}()
	all, err := c.recallAll(t.Context(), map[string]any{"limit": 100, "include_superseded": true})
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range all {
		texts = append(texts, match.Text)
	}
	return texts
}
