package layers_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"mcp-memory/layers"
	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// eraseNow erases and fails the test where the receipt does not say that nothing is
// left. A wide one is confirmed.
func (h *home) eraseNow(in layers.ForgetInput) layers.ForgetOutput {
	h.t.Helper()
	in.Mode = layers.ModeErase
	out, err := h.Forget(h.t.Context(), user, in)
	if err == nil && out.Confirm != "" {
		in.Confirm = out.Confirm
		out, err = h.Forget(h.t.Context(), user, in)
	}
	if err != nil {
		h.t.Fatalf("erase %+v: %v", in, err)
	}
	if out.Mode != layers.ModeErase || out.Forgotten == 0 || !out.Receipt.Verified || len(out.Receipt.Unreached) > 0 || out.UndoUntil != "" {
		h.t.Fatalf("erase %+v: %+v", in, out)
	}
	for _, area := range []string{"store", "keyword", "vector", "working", "jobs", "files"} {
		if !out.Receipt.Checked[area] {
			h.t.Errorf("erase %+v: %s is not clean: %+v", in, area, out.Receipt)
		}
	}
	return out
}

// holding returns which words files below dir hold, as they are or in a form in
// which they may lie on disk.
func holding(t testing.TB, dir string, words ...string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, word := range words {
			for _, form := range formsOf(word) {
				if bytes.Contains(raw, form) {
					found = append(found, filepath.Base(path)+": "+word)
					break
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func formsOf(word string) [][]byte {
	var wide []byte
	for _, u := range utf16.Encode([]rune(word)) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	out := [][]byte{[]byte(word), wide, []byte(hex.EncodeToString([]byte(word)))}
	for pad := range 3 {
		s := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00", pad) + word + "\x00\x00")[:(pad+len(word))/3*3])
		out = append(out, []byte(s[(8*pad+5)/6:]))
	}
	return out
}

// sentinel is a word that is nowhere else.
func sentinel(n int) string { return fmt.Sprintf("zq%05dxv", n) }

// selectors are the ways to say what goes; each group has 100 records, of which it
// takes 50.
var selectors = []struct {
	name   string
	mark   func(going bool, m *layers.Memorandum)
	choose func(ids []string) layers.ForgetInput
}{

	{"ids", nil, func(ids []string) layers.ForgetInput { return layers.ForgetInput{IDs: ids} }},
	{"query", func(going bool, m *layers.Memorandum) {
		if going {
			m.Text += " Marmalade."
		}
	}, func([]string) layers.ForgetInput { return layers.ForgetInput{Query: "marmalade"} }},
	{"slot", func(going bool, m *layers.Memorandum) {
		m.Entity, m.Attribute = "Nadia", map[bool]string{true: "hobbies", false: "pets"}[going]
	}, func([]string) layers.ForgetInput { return layers.ForgetInput{Entity: "Nadia", Attribute: "hobbies"} }},
	{"entity", func(going bool, m *layers.Memorandum) {
		m.Entity, m.Attribute = map[bool]string{true: "Odile", false: "Oda"}[going], "allergies"
	}, func([]string) layers.ForgetInput { return layers.ForgetInput{Entity: "Odile"} }},
	{"tags", func(going bool, m *layers.Memorandum) {
		m.Tags = append(m.Tags, map[bool]string{true: "raft", false: "rafting"}[going])
	}, func([]string) layers.ForgetInput { return layers.ForgetInput{Tags: []string{"raft"}} }},
	{"source", func(going bool, m *layers.Memorandum) {
		m.SourceID = map[bool]string{true: "mail-7", false: "mail-71"}[going]
	},
		func([]string) layers.ForgetInput { return layers.ForgetInput{SourceID: "mail-7"} }},
	{"layers", func(going bool, m *layers.Memorandum) {
		m.Layer = map[bool]storage.Layer{true: storage.Experience, false: storage.Context}[going]
	}, func([]string) layers.ForgetInput { return layers.ForgetInput{Layers: []string{"experience"}} }},
	{"before", func(going bool, m *layers.Memorandum) {
		m.ObservedAt = map[bool]string{true: "1999-05-05", false: "2001-05-05"}[going]
	}, func([]string) layers.ForgetInput { return layers.ForgetInput{Before: "2000-01-01"} }},
	{"project", func(going bool, m *layers.Memorandum) {
		p := map[bool]string{true: "orchard", false: "orchid"}[going]
		m.Project = &p
	}, func([]string) layers.ForgetInput { p := "orchard"; return layers.ForgetInput{Project: &p} }},
	{"forgotten before", nil, func(ids []string) layers.ForgetInput { return layers.ForgetInput{IDs: ids} }},
}

// TestErase_HalfOfAThousandBySelectors: what goes is in no file in any form, what
// stays is whole, and a restart changes neither.
func TestErase_HalfOfAThousandBySelectors(t *testing.T) {
	h := openUnsynced(t)
	var gone, kept, keptIDs []string
	for g, sel := range selectors {
		in := layers.RememberInput{Batch: true, IdempotencyKey: fmt.Sprint("call-", g)}
		for i := range 100 {
			word := sentinel(1000*g + i)
			m := layers.Memorandum{Text: "The note says " + word + ".", Tags: []string{"tag-" + word}, Quote: "he said " + word, Value: ""}
			if sel.mark != nil {
				sel.mark(i < 50, &m)
			}
			if m.Attribute != "" {
				m.Value = word
			}
			in.Memories = append(in.Memories, m)
		}
		out, err := h.Remember(t.Context(), user, in)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for i, r := range out.Memories {
			if i < 50 {
				gone, ids = append(gone, sentinel(1000*g+i)), append(ids, r.ID)
			} else {
				kept, keptIDs = append(kept, sentinel(1000*g+i)), append(keptIDs, r.ID)
			}
		}
		if sel.name == "forgotten before" {
			if _, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: ids, Reason: "because of " + gone[len(gone)-1]}); err != nil {
				t.Fatal(err)
			}
		}
		if erased := h.eraseNow(sel.choose(ids)); erased.Forgotten != 50 {
			t.Errorf("%s: erased %d", sel.name, erased.Forgotten)
		}
	}
	for range 2 {
		if left := holding(t, h.dir, gone...); len(left) > 0 {
			t.Fatalf("%d are left: %.500v", len(left), left)
		}
		intact(t, h, keptIDs, kept)
		h.restart()
	}
	h.eraseNow(layers.ForgetInput{All: true})
	if left := holding(t, h.dir, kept...); len(left) > 0 {
		t.Errorf("%d are left: %.500v", len(left), left)
	}
}

// intact checks that records are recalled by their ids with their words.
func intact(t *testing.T, h *home, ids, words []string) {
	t.Helper()
	for i := 0; i < len(ids); i += 50 {
		out, err := h.Recall(t.Context(), user, layers.RecallInput{IDs: ids[i : i+50]})
		if err != nil || len(out.Matches) != 50 {
			t.Fatalf("recall of what stays: %d, %v", len(out.Matches), err)
		}
		for _, m := range out.Matches {
			word := words[slices.Index(ids, m.ID)]
			if !strings.Contains(m.Text, word) || !strings.Contains(m.Source.Quote, word) || !slices.Contains(m.Tags, "tag-"+word) {
				t.Fatalf("%s lost something: %+v", word, m)
			}
		}
	}
}

// filled fills a home with what an erase has to reach: a record with a history, a
// session that it was extracted from, waiting turns, a kept answer, a job, a file
// that a salvage kept and a backup. It returns the ids to erase.
func filled(t *testing.T, h *home) []string {
	t.Helper()
	said := func(id, text string) layers.Message {
		content, _ := json.Marshal(text)
		return layers.Message{ID: id, Role: "user", Content: content, Time: "2026-11-30T10:00:00Z"}
	}
	out, err := h.Extract(t.Context(), user, layers.ExtractInput{SessionID: "s1", SourceID: "chat-1",
		Messages: []layers.Message{said("m1", "Remember that my dog is called Wobblethorpe."), said("m2", "The sky is grey.")}})
	if err != nil || out.Counts.Stored == 0 {
		t.Fatalf("extract: %+v, %v", out, err)
	}
	var ids []string
	for _, l := range out.Layers {
		ids = append(ids, l.Memories...)
	}
	if _, err := h.Extract(t.Context(), user, layers.ExtractInput{SessionID: "s1", SourceID: "chat-1",
		Messages: []layers.Message{said("m3", "Wobblethorpe ate something.")}}); err != nil {
		t.Fatal(err)
	}
	kept, err := h.Remember(t.Context(), user, layers.RememberInput{IdempotencyKey: "k1", Memories: []layers.Memorandum{
		{Text: "The vault of Wobblethorpe opens with fizzlewick.", Quote: "fizzlewick it is"}, {Text: "The gate is green."}}})
	if err != nil {
		t.Fatal(err)
	}
	h.stop()
	file := filepath.Join(h.dir, "memory.db")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	raw[bytes.Index(raw, []byte("fizzlewick"))+2] ^= 1 // one operation can no longer be read
	if err := os.WriteFile(file+".damaged-20260101T000000Z", raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(h.dir, "backups"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := bunt.Backup(t.Context(), bunt.Options{Dir: h.dir, Sync: unsynced}, filepath.Join(h.dir, "backups", "old.mcpmem")); err != nil {
		t.Fatal(err)
	}
	h.start()
	return append(ids, kept.Memories[0].ID)
}

// erasedWords are what filled wrote of the records to erase.
var erasedWords = []string{"obblethorpe", "zzlewick"}

func TestErase_ReachesTurnsJobsAnswersAndCopies(t *testing.T) {
	h := openUnsynced(t)
	ids := filled(t, h)
	if left := holding(t, h.dir, erasedWords...); len(left) < 6 {
		t.Fatalf("only %v hold it before", left)
	}
	h.eraseNow(layers.ForgetInput{IDs: ids})
	for range 2 {
		if left := holding(t, h.dir, erasedWords...); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		out, err := h.Recall(t.Context(), user, layers.RecallInput{Query: "dog", SessionID: "s1"})
		if err != nil || len(out.Working) != 1 || out.Working[0].Text != "The sky is grey." {
			t.Errorf("working memory: %+v, %v", out.Working, err)
		}
		again, err := h.Remember(t.Context(), user, layers.RememberInput{IdempotencyKey: "k1", Memories: []layers.Memorandum{
			{Text: "The vault of Wobblethorpe opens with fizzlewick.", Quote: "fizzlewick it is"}, {Text: "The gate is green."}}})
		if err != nil || again.Memories[0].Status != layers.StatusDuplicate || again.Memories[0].Text != "" || again.Memories[1].Text != "The gate is green." {
			t.Errorf("a retry of what was erased: %+v, %v", again, err)
		}
		h.restart()
	}
	if _, err := bunt.Verify(t.Context(), filepath.Join(h.dir, "backups", "old.mcpmem")); err != nil {
		t.Errorf("the backup: %v", err)
	}
	again, err := h.Extract(t.Context(), user, layers.ExtractInput{SourceID: "chat-1", Messages: []layers.Message{
		{ID: "m1", Role: "user", Content: json.RawMessage(`"Remember that my dog is called Wobblethorpe."`), Time: "2026-11-30T10:00:00Z"}}})
	if err != nil || again.Counts.Stored != 0 {
		t.Errorf("learned again: %+v, %v", again, err)
	}
}

// TestErase_SurvivesAKillAtEachStep opens the directory as it was at every sync of
// an erase, which are the borders between its steps.
func TestErase_SurvivesAKillAtEachStep(t *testing.T) {
	h := openUnsynced(t)
	ids := filled(t, h)
	crashes, snaps, erasing := t.TempDir(), []string{}, false
	h.stop()
	h.bunt.Sync = func(*os.File) error {
		if !erasing {
			return nil
		}
		snaps = append(snaps, filepath.Join(crashes, fmt.Sprint(len(snaps))))
		if err := os.CopyFS(snaps[len(snaps)-1], os.DirFS(h.dir)); err != nil {
			return err
		}
		list := []byte(strings.ReplaceAll(string(read(t, filepath.Join(h.dir, "backups.jsonl"))), h.dir, snaps[len(snaps)-1]))
		return os.WriteFile(filepath.Join(snaps[len(snaps)-1], "backups.jsonl"), list, 0o600)
	}
	h.start()
	erasing = true
	h.eraseNow(layers.ForgetInput{IDs: ids})
	erasing = false
	if len(snaps) < 8 {
		t.Fatalf("only %d steps", len(snaps))
	}
	for _, dir := range snaps {
		other := newHome(t, h.clock.Now())
		other.dir, other.opts.Location, other.bunt.Sync = dir, h.opts.Location, unsynced
		other.start()
		if left := holding(t, dir, erasedWords...); len(left) > 0 {
			t.Errorf("step %s: left %v", filepath.Base(dir), left)
		}
		all, err := other.Receipts(t.Context(), user)
		if err != nil || len(all) != 1 || !all[0].Done || !all[0].Verified || all[0].Mode != layers.ModeErase {
			t.Errorf("step %s: receipts %+v, %v", filepath.Base(dir), all, err)
		}
		if got := other.ask(layers.RecallInput{IDs: ids}); len(got) > 0 {
			t.Errorf("step %s: recalled %v", filepath.Base(dir), got)
		}
		other.stop()
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestErase_NamesWhatItDoesNotReach(t *testing.T) {
	h := openUnsynced(t)
	ids := filled(t, h)
	stranger := filepath.Join(h.dir, "copy-of-mine.txt")
	if err := os.WriteFile(stranger, []byte("The vault of Wobblethorpe opens with fizzlewick."), 0o600); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(h.dir, "backups", "old.mcpmem")
	if err := os.Rename(backup, backup+".moved"); err != nil {
		t.Fatal(err)
	}
	out, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: ids, Mode: layers.ModeErase})
	if err != nil || out.Receipt.Verified || out.Receipt.Checked["files"] || !out.Receipt.Checked["store"] {
		t.Fatalf("%+v, %v", out, err)
	}
	if got := strings.Join(out.Receipt.Unreached, "\n"); !strings.Contains(got, stranger) || strings.Contains(got, backup) {
		t.Errorf("not reached: %s", got)
	}
	for _, path := range []string{stranger, backup} {
		if !strings.Contains(out.Note, path) {
			t.Errorf("%s is not named: %+v", path, out)
		}
	}
	if r, err := h.ReceiptByID(t.Context(), user, out.Receipt.ID); err != nil || len(r.Gone) != 1 || r.Gone[0] != backup {
		t.Errorf("the receipt: %+v, %v; want %s as gone", r, err, backup)
	}
	if err := errors.Join(os.Rename(backup+".moved", backup), os.Remove(stranger)); err != nil {
		t.Fatal(err)
	}
	other := h.say(layers.Memorandum{Text: "The attic is dusty."})
	h.eraseNow(layers.ForgetInput{IDs: []string{other.ID}}) // which also reaches what was not there
	if left := holding(t, h.dir, erasedWords...); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestErase_RelatedHoldTheSameWords(t *testing.T) {
	h := openUnsynced(t)
	mill, barn := "mill", "barn"
	a := h.say(layers.Memorandum{Text: "The door opens with crumbleforth.", Project: &mill})
	b := h.say(layers.Memorandum{Text: "As he said: The door opens with crumbleforth. So it does.", Project: &barn})
	if _, err := h.Remember(t.Context(), "bob", layers.RememberInput{Memories: []layers.Memorandum{{Text: "The door opens with crumbleforth."}}}); err != nil {
		t.Fatal(err)
	}
	want(t, "related", h.eraseNow(layers.ForgetInput{IDs: []string{a.ID}}).Related, b.ID)
	h.eraseNow(layers.ForgetInput{IDs: []string{b.ID}})
	out, err := h.Recall(t.Context(), "bob", layers.RecallInput{Query: "crumbleforth"})
	if err != nil || len(out.Matches) != 1 {
		t.Errorf("another user's: %+v, %v", out, err)
	}
}

func TestErase_LeavesAPlaceAndIsGone(t *testing.T) {
	for _, restart := range []bool{false, true} {
		h := openUnsynced(t)
		old := h.say(slotted("gym", "Alpha", "2024-01-05"))
		now := h.say(slotted("gym", "Beta", "2024-02-05"))
		h.eraseNow(layers.ForgetInput{IDs: []string{now.ID}})
		if restart {
			h.restart()
		}
		want(t, "current", h.slot("gym"))
		_, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{now.ID}, Undo: true})
		if bad := (*layers.InvalidError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), "gone") {
			t.Errorf("undo: %v", err)
		}
		if out, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{now.ID}}); err != nil || out.Forgotten != 0 {
			t.Errorf("forget what is erased: %+v, %v", out, err)
		}
		again := h.say(slotted("gym", "Alpha", "2024-03-05"))
		if again.Status != layers.StatusStored || again.ID == old.ID {
			t.Errorf("the old value said later: %+v", again)
		}
		want(t, "current", h.slot("gym"), again.ID)
	}
}

