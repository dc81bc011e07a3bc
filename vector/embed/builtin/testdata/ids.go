// Fills the ids in ids.jsonl: go run ids.go PROGRAM WEIGHTS FILE, where PROGRAM
// is ids.c compiled. See ids.sh.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

type entry struct {
	Name  string  `json:"name"`
	Text  string  `json:"text,omitempty"`
	Bytes []byte  `json:"bytes,omitempty"` // instead of Text, where that is not UTF-8
	Times int     `json:"times,omitempty"` // the text is repeated so often
	IDs   []int32 `json:"ids"`
}

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "ids:", err)
		os.Exit(1)
	}
}

func run(program, weights, path string) error {
	entries, err := read(path)
	if err != nil {
		return err
	}
	var input strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&input, "%x\n", strings.Repeat(e.Text+string(e.Bytes), max(e.Times, 1)))
	}
	cmd := exec.Command(program, weights)
	cmd.Stdin, cmd.Stderr = strings.NewReader(input.String()), os.Stderr
	output, err := cmd.Output()
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(output), "\n"), "\n")
	if len(lines) != len(entries) {
		return fmt.Errorf("%d answers to %d texts", len(lines), len(entries))
	}
	var file bytes.Buffer
	for i, e := range entries {
		e.IDs = []int32{}
		for field := range strings.FieldsSeq(lines[i]) {
			id, err := strconv.ParseInt(field, 10, 32)
			if err != nil {
				return err
			}
			e.IDs = append(e.IDs, int32(id))
		}
		encoder := json.NewEncoder(&file)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(e); err != nil {
			return err
		}
	}
	return os.WriteFile(path, file.Bytes(), 0o644)
}

func read(path string) ([]entry, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for line := range bytes.Lines(data) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}
