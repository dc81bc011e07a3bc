package layers_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers"
	"mcp-memory/storage/bunt"
)

// wentBack is a home whose store a restore replaced: what was remembered since the
// backup only the copies hold.
func wentBack(t *testing.T) *home {
	t.Helper()
	h := openUnsynced(t)
	h.say(layers.Memorandum{Text: "The gate is green.", SourceID: "tour"})
	backup := h.backup("early")
	h.say(layers.Memorandum{Text: "密码是鹦鹉螺壳。", SourceID: "tour", Tags: []string{"鹦鹉螺壳"}})
	h.say(layers.Memorandum{Text: "The cellar holds a quibblemorn.", SourceID: "cellar"})
	h.extracts(layers.ExtractInput{SourceID: "tour", SessionID: "s", Messages: turns("Is the quibblemorn asleep?")})
	h.stop()
	h.pass(time.Hour)
	if _, err := bunt.Restore(t.Context(), bunt.Options{Dir: h.dir, Sync: unsynced}, backup, true); err != nil {
		t.Fatal(err)
	}
	h.start()
	return h
}

// TestErase_OfAllTakesWhatOnlyCopiesHold: a restore goes back, and what it went back past
// lies on in the store that it kept.
func TestErase_OfAllTakesWhatOnlyCopiesHold(t *testing.T) {
	h := wentBack(t)
	h.eraseNow(layers.ForgetInput{All: true})
	if left := holding(t, h.dir, "鹦鹉螺壳", "uibblemorn", "gate is green"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	h.verifyBackups(1)
	// What is said later and kept in a copy is no part of it.
	h.say(layers.Memorandum{Text: "The fence is new."})
	late := h.backup("late")
	gone := h.say(layers.Memorandum{Text: "The moat is dry."})
	h.eraseNow(layers.ForgetInput{IDs: []string{gone.ID}})
	if held := holding(t, filepath.Dir(late), "fence is new"); len(held) != 1 {
		t.Errorf("a later backup holds %v", held)
	}
}

// TestErase_OfAllWhereOnlyCopiesHoldAnything: nothing is remembered, and yet there is
// something to erase; once.
func TestErase_OfAllWhereOnlyCopiesHoldAnything(t *testing.T) {
	h := wentBack(t)
	for _, m := range h.recalled(layers.RecallInput{}).Matches {
		h.eraseNow(layers.ForgetInput{IDs: []string{m.ID}})
	}
	in := layers.ForgetInput{All: true, Mode: layers.ModeErase}
	out, err := h.Forget(t.Context(), user, in)
	if err != nil || out.Confirm == "" {
		t.Fatalf("%+v, %v; want a token", out, err)
	}
	in.Confirm = out.Confirm
	if out, err = h.Forget(t.Context(), user, in); err != nil || !out.Receipt.Verified {
		t.Fatalf("%+v, %v", out, err)
	}
	if left := holding(t, h.dir, "鹦鹉螺壳", "uibblemorn"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if out, err = h.Forget(t.Context(), user, layers.ForgetInput{All: true, Mode: layers.ModeErase}); err != nil || out.Confirm != "" || out.Receipt.ID != "" {
		t.Errorf("again: %+v, %v; want nothing to erase", out, err)
	}
}

func TestErase_OfASourceTakesWhatOnlyCopiesHold(t *testing.T) {
	h := wentBack(t)
	h.eraseNow(layers.ForgetInput{SourceID: "tour"})
	if left := holding(t, h.dir, "鹦鹉螺壳", "quibblemorn asleep", "gate is green"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if held := holding(t, h.dir, "holds a quibblemorn"); len(held) == 0 {
		t.Error("another source's record is gone from the copies")
	}
	h.verifyBackups(1)
}

// TestErase_ReachesWhatAnAnswerRepeatedInABackup: a turn that holds a record's value goes
// out of a backup as it does out of the store, also where the store let go of it since.
func TestErase_ReachesWhatAnAnswerRepeatedInABackup(t *testing.T) {
	for _, c := range []struct{ said, answer, word string }{
		{"Remember that my dog is called Wobblethorpe.", "Noted: WOBBLETHORPE!", "obblethorpe"},
		{"记住，我的狗叫旺仔牛轧。", "好的，旺仔牛轧！", "旺仔牛轧"},
	} {
		h := openUnsynced(t)
		in := turns(c.said, c.answer)
		in[1].Role = "assistant"
		stored := h.extracts(layers.ExtractInput{SessionID: "s", Messages: in, Flush: true})
		h.backup("b")
		for i := range 30 { // out of working memory
			h.extracts(layers.ExtractInput{SessionID: "s", Messages: turns(fmt.Sprintf("What is %d plus %d?", i, i)), Flush: true})
		}
		var ids []string
		for _, l := range stored.Layers {
			ids = append(ids, l.Memories...)
		}
		h.eraseNow(layers.ForgetInput{IDs: ids})
		if left := holding(t, h.dir, c.word, "WOBBLETHORPE"); len(left) > 0 {
			t.Errorf("%s: left %v", c.said, left)
		}
		h.verifyBackups(1)
	}
}

// backup makes one in the data directory's own folder.
func (h *home) backup(name string) string {
	h.t.Helper()
	path := filepath.Join(h.dir, "backups", name+".mcpmem")
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		_, _, err = bunt.Backup(h.t.Context(), bunt.Options{Dir: h.dir, Sync: unsynced}, path)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return path
}

// verifyBackups fails the test unless there are n backups in the data directory's own
// folder, all whole.
func (h *home) verifyBackups(n int) {
	h.t.Helper()
	paths, err := filepath.Glob(filepath.Join(h.dir, "backups", "*.mcpmem"))
	if err != nil || len(paths) != n {
		h.t.Fatalf("backups %v, %v; want %d", paths, err, n)
	}
	for _, path := range paths {
		if _, err := bunt.Verify(h.t.Context(), path); err != nil {
			h.t.Errorf("backup: %v", err)
		}
	}
}

// TestErase_NamesStandForAValue: a record of free text has no value that tells of the
// turns that repeat it; its names do, where no other record holds them.
func TestErase_NamesStandForAValue(t *testing.T) {
	for _, c := range []struct{ said, word string }{
		{"Merk dir: ich heiße Grünspahn.", "Grünspahn"},
		{"Souviens-toi que je m'appelle Ézéchiel.", "Ézéchiel"},
		{"Запомни: меня зовут Евпраксий.", "Евпраксий"},
		{"My goal is to run the Bialowieza marathon in 2027. Remember that.", "Bialowieza"},
	} {
		h := openUnsynced(t)
		in := turns(c.said, "Noted: "+c.word+"!", "Is "+strings.ToUpper(c.word)+" hard to spell?", "The weather is fine.")
		in[1].Role = "assistant"
		stored := h.extracts(layers.ExtractInput{SourceID: "chat", SessionID: "s", Messages: in, Flush: true})
		h.backup("b")
		var ids []string
		for _, l := range stored.Layers {
			ids = append(ids, l.Memories...)
		}
		h.eraseNow(layers.ForgetInput{IDs: ids})
		if left := holding(t, h.dir, c.word, strings.ToUpper(c.word)); len(left) > 0 {
			t.Errorf("%s: left %v", c.said, left)
		}
		if working := h.recalled(layers.RecallInput{SessionID: "s"}).Working; len(working) != 1 {
			t.Errorf("%s: %+v; want the turn that tells nothing", c.said, working)
		}
	}
	h := openUnsynced(t)
	h.say(layers.Memorandum{Text: "Grünspahn likes olives."})
	gone := h.say(layers.Memorandum{Text: "We saw Grünspahn in the yard.", SessionID: "s", Tier: "episodic"})
	h.extracts(layers.ExtractInput{SessionID: "s", Messages: turns("Is Grünspahn well?"), Flush: true})
	h.eraseNow(layers.ForgetInput{IDs: []string{gone.ID}})
	if working := h.recalled(layers.RecallInput{SessionID: "s"}).Working; len(working) != 1 {
		t.Errorf("%+v; want the turn about whom another record tells", working)
	}
}
