package layers_test

import (
	"strings"
	"testing"
	"time"

	"mcp-memory/layers"
	"mcp-memory/storage"
)

func TestParseRetention_ReadsAndRefuses(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "off": "", " off ": "",
		"episodic 365d least important first":                     "episodic 365d least important first at most 100",
		"activity 26w at most 20":                                 "activity 182d oldest first at most 20",
		"semantic 2y oldest first at most 1000":                   "semantic 730d oldest first at most 1000",
		" fact 1d at most 1 least important first ; episodic  1d": "fact 1d least important first at most 1; episodic 1d oldest first at most 100",
	} {
		got, err := layers.ParseRetention(s)
		var words []string
		for _, r := range got {
			words = append(words, r.String())
		}
		if err != nil || strings.Join(words, "; ") != want {
			t.Errorf("%q: %v, %v; want %q", s, words, err, want)
		}
	}
	for s, says := range map[string]string{
		"episodic": "age", ";": "missing", "episodic 365d;": "missing", "working 3d": `"working"`, "episode 3d": "no tier", "episodic 365": "no age",
		"episodic 0d": "no age", "episodic -1d": "no age", "episodic +1d": "no age", "episodic d": "no age", "episodic 1.5y": "no age", "episodic 101y": "no age",
		"episodic 99999999999999999999d": "no age", "episodic 3d first": "not understood", "episodic 3d at most": "not understood",
		"episodic 3d at most 0": "1 to 1000", "episodic 3d at most 1001": "1 to 1000", "episodic 3d at most x": "1 to 1000",
		"episodic 3d oldest first least important first": "not understood", "episodic 3d; episodic 4d": "already", "Episodic 3d": "no tier",
		strings.Repeat("x ", 3): "no tier",
	} {
		if got, err := layers.ParseRetention(s); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, %v; want a complaint with %q", s, got, err, says)
		}
	}
}

// FuzzParseRetention: whatever it takes it writes so that it takes it again, the same.
func FuzzParseRetention(f *testing.F) {
	for _, s := range []string{"off", "episodic 365d least important first", "activity 26w at most 20; fact 1y oldest first", "x y", ";;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rules, err := layers.ParseRetention(s)
		if err != nil {
			return
		}
		for _, r := range rules {
			again, err := layers.ParseRetention(r.String())
			if err != nil || len(again) != 1 || again[0] != r {
				t.Fatalf("%q: %v, %v", r, again, err)
			}
			if r.Age < 24*time.Hour || r.Most < 1 || r.Most > 1000 || (r.Tier == "") == (r.Layer == "") {
				t.Fatalf("%+v", r)
			}
		}
	})
}

func TestRetain_ForgetsTheLeastImportantOfWhatIsOld(t *testing.T) {
	h := openUnsynced(t)
	var err error
	if h.opts.Retention, err = layers.ParseRetention("episodic 30d least important first at most 2"); err != nil {
		t.Fatal(err)
	}
	h.opts.Serving = false // the test says when
	h.restart()
	importance := func(n int) *int { return &n }
	say := func(text string, of int) string {
		return h.say(layers.Memorandum{Text: text, Tier: storage.Episodic, Importance: importance(of)}).ID
	}
	high, low, mid := say("The high tide.", 5), say("The low tide.", 1), say("The mid tide.", 3)
	standing := h.say(layers.Memorandum{Text: "The user's cat is Fern.", Importance: importance(1)}).ID
	h.pass(40 * 24 * time.Hour)
	young := say("The new tide.", 1)
	retain := func() {
		t.Helper()
		if err := h.Retain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	retain()
	want(t, "after a sweep", h.ask(layers.RecallInput{}), high, standing, young)
	receipts, err := h.Receipts(t.Context(), user)
	if err != nil || len(receipts) != 1 || receipts[0].Mode != layers.ModeSoft || !strings.Contains(receipts[0].Reason, "retention: episodic 30d") {
		t.Fatalf("receipts %+v, %v", receipts, err)
	}
	want(t, "the receipt", receipts[0].Records, low, mid)
	h.forget(true, receipts[0].ID)
	retain()
	want(t, "what is brought back counts as new", h.ask(layers.RecallInput{}), low, mid, standing, young)
	h.restart()
	retain()
	want(t, "after a restart", h.ask(layers.RecallInput{}), low, mid, standing, young)
	h.pass(31 * 24 * time.Hour)
	retain()
	want(t, "old again", h.ask(layers.RecallInput{}), mid, standing)
}

func TestRetain_OffByDefaultAndExpiredLeaveByThemselves(t *testing.T) {
	h := openUnsynced(t)
	a := h.say(layers.Memorandum{Text: "The ferry is free until Monday.", ValidTo: "2026-12-07T00:00:00Z"})
	b := h.say(layers.Memorandum{Text: "The ferry is blue.", Tier: storage.Episodic})
	h.pass(3 * 365 * 24 * time.Hour)
	if err := h.Retain(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, "default", h.ask(layers.RecallInput{Query: "ferry"}), b.ID)
	want(t, "with history", h.ask(layers.RecallInput{Query: "ferry", IncludeSuperseded: true}), a.ID, b.ID)
}
