package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// secretText is a text with a secret in it: a line of positive.jsonl.
type secretText struct {
	Text   string `json:"text"`
	Secret string `json:"secret"`
	Kind   string `json:"kind"`
}

// separator stands inside the secrets of the file, so that scanners of
// repositories do not take them for leaks.
const separator = "{{sep}}"

// readSecrets reads positive.jsonl.
func readSecrets(path string) ([]secretText, error) {
	lines, err := readLines(path)
	if err != nil {
		return nil, err
	}
	out := make([]secretText, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal([]byte(strings.ReplaceAll(line, separator, "")), &out[i]); err != nil {
			return nil, fmt.Errorf("read %s line %d: %w", path, i+1, err)
		}
		if out[i].Secret == "" || !strings.Contains(out[i].Text, out[i].Secret) {
			return nil, fmt.Errorf("read %s line %d: the text does not hold its secret", path, i+1)
		}
	}
	return out, nil
}

// readLines reads the lines of a file that are not empty.
func readLines(path string) (out []string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the corpus (--corpus): %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for lines.Scan() {
		if lines.Text() != "" {
			out = append(out, lines.Text())
		}
	}
	return out, lines.Err()
}

// readTree reads every file below dir, by path within it.
func readTree(dir string) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			out[name], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read what the server wrote: %w", err)
	}
	return out, nil
}

// certain is the size in bytes from which a secret found anywhere is a leak.
// Shorter ones also stand in lengths, hashes and times by chance.
const certain = 8

// beside is how many characters on each side of a short secret must be those of
// its text: other texts of the corpus hold the same digits.
const beside = 3

// traces returns what in a file would show that it holds the secret: the secret
// itself; a short one with what stands beside it in its text, or alone as a
// whole string.
func (s *secretText) traces() []string {
	if len(s.Secret) >= certain {
		return spellings(s.Secret)
	}
	before, after, _ := strings.Cut(s.Text, s.Secret)
	head, tail := lastRunes(before, beside), firstRunes(after, beside)
	out := []string{`"` + s.Secret + `"`}
	for _, around := range spellings(head + s.Secret + tail) {
		if head == "" {
			around = `"` + around
		}
		if tail == "" {
			around += `"`
		}
		out = append(out, around)
	}
	return out
}

func firstRunes(s string, n int) string {
	r := []rune(s)
	return string(r[:min(len(r), n)])
}

func lastRunes(s string, n int) string {
	r := []rune(s)
	return string(r[max(0, len(r)-n):])
}

// leakedTo reports whether a file holds the secret.
func (s *secretText) leakedTo(file []byte) bool {
	return slices.ContainsFunc(s.traces(), func(trace string) bool { return bytes.Contains(file, []byte(trace)) })
}

// spellings are the ways in which a file may write a text: as it is, and as JSON
// has it with and without the escapes meant for HTML.
func spellings(text string) []string {
	out := []string{text}
	for _, html := range []bool{false, true} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(html)
		if e.Encode(text) == nil { // a string always encodes
			out = append(out, strings.Trim(strings.TrimSuffix(b.String(), "\n"), `"`))
		}
	}
	return out
}
