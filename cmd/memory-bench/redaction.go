package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// redactReport is what memory-bench redact found.
type redactReport struct {
	Positives int       `json:"positives"` // texts with a secret
	Unnamed   []string  `json:"unnamed"`   // whose answer does not name the kind of the secret
	Leaks     []leak    `json:"leaks"`
	Files     int       `json:"files"` // that were searched, stderr among them
	Bytes     int       `json:"bytes"`
	Marks     int       `json:"marks"`     // "[redacted:…]" found there: proof that they hold the texts
	Negatives int       `json:"negatives"` // texts without one
	Touched   []string  `json:"touched"`   // that did not come back as they were
	Limits    []verdict `json:"limits,omitempty"`
}

// leak is a secret that a file holds.
type leak struct {
	File string `json:"file"`
	Text string `json:"text"` // as it was remembered; the corpus is made up
}

// redaction is a measurement of redaction under way: a server, a folder for
// what it writes, and the corpus.
type redaction struct {
	exe, dir string
	secrets  []secretText
	harmless []string
	report   redactReport
}

// measureRedaction remembers every text of the corpus through a server and
// searches what it wrote.
func measureRedaction(ctx context.Context, server, corpus string) (report redactReport, err error) {
	var r redaction
	if r.secrets, err = readSecrets(filepath.Join(corpus, "positive.jsonl")); err != nil {
		return report, err
	}
	if r.harmless, err = readLines(filepath.Join(corpus, "negative.txt")); err != nil {
		return report, err
	}
	var remove func() error
	if r.dir, r.exe, remove, err = scratch(ctx, server); err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err = r.serve(ctx, "positive", r.tellSecrets); err != nil {
		return report, err
	}
	if err = r.search("positive"); err != nil {
		return report, err
	}
	err = r.serve(ctx, "negative", r.tellHarmless)
	return r.report, err
}

// serve runs a server with a folder of its own while the function talks to it.
// Everything it logs goes to a file in that folder.
func (r *redaction) serve(ctx context.Context, name string, talk func(context.Context, *child) error) (err error) {
	dir := filepath.Join(r.dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make a folder for a store: %w", err)
	}
	stderr, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		return fmt.Errorf("make a file for the server's log: %w", err)
	}
	defer func() { err = errors.Join(err, stderr.Close()) }()
	c, err := startChild(ctx, childOptions{exe: r.exe, dir: filepath.Join(dir, "data"), log: "debug", stderr: stderr})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	return talk(ctx, c)
}

// toldAnswer is what is read of remember's answer.
type toldAnswer struct {
	Memories []struct {
		ID       string   `json:"id"`
		Redacted []string `json:"redacted"`
	} `json:"memories"`
}

// tell remembers memories in one call.
func tell(ctx context.Context, c *child, memories []memory) (answer toldAnswer, err error) {
	if _, err = c.call(ctx, "remember", map[string]any{"memories": memories}, &answer); err != nil {
		return answer, err
	}
	if len(answer.Memories) != len(memories) {
		return answer, fmt.Errorf("remember answered %d memories, not the %d it was given", len(answer.Memories), len(memories))
	}
	return answer, nil
}

// tellSecrets remembers the secrets and asks for each: a query is logged, if
// at all, without them. Each has a project of its own, since without their
// secrets many texts are the same.
func (r *redaction) tellSecrets(ctx context.Context, c *child) error {
	told := 0
	r.report.Positives = len(r.secrets)
	for part := range slices.Chunk(r.secrets, batch) {
		memories := make([]memory, len(part))
		for i, s := range part {
			told++
			memories[i] = memory{Text: s.Text, Project: fmt.Sprintf("project-%d", told)}
		}
		answer, err := tell(ctx, c, memories)
		if err != nil {
			return err
		}
		for i, s := range part {
			if !slices.Contains(answer.Memories[i].Redacted, s.Kind) {
				r.report.Unnamed = append(r.report.Unnamed, s.Text)
			}
		}
	}
	for _, s := range r.secrets {
		var found recallAnswer
		if _, err := c.call(ctx, "recall", question{Query: s.Text}, &found); err != nil {
			return err
		}
	}
	return nil
}

// search looks for every secret in every file that a server wrote.
func (r *redaction) search(name string) error {
	files, err := readTree(filepath.Join(r.dir, name))
	if err != nil {
		return err
	}
	r.report.Files = len(files)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		r.report.Bytes += len(files[file])
		r.report.Marks += bytes.Count(files[file], []byte("[redacted:"))
		for _, s := range r.secrets {
			if s.leakedTo(files[file]) {
				r.report.Leaks = append(r.report.Leaks, leak{file, s.Text})
			}
		}
	}
	return nil
}

// tellHarmless remembers the texts without secrets, as turns, which are never
// taken for one another, and reads them back.
func (r *redaction) tellHarmless(ctx context.Context, c *child) error {
	r.report.Negatives = len(r.harmless)
	for texts := range slices.Chunk(r.harmless, batch) {
		memories := make([]memory, len(texts))
		for i, text := range texts {
			memories[i] = memory{Text: text, Tier: "episodic"}
		}
		answer, err := tell(ctx, c, memories)
		if err != nil {
			return err
		}
		ids := make([]string, len(texts))
		for i, m := range answer.Memories {
			ids[i] = m.ID
		}
		back, err := readBack(ctx, c, ids)
		if err != nil {
			return err
		}
		for i, text := range texts {
			if back[ids[i]] != text || len(answer.Memories[i].Redacted) > 0 {
				r.report.Touched = append(r.report.Touched, text)
			}
		}
	}
	return nil
}

// readBack returns the texts of records by id, from as many pages as they take.
func readBack(ctx context.Context, c *child, ids []string) (map[string]string, error) {
	all, err := c.recallAll(ctx, map[string]any{"ids": ids})
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, match := range all {
		out[match.ID] = match.Text
	}
	return out, nil
}
