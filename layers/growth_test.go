package layers_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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

// allocated is how many bytes a call takes, on average of some.
func allocated(calls int, call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		call()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / uint64(calls)
}

// TestGrowth_OneMoreStatementCostsTheSame whatever was said of its slot before.
// Where the slot is folded for it, it takes ten times the memory here.
func TestGrowth_OneMoreStatementCostsTheSame(t *testing.T) {
	for name, value := range map[string]func(i int) string{
		"another": func(i int) string { return fmt.Sprint("mood ", i) },
		"same":    func(int) string { return "calm" },
	} {
		t.Run(name, func(t *testing.T) {
			h := openUnsynced(t)
			said := 0
			say := func(n int) {
				from := said
				said += n
				h.said(n, func(i int) string { return value(from + i) })
			}
			ask := func() {
				if got := h.slot("mood"); len(got) != 1 {
					t.Fatalf("%v hold", got)
				}
			}
			say(300)
			ask()
			few := allocated(50, func() { say(1) })
			say(2700)
			ask()
			many := allocated(50, func() { say(1) })
			if many > 3*few {
				t.Errorf("one more of 3,000 takes %d bytes, of 300 %d", many, few)
			}
		})
	}
}

// The later recorded wins where nothing else tells two statements apart, in the
// answer too.
func TestRemember_AtOneTimeTheLaterRecordedIsCurrent(t *testing.T) {
	h := open(t)
	const at = "2026-03-01T10:00:00Z"
	first := h.say(slotted("mood", "calm", at))
	second := h.say(slotted("mood", "cross", at))
	if second.Status != layers.StatusStored || !slices.Equal(second.Supersedes, []string{first.ID}) {
		t.Errorf("the answer is %+v, want one that supersedes %s", second, first.ID)
	}
	if got := h.slot("mood"); !slices.Equal(got, []string{second.ID}) {
		t.Errorf("%v hold, want %s", got, second.ID)
	}
}

// TestGrowth_WhatClosesLooksIntoFewSlots of those that there are: each costs a
// moment, and no reading of what was said in it.
func TestGrowth_WhatClosesLooksIntoFewSlots(t *testing.T) {
	h := openUnsynced(t)
	made := 0
	slots := func(n int) {
		for made < n {
			in := layers.RememberInput{}
			for range 100 {
				m := slotted("state", "new", "")
				m.Entity = fmt.Sprintf("thing %d", made)
				in.Memories = append(in.Memories, m)
				made++
			}
			if _, err := h.Remember(t.Context(), user, in); err != nil {
				t.Fatal(err)
			}
		}
	}
	said := 0
	prefer := func() {
		said++
		if got := h.say(layers.Memorandum{Text: "I prefer " + []string{"tea", "coffee"}[said%2] + " now."}); said > 1 && len(got.Supersedes) != 1 {
			t.Fatalf("superseded %v", got.Supersedes)
		}
	}
	slots(200)
	prefer()
	few := allocated(20, prefer)
	slots(2000)
	if many := allocated(20, prefer); many > few+1800*600 {
		t.Errorf("among 2,000 slots it takes %d bytes, among 200 %d", many, few)
	}
}
