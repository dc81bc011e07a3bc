package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
)

// Scenarios of the experiment, and their languages.
var (
	seedScenarios = []string{"document", "task", "preferences"}
	seedLanguages = []string{"en", "zh"}
)

// seedFiles holds a scenario a language, written for this. A line is one of:
//
//	{"session": …, "at": …}           a new sitting
//	{"document": file}                a document is handed over
//	{"user": …} or {"assistant": …}   a turn
//	{"ask": …, "wants": […]}          a question, which leaves no trace
//
//go:embed testdata/seed
var seedFiles embed.FS

// seedLine is one line of a scenario.
type seedLine struct {
	Session   string    `json:"session"`
	At        time.Time `json:"at"`
	Document  string    `json:"document"`
	User      string    `json:"user"`
	Assistant string    `json:"assistant"`
	Ask       string    `json:"ask"`
	Wants     []string  `json:"wants"` // each must be given; "a|b" is either
	Stale     []string  `json:"stale"` // what held before
}

// readScenario reads the lines of a scenario.
func readScenario(from fs.FS, name, language string) ([]seedLine, error) {
	path := "testdata/seed/" + name + "." + language + ".jsonl"
	raw, err := fs.ReadFile(from, path)
	if err != nil {
		return nil, fmt.Errorf("read a scenario: %w", err)
	}
	var out []seedLine
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	for {
		var l seedLine
		err := dec.Decode(&l)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err == nil {
			err = l.check(len(out) == 0)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, len(out)+1, err)
		}
		out = append(out, l)
	}
}

// check reports what is wrong with a line.
func (l *seedLine) check(first bool) error {
	kinds := 0
	for _, s := range []string{l.Session, l.Document, l.User, l.Assistant, l.Ask} {
		if s != "" {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return errors.New("want one of session, document, user, assistant, ask")
	case first && l.Session == "":
		return errors.New("the first line begins a session")
	case l.Session != "" && l.At.IsZero():
		return errors.New("a session needs at")
	case l.Ask != "" && len(l.Wants) == 0:
		return errors.New("a question needs wants")
	}
	return nil
}

// answered reports whether a text gives all that a question wants.
func (l *seedLine) answered(given string) bool { return holdsAll(given, l.Wants) }

// outdated reports whether a text gives what held before.
func (l *seedLine) outdated(given string) bool { return len(l.Stale) > 0 && holdsAll(given, l.Stale) }

// holdsAll looks for words as they stand, but for case and spacing.
func holdsAll(given string, wants []string) bool {
	given = plain(given)
	for _, want := range wants {
		found := false
		for one := range strings.SplitSeq(want, "|") {
			found = found || strings.Contains(given, plain(one))
		}
		if !found {
			return false
		}
	}
	return true
}

func plain(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }
