package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-memory/vector/embed"
)

// Model names that make the test binary act as a C engine which breaks down.
const (
	dyingEngine = "dying-engine" // ends after the first request
	hugeEngine  = "huge-engine"  // claims vectors beyond reason
)

// actEngine is such an engine.
func actEngine(how string) {
	dim := uint32(3)
	if how == hugeEngine {
		dim = 1 << 30
	}
	_ = binary.Write(os.Stdout, binary.LittleEndian, dim) // the reader sees it if it fails
	request := make([]byte, 8)
	_, _ = os.Stdin.Read(request)
	fmt.Fprintln(os.Stderr, "out of matches")
	os.Exit(3)
}

// stubEngine stands for the wheel's e5.c: its vectors tell what it was asked.
const stubEngine = `
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
typedef struct { int dim; } e5_model;
static e5_model *e5_load(const char *path) {
    if (strcmp(path, "stub.bin")) { fprintf(stderr, "stub: no model %s\n", path); return NULL; }
    e5_model *m = malloc(sizeof *m);
    m->dim = 3;
    return m;
}
static int e5_dim(const e5_model *m) { return m->dim; }
static int e5_token_count(e5_model *m, const char *text, int query) { (void)m; return (int)strlen(text) + 2 + query; }
static int e5_embed(e5_model *m, const char *text, int query, float *out) {
    (void)m;
    out[0] = (float)strlen(text); out[1] = (float)query; out[2] = 0.25f;
    return 0;
}
static void e5_free(e5_model *m) { free(m); }
`

// TestEngine_IsCompiledAndAnswers compiles the driver with the stub in the place
// of the wheel's source and speaks with it.
func TestEngine_IsCompiledAndAnswers(t *testing.T) {
	exe := compileStub(t)
	e, err := startEngine(t.Context(), exe, "stub.bin")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		kind   embed.Kind
		text   string
		tokens int
		vector []float32
	}{
		{embed.Query, "violin", 9, []float32{6, 1, 0.25}},
		{embed.Passage, "", 2, []float32{0, 0, 0.25}},
		{embed.Passage, strings.Repeat("x", 100_000), 100_002, []float32{100_000, 0, 0.25}},
		{embed.Query, "cut\x00here", 6, []float32{3, 1, 0.25}},
	}
	for _, tt := range tests {
		got, err := e.embed(tt.kind, tt.text)
		if err != nil || got.Tokens != tt.tokens || !slices.Equal(got.Vector, tt.vector) || got.CPU < 0 {
			t.Errorf("embed(%v, %.20q) = %+v, %v; want %d tokens, %v", tt.kind, tt.text, got, err, tt.tokens, tt.vector)
		}
	}
	if err := checkLengths(e); err == nil || !strings.Contains(err.Error(), "of 10 tokens has") {
		t.Errorf("checkLengths = %v, want an error: the stub counts bytes", err)
	}
	if err := errors.Join(e.close(), e.close()); err != nil {
		t.Errorf("close twice = %v", err)
	}
	if _, err := startEngine(t.Context(), exe, "other.bin"); err == nil || !strings.Contains(err.Error(), "stub: no model other.bin") {
		t.Errorf("a model it cannot load: %v, want what it wrote to stderr", err)
	}
}

func compileStub(t *testing.T) string {
	t.Helper()
	compiler, err := findCompiler()
	if errors.Is(err, errNoCompiler) {
		t.Skip(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "e5.c"), []byte(stubEngine), 0o600); err != nil {
		t.Fatal(err)
	}
	exe, err := compileEngine(t.Context(), compiler, dir)
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func TestEngine_SaysWhyItCannotBeCompiled(t *testing.T) {
	compiler, err := findCompiler()
	if errors.Is(err, errNoCompiler) {
		t.Skip(err)
	}
	if _, err := compileEngine(t.Context(), compiler, t.TempDir()); err == nil || !strings.Contains(err.Error(), "e5.c") {
		t.Errorf("without the wheel's source: %v, want what the compiler says", err)
	}
}

func TestEngine_SaysWhatItWroteWhenItDies(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e, err := startEngine(t.Context(), self, dyingEngine)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.embed(embed.Query, "anyone there?"); err == nil || !strings.Contains(err.Error(), "out of matches") {
		t.Errorf("embed = %v, want what it wrote to stderr", err)
	}
	if err := e.close(); err != nil {
		t.Errorf("close after that = %v", err)
	}
	if _, err := startEngine(t.Context(), self, hugeEngine); err == nil || !strings.Contains(err.Error(), "1073741824") {
		t.Errorf("start = %v, want an error about the length of vectors", err)
	}
	if _, err := startEngine(t.Context(), filepath.Join(t.TempDir(), "none"), "x"); err == nil || !strings.Contains(err.Error(), "start the C engine") {
		t.Errorf("a program that is none: %v", err)
	}
}
