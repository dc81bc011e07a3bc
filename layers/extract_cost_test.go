package layers_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"mcp-memory/layers"
	"mcp-memory/storage"
)

// counted is a store that counts what is read of it one by one.
type counted struct {
	storage.Store
	records, jobs atomic.Int32
}

func (c *counted) Get(ctx context.Context, id string) (storage.Entry, error) {
	c.records.Add(1)
	return c.Store.Get(ctx, id)
}

func (c *counted) Job(ctx context.Context, user, id string) (storage.Job, error) {
	c.jobs.Add(1)
	return c.Store.Job(ctx, user, id)
}

// count counts from now on what the memory reads of its store.
func (h *home) count() *counted {
	h.t.Helper()
	c := &counted{Store: h.store}
	if err := h.Memory.Close(); err != nil {
		h.t.Fatal(err)
	}
	h.opts.Store = c
	var err error
	if h.Memory, err = layers.Open(h.t.Context(), h.opts); err != nil {
		h.t.Fatal(err)
	}
	return c
}

// TestExtract_ReadsOnceWhatWasForgotten however much that is; what is forgotten, or
// brought back, later counts all the same.
func TestExtract_ReadsOnceWhatWasForgotten(t *testing.T) {
	const many = 50
	h := openUnsynced(t)
	for i := range many {
		h.forget(false, h.say(layers.Memorandum{Text: fmt.Sprintf("Card %d is pinned.", i)}).ID)
	}
	c := h.count()
	told := func(source, text string) int {
		return h.extracts(layers.ExtractInput{SourceID: source, Messages: turns(text)}).Counts.Stored
	}
	told("a", "I'm allergic to lanolin.")
	before := c.records.Load()
	if told("b", "I'm allergic to walnuts.") != 1 {
		t.Error("nothing was learned")
	}
	if read := c.records.Load() - before; read > many/5 {
		t.Errorf("%d records were read for one message", read)
	}
	id := h.ask(layers.RecallInput{Query: "walnuts"})[0]
	h.forget(false, id)
	if told("c", "I'm allergic to walnuts.") != 0 {
		t.Error("what was forgotten meanwhile was learned again")
	}
	h.forget(true, id)
	h.forget(false, h.ask(layers.RecallInput{Query: "lanolin"})[0])
	if told("d", "I'm allergic to walnuts.") != 0 || told("e", "I'm allergic to lanolin.") != 0 {
		t.Error("learned again")
	}
	if got := h.ask(layers.RecallInput{Query: "walnuts"}); len(got) != 1 {
		t.Errorf("%v, want the one brought back", got)
	}
}

// TestExtract_LooksForFailedJobsByTheirMessages among many that keep what failed.
func TestExtract_LooksForFailedJobsByTheirMessages(t *testing.T) {
	h, f := openUnsynced(t), &flaky{}
	f.serve(t, h)
	read := layers.ExtractInput{SourceID: "whole", Messages: turns(beekeeper)}
	h.extracts(read)
	f.down.Store(true)
	partial := layers.ExtractInput{SourceID: "partial", Messages: turns(beekeeper)}
	failed := h.extracts(partial)
	for i := range 20 {
		h.extracts(layers.ExtractInput{SourceID: fmt.Sprint(i), Messages: turns(beekeeper)})
	}
	c := h.count()
	if out := h.extracts(read); out.Counts.Stored != 0 {
		t.Errorf("counts %+v", out.Counts)
	}
	if n := c.jobs.Load(); n > 0 {
		t.Errorf("%d jobs were read for messages that all came through", n)
	}
	f.down.Store(false)
	if out := h.extracts(partial); out.JobID != failed.JobID || out.Status != layers.JobComplete {
		t.Errorf("job %s is %s, want %s complete", out.JobID, out.Status, failed.JobID)
	}
	before := c.jobs.Load()
	h.extracts(partial)
	if n := c.jobs.Load() - before; n > 0 {
		t.Errorf("%d jobs were read once nothing is left to run", n)
	}
}
