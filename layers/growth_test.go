package layers_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcp-memory/layers"
)

// unsynced spares the disk where power loss is not what is tested.
func unsynced(*os.File) error { return nil }

// openUnsynced is open without waiting for the disk.
func openUnsynced(t testing.TB) *home {
	h := open(t)
	h.stop()
	h.bunt.Sync = unsynced
	h.start()
	return h
}

// said remembers a value of one slot n times, 100 a call, a second apart.
func (h *home) said(n int, value func(i int) string) {
	h.t.Helper()
	for i := 0; i < n; {
		var in layers.RememberInput
		for ; i < n && len(in.Memories) < 100; i++ {
			in.Memories = append(in.Memories, slotted("mood", value(i), ""))
		}
		if _, err := h.Remember(h.t.Context(), user, in); err != nil {
			h.t.Fatal(err)
		}
		h.pass(time.Second)
	}
}

// TestGrowth_WhatIsSaidAgainIsMergedAndTellsTheSame compacts what was said often:
// storage/bunt shows how little is left of 10,000 times.
func TestGrowth_WhatIsSaidAgainIsMergedAndTellsTheSame(t *testing.T) {
	h := openUnsynced(t)
	h.said(400, func(i int) string { return []string{"calm", "cross"}[i/150%2] })
	all := layers.RecallInput{Entity: "user", Attribute: "mood", IncludeSuperseded: true}
	show := func() string {
		t.Helper()
		out, err := h.Recall(t.Context(), user, all)
		if err != nil || len(out.Matches) != 3 {
			t.Fatalf("recall: %+v, %v", out, err)
		}
		var s string
		for _, m := range out.Matches {
			s += fmt.Sprintln(m.ID, m.Reinforced, m.ObservedAt, m.SupersededBy)
		}
		return s
	}
	before, size := show(), fileSize(t, h.dir)
	if err := h.store.(interface {
		Compact(context.Context) error
	}).Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now := fileSize(t, h.dir); now > size/5 {
		t.Errorf("%d bytes of %d are left", now, size)
	}
	h.restart()
	if after := show(); after != before {
		t.Errorf("after a compaction:\n%s\nbefore:\n%s", after, before)
	}
}

func fileSize(t testing.TB, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, "memory.db"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