// TestErase_ReachesWhatOnlyABackupHolds: turns, answers and jobs that the store let
// go of since.
func TestErase_ReachesWhatOnlyABackupHolds(t *testing.T) {
	h := openUnsynced(t)
	said := func(from, to int) {
		for i := from; i < to; i++ {
			in := turns(fmt.Sprintf("Turn %d is idle.", i))
			in[0].ID = fmt.Sprint("n", i)
			h.extracts(layers.ExtractInput{SourceID: "chat", SessionID: "s", Messages: in, Flush: true})
		}
	}
	h.extracts(layers.ExtractInput{SourceID: "chat", SessionID: "s", Flush: true, Messages: turns("I live in Crumbleforth.", "Is it so that I live in Crumbleforth.")})
	keyed := layers.RememberInput{Call: layers.Call{ID: "c1", Keep: true}, Memories: []layers.Memorandum{{Text: "The vault opens with fizzlewick."}}}
	if _, err := h.Remember(t.Context(), user, keyed); err != nil {
		t.Fatal(err)
	}
	said(0, 2)
	backup := filepath.Join(t.TempDir(), "old.mcpmem")
	if _, _, err := bunt.Backup(t.Context(), bunt.Options{Dir: h.dir, Sync: unsynced}, backup); err != nil {
		t.Fatal(err)
	}
	h.pass(time.Hour)
	said(2, 30)
	h.restart()
	var ids []string
	for _, m := range h.recalled(layers.RecallInput{Limit: ptr(50)}).Matches {
		if strings.Contains(m.Text, "Crumbleforth") || strings.Contains(m.Text, "fizzlewick") {
			ids = append(ids, m.ID)
		}
	}
	h.eraseNow(layers.ForgetInput{IDs: ids})
	left := append(holding(t, h.dir, "rumbleforth", "fizzlewick"), holding(t, filepath.Dir(backup), "rumbleforth", "fizzlewick")...)
	if len(left) > 0 || len(ids) < 2 {
		t.Errorf("of %d records left: %v", len(ids), left)
	}
	if _, err := bunt.Verify(t.Context(), backup); err != nil {
		t.Errorf("the backup: %v", err)
	}
}

