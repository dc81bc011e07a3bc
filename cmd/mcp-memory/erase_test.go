package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcp-memory/layers"
	"mcp-memory/vector"
)

// TestErase_VectorsOfTheBuiltInModel erases half of what has vectors, once with the
// model at hand and once, as a verb does, without.
func TestErase_VectorsOfTheBuiltInModel(t *testing.T) {
	dir := t.TempDir()
	set := settings{Dir: dir, Location: time.UTC, UpcomingDays: 7, VectorEngine: vector.EngineAuto, Embedding: embedding{Embedder: embedderBuiltin}}
	open := func(why purpose) *memory {
		t.Helper()
		mem, err := openMemory(t.Context(), set, why, nil, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return mem
	}
	mem := open(forMeaning)
	var in layers.RememberInput
	for i := range 24 {
		in.Memories = append(in.Memories, layers.Memorandum{Text: fmt.Sprintf("The word of box %d is qx%03dzv.", i, i)})
	}
	out, err := mem.Remember(t.Context(), "ann", in)
	if err != nil {
		t.Fatal(err)
	}
	if err := mem.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range out.Memories {
		ids = append(ids, m.ID)
	}
	erase := func(mem *memory, ids []string) {
		t.Helper()
		got, err := mem.Forget(t.Context(), "ann", layers.ForgetInput{IDs: ids, Mode: layers.ModeErase})
		if err != nil || !got.Receipt.Verified || !got.Receipt.Checked["vector"] {
			t.Fatalf("erase: %+v, %v", got, err)
		}
	}
	erase(mem, ids[:6])
	if err := mem.close(); err != nil {
		t.Fatal(err)
	}
	mem = open(forVerb)
	erase(mem, ids[6:12])
	if err := mem.close(); err != nil {
		t.Fatal(err)
	}
	vectors := vectorBytes(t, dir)
	for i, id := range ids {
		if held := bytes.Contains(vectors, []byte(id)); held != (i >= 12) {
			t.Errorf("record %d: its vector is there: %v", i, held)
		}
	}
	mem = open(forMeaning)
	defer func() { _ = mem.close() }()
	found, err := mem.Recall(t.Context(), "ann", layers.RecallInput{IDs: ids})
	if err != nil || len(found.Matches) != 12 {
		t.Errorf("%d are left, %v", len(found.Matches), err)
	}
}

func vectorBytes(t *testing.T, dir string) (all []byte) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "vectors-*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("vector files: %v, %v", paths, err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw...)
	}
	return all
}
