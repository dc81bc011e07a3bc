//go:build ignore

// Golden fills in the tokens and vectors of golden.jsonl by asking the reference
// engine; golden.sh runs it:
//
//	go run golden.go ENGINE MODEL golden.jsonl
//
// To add a case, add a line with its name, kind and text (or bytes, base64, for
// what is not valid UTF-8), and run golden.sh.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
)

// dim is the length of the engine's vectors.
const dim = 384

// golden is a line of the file; golden_test.go reads it.
type golden struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Text   string `json:"text,omitempty"`
	Bytes  []byte `json:"bytes,omitempty"`
	Tokens int32  `json:"tokens"`
	Vector string `json:"vector"` // base64 of int16, little-endian: component · 32767, rounded
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("golden: ")
	if len(os.Args) != 4 {
		log.Fatal("usage: go run golden.go ENGINE MODEL golden.jsonl")
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(engine, model, path string) error {
	cases, err := read(path)
	if err != nil {
		return err
	}
	if err := ask(engine, model, cases); err != nil {
		return err
	}
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	lines.SetEscapeHTML(false)
	for _, c := range cases {
		if err := lines.Encode(c); err != nil {
			return err
		}
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}

func read(path string) ([]golden, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var cases []golden
	for lines := json.NewDecoder(bytes.NewReader(data)); lines.More(); {
		var c golden
		if err := lines.Decode(&c); err != nil {
			return nil, fmt.Errorf("%s: case %d: %w", path, len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// ask runs the engine over all cases and writes its answers into them.
func ask(engine, model string, cases []golden) error {
	var in bytes.Buffer
	for _, c := range cases {
		text := c.Bytes
		if c.Text != "" {
			text = []byte(c.Text)
		}
		fmt.Fprintf(&in, "%s %d\n%s", c.Kind, len(text), text)
	}
	cmd := exec.Command(engine, model)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", engine, err)
	}
	const answer = 4 + 4*dim
	if len(out) != len(cases)*answer {
		return fmt.Errorf("%s: %d bytes for %d texts, want %d", engine, len(out), len(cases), len(cases)*answer)
	}
	for i := range cases {
		a := out[i*answer:]
		cases[i].Tokens = int32(binary.NativeEndian.Uint32(a))
		cases[i].Vector = rounded(a[4:answer])
	}
	return nil
}

// rounded packs a vector of float32 as the file holds it.
func rounded(vector []byte) string {
	packed := make([]byte, 2*dim)
	for i := range dim {
		v := math.Float32frombits(binary.NativeEndian.Uint32(vector[4*i:]))
		binary.LittleEndian.PutUint16(packed[2*i:], uint16(int16(math.Round(float64(v)*math.MaxInt16))))
	}
	return base64.StdEncoding.EncodeToString(packed)
}
