package layers_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers"
	"mcp-memory/vector"
	"mcp-memory/vector/embed"
	"mcp-memory/vector/file"
)

// A vector whose record lost its content leaves the file at the next start.
func TestBackground_VectorsOfNobodyLeaveTheFile(t *testing.T) {
	e := newHashed()
	h := embedding(t, e)
	h.remembers("The loom is warped with linen.")
	h.settled()
	if err := h.opts.Vectors.Append([]string{"01JNOBODYNOBODYNOBODYNOBOD"}, [][]float32{e.vector("nobody")}); err != nil {
		t.Fatal(err)
	}
	h.restart()
	h.settled()
	var ids []string
	if _, err := h.opts.Vectors.Each(t.Context(), func(id string, _ []float32) error { ids = append(ids, id); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(ids) != 1 || slices.Contains(ids, "01JNOBODYNOBODYNOBODYNOBOD") {
		t.Errorf("the file holds %v", ids)
	}
}

// A damaged vector is made again once, not at every start.
func TestBackground_DamagedVectorsAreMadeAgainOnce(t *testing.T) {
	const text = "The dye bath is indigo."
	e := newHashed()
	h := embedding(t, e)
	h.remembers("The loom is warped with linen.", text)
	h.settled()
	h.stop()
	files, err := filepath.Glob(filepath.Join(h.dir, "vectors-*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("vector files %v, %v", files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)-1]++ // in the checksum of the last
	if err := os.WriteFile(files[0], raw, 0o600); err != nil {
		t.Fatal(err)
	}
	h.vectors(e.model)
	h.start()
	h.settled()
	if n := e.times(text); n != 2 {
		t.Errorf("embedded %d times, want 2", n)
	}
	lost, err := h.opts.Vectors.Each(t.Context(), func(string, []float32) error { return nil })
	if lost != 0 || err != nil {
		t.Errorf("%d damaged vectors are still in the file, %v", lost, err)
	}
}

// A graph that was saved after a forget serves the next start.
func TestBackground_AForgetCostsNoGraph(t *testing.T) {
	e := newHashed()
	h := embedding(t, e)
	var log strings.Builder
	h.stop()
	h.opts.Indexes = &file.Graphs{Dir: h.dir, Model: e.model, Engine: vector.EngineHNSW, Log: slog.New(slog.NewTextHandler(&log, nil))}
	h.start()
	id := h.say(layers.Memorandum{Text: "The loom is warped with linen.", Tier: "episodic"}).ID
	h.remembers("The dye bath is indigo.", "The shuttle is pear wood.")
	h.settled()
	h.forget(false, id)
	h.restart()
	h.settled()
	if s := h.stats(); s.Embedded != 2 || log.Len() > 0 {
		t.Errorf("%d vectors, want 2; log %q", s.Embedded, log.String())
	}
	h.forget(true, id)
	h.settled()
	if near := h.near("loom linen"); near["The loom is warped with linen."] == 0 {
		t.Errorf("vector signals after the undo: %v", near)
	}
}

// failingFile is a disk that takes no vectors.
type failingFile struct{ layers.VectorFile }

func (failingFile) Append([]string, [][]float32) error { return errors.New("no space left") }

func TestBackground_AFullDiskCostsNoVector(t *testing.T) {
	e := newHashed()
	h := embedding(t, e)
	h.stop()
	h.opts.Vectors = failingFile{h.opts.Vectors}
	h.start()
	h.remembers("The loom is warped with linen.")
	h.settled()
	if s := h.stats(); s.Embedded != 1 {
		t.Errorf("%d vectors, want 1", s.Embedded)
	}
}

// pollsUntil waits for what only a retry brings, which is a second away.
func (h *home) pollsUntil(what string, done func() bool) {
	h.t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			h.t.Fatalf("not so: %s", what)
		}
	}
}

// An embedder that was down at the start, when nothing was pending, is not down
// for good.
func TestBackground_AnEmbedderThatComesBackIsAskedAgain(t *testing.T) {
	e := newHashed()
	h := embedding(t, e)
	h.remembers("The loom is warped with linen.")
	h.settled()
	h.stop()
	e.set(func(e *hashed) { e.fail = fmt.Errorf("%w: connection refused", embed.ErrUnavailable) })
	h.start() // what queries are looked at through was not kept
	h.pollsUntil("the embedder is down", func() bool { return h.stats().EmbedderError != "" })
	e.set(func(e *hashed) { e.fail = nil })
	h.pollsUntil("the embedder is not down any more", func() bool { return h.stats().EmbedderError == "" })
	if near := h.near("loom linen"); near["The loom is warped with linen."] == 0 {
		t.Errorf("vector signals %v", near)
	}
}

// TestErase_AVectorOnItsWayReachesNoFile erases a record while the embedder is asked
// about it, beside one that has its vector.
func TestErase_AVectorOnItsWayReachesNoFile(t *testing.T) {
	e := newHashed()
	h := embedding(t, e)
	done := h.say(layers.Memorandum{Text: "The loom is warped with linen.", Tier: "episodic"}).ID
	h.settled()
	gate := make(chan struct{})
	e.set(func(e *hashed) { e.gate = gate })
	asked := h.say(layers.Memorandum{Text: "The kiln is hot.", Tier: "episodic"}).ID
	h.eraseNow(layers.ForgetInput{IDs: []string{done, asked}})
	close(gate)
	kept := h.say(layers.Memorandum{Text: "The gate is green.", Tier: "episodic"}).ID
	h.settled()
	var held []string
	if _, err := h.opts.Vectors.Each(t.Context(), func(id string, _ []float32) error {
		held = append(held, id)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want(t, "vectors in the file", held, kept)
	if s := h.stats(); s.Embedded != 1 || s.VectorsPending != 0 {
		t.Errorf("%+v", s)
	}
}