// TestErase_ReachesWordsOfAFewBytes: one Han character, "Al" or "no" tells as much as a
// long word where it stands by itself.
func TestErase_ReachesWordsOfAFewBytes(t *testing.T) {
	for _, c := range []struct{ value, text, turn, stays, other string }{
		{"茶", "用户最喜欢的饮料是茶。", "茶真香，每天都喝。", "今天天气很好。", "李雷最喜欢的饮料是茶。"},
		{"Al", "The user's brother is called Al.", "Yes, I called al.", "We also walked.", "Mia's brother is called Al."},
		{"no", "The user's answer to milk is no.", "No, never.", "I know the way.", "Mia's answer to milk is no."},
		{"물", "사용자는 물을 좋아한다.", "물을 마셨다.", "하늘이 흐리다.", "미아는 물을 좋아한다."},
	} {
		t.Run(c.value, func(t *testing.T) {
			h := openUnsynced(t)
			record := h.say(layers.Memorandum{Text: c.text, Entity: "user", Attribute: "favourite", Value: c.value, SourceID: "chat-1"})
			other := h.say(layers.Memorandum{Text: c.other, Entity: "Mia", Attribute: "favourite", Value: c.value})
			h.extracts(layers.ExtractInput{SessionID: "s1", SourceID: "chat-1", Messages: turns(c.turn, c.stays)})
			h.extracts(layers.ExtractInput{SessionID: "s2", SourceID: "chat-2", Messages: turns(c.turn)})
			want(t, "related", h.eraseNow(layers.ForgetInput{IDs: []string{record.ID}}).Related, other.ID)
			for session, left := range map[string]string{"s1": c.stays, "s2": c.turn} {
				out := h.answers(layers.RecallInput{SessionID: session})
				if len(out.Working) != 1 || out.Working[0].Text != left {
					t.Errorf("session %s: %+v; want %q alone", session, out.Working, left)
				}
			}
		})
	}
}

// TestErase_ReachesATextOfAFewBytes: all of a memory may be a character.
func TestErase_ReachesATextOfAFewBytes(t *testing.T) {
	h := openUnsynced(t)
	record := h.say(layers.Memorandum{Text: "茶"})
	h.extracts(layers.ExtractInput{SessionID: "s1", SourceID: "chat-1", Messages: turns("茶", "喝茶去。")})
	backup := filepath.Join(t.TempDir(), "old.mcpmem")
	if _, _, err := bunt.Backup(t.Context(), bunt.Options{Dir: h.dir, Sync: unsynced}, backup); err != nil {
		t.Fatal(err)
	}
	h.eraseNow(layers.ForgetInput{IDs: []string{record.ID}})
	if out := h.answers(layers.RecallInput{SessionID: "s1"}); len(out.Working) != 1 || out.Working[0].Text != "喝茶去。" {
		t.Errorf("working memory: %+v", out.Working)
	}
	for _, dir := range []string{h.dir, filepath.Dir(backup)} {
		if left := holding(t, dir, `"茶"`); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}
