package layers_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers"
)

// TestFixture_Version2GivesTheSameAnswers: what a server of format version 2 was told
// is what one of today answers. The ids are those of the fixture's file.
func TestFixture_Version2GivesTheSameAnswers(t *testing.T) {
	const (
		tea, lyon, lisbon, porto = "01M8P2BN10YKYPPXPGXQ223VX9", "01M8P2BNZCSCDKPS4AZ22DT6YB", "01M8P2BNZHV2ZPY9K82HZACW9T", "01M8P2BNZWZP4RCZX0YSW5ER5C"
		port, ferry, door        = "01M8P2BP012VC05XGWBS9K12DB", "01M8P2BP012VC05XGWBV1M27TV", "01M8P2BQ2RDC9F4BF1W3TM92BT"
		erased, job              = "01M8P2BQCE00VMHQX23WSFTKEW", "01M8P2BQ2VRYVEJD49RN369S5W"
	)
	h := openFixture(t)
	same := func(what string, got, want any) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	now := h.ask(layers.RecallInput{Entity: "user", Attribute: "home city"})
	same("home city", len(now), 1)
	same("home city in February", strings.Join(h.ask(layers.RecallInput{Entity: "user", Attribute: "home city", AsOf: "2026-02-10"}), " "), lyon)
	same("home city in March, what was withdrawn left out", strings.Join(h.ask(layers.RecallInput{Entity: "user", Attribute: "home city", AsOf: "2026-04-10"}), " "), lisbon)
	all := h.ask(layers.RecallInput{Entity: "user", Attribute: "home city", IncludeSuperseded: true, Limit: ptr(100)})
	same("withdrawn is history", slices.Contains(all, porto), true)
	same("brought back", slices.Contains(h.ask(layers.RecallInput{Query: "jasmine tea"}), tea), true)
	same("forgotten", slices.Contains(h.ask(layers.RecallInput{Query: "when does the ferry leave"}), ferry), false)
	same("erased", slices.Contains(h.ask(layers.RecallInput{Query: "door code quarkbeam", IncludeSuperseded: true}), door), false)
	out := h.answers(layers.RecallInput{IDs: []string{port}})
	same("said again", out.Matches[0].Reinforced, 120)
	same("note of a session", len(h.answers(layers.RecallInput{SessionID: "s1"}).Working), 1)
	same("turns of a session", len(h.answers(layers.RecallInput{SessionID: "s2"}).Working), 2)
	r, err := h.ReceiptByID(t.Context(), user, erased)
	same("receipt", r.Done && r.Verified && r.Count == 1 && err == nil, true)
	view, err := h.Job(t.Context(), user, job)
	same("job", view.Output.Status, layers.JobComplete)
	same("job's error", err, nil)
	again, err := h.Extract(t.Context(), user, layers.ExtractInput{SourceID: "chat-1", Source: "chat",
		Messages: []layers.Message{{ID: "m1", Role: "user", Content: json.RawMessage(`"I'm a nurse and I live in Utrecht."`)}}})
	same("what was read before", again.Counts.Stored, 0)
	same("its error", err, nil)
	h.keyAnswers("user-prefers-jasmine", layers.Memorandum{Text: "I prefer jasmine tea.", Tags: []string{"drinks"}, Quote: "jasmine, please",
		SourceID: "mail-1", Importance: ptr(5), Confidence: ptr(.9), ObservedAt: "2026-01-05T08:00:00Z"}, tea)
	h.keyAnswers("lives-in-lyon", layers.Memorandum{Text: "I live in Lyon.", ObservedAt: "2026-02-01T08:00:00Z"}, lyon)
	undone, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{ferry}, Undo: true})
	same("brought back now", undone.Restored, 1)
	same("its error", err, nil)
}

// openFixture opens a copy of the fixture of version 2, some minutes after it was
// written.
func openFixture(t testing.TB) *home {
	t.Helper()
	h := newHome(t, time.Date(2026, 11, 30, 11, 15, 0, 0, time.UTC))
	h.copies("../storage/bunt/testdata/v2/memory.db", "memory.db")
	h.opts = layers.Options{Location: time.UTC, Serving: true}
	h.start()
	t.Cleanup(func() { h.stop() })
	return h
}

// copies puts a file into the data directory.
func (h *home) copies(from, name string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), read(h.t, from), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// keyAnswers remembers with an idempotency key that was used before, and fails the
// test where that is not answered as the first time.
func (h *home) keyAnswers(key string, in layers.Memorandum, want string) {
	h.t.Helper()
	out, err := h.Remember(h.t.Context(), user, layers.RememberInput{IdempotencyKey: key, Memories: []layers.Memorandum{in}})
	if err != nil || out.Memories[0].Status != layers.StatusDuplicate || out.Memories[0].ID != want {
		h.t.Errorf("key %s again: %+v, %v; want a duplicate of %s", key, out, err, want)
	}
}

// TestErase_TakesTheWordsOfKeys: an idempotency key may hold words ("lives-in-lyon").
// An erase leaves them in no file, of an older program's neither, and a retry is
// still known.
func TestErase_TakesTheWordsOfKeys(t *testing.T) {
	h := openFixture(t)
	h.copies("../storage/bunt/testdata/v2/backup.mcpmem", "backup.mcpmem")
	list := fmt.Sprintf("{\"at\":\"2026-11-30T11:10:09Z\",\"path\":%q,\"state\":\"made\"}\n", filepath.Join(h.dir, "backup.mcpmem"))
	if err := os.WriteFile(filepath.Join(h.dir, "backups.jsonl"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	lyon := layers.Memorandum{Text: "I live in Lyon.", ObservedAt: "2026-02-01T08:00:00Z"}
	fresh := h.keyed("住在里昂-1", layers.Memorandum{Text: "The user's bakery is in Lyon."})
	words := []string{"lives-in-lyon", "door-code", "prefers-jasmine", "住在里昂"}
	if left := holding(t, h.dir, words...); len(left) < 6 {
		t.Fatalf("only %v hold keys before", left)
	}
	h.eraseNow(layers.ForgetInput{IDs: []string{fresh, "01M8P2BNZCSCDKPS4AZ22DT6YB"}})
	for range 2 {
		if left := holding(t, h.dir, words...); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		h.keyAnswers("lives-in-lyon", lyon, "01M8P2BNZCSCDKPS4AZ22DT6YB")
		h.keyAnswers("住在里昂-1", layers.Memorandum{Text: "The user's bakery is in Lyon."}, fresh)
		h.restart()
	}
}

// keyed remembers with an idempotency key and returns the id.
func (h *home) keyed(key string, in layers.Memorandum) string {
	h.t.Helper()
	out, err := h.Remember(h.t.Context(), user, layers.RememberInput{IdempotencyKey: key, Memories: []layers.Memorandum{in}})
	if err != nil {
		h.t.Fatal(err)
	}
	return out.Memories[0].ID
}
