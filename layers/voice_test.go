package layers_test

import (
	"encoding/json"
	"testing"
	"time"

	"mcp-memory/layers"
)

// as returns the memory as a voice of the test's user has it.
func (h *home) as(v layers.Voice) *layers.Memory {
	h.t.Helper()
	if v.User == "" {
		v.User = user
	}
	m, err := h.For(h.t.Context(), v)
	if err != nil {
		h.t.Fatal(err)
	}
	return m
}

func remember(t *testing.T, m *layers.Memory, of string, in layers.RememberInput) layers.Remembered {
	t.Helper()
	out, err := m.Remember(t.Context(), of, in)
	if err != nil {
		t.Fatal(err)
	}
	return out.Memories[0]
}

func one(in layers.Memorandum) layers.RememberInput {
	return layers.RememberInput{Memories: []layers.Memorandum{in}}
}

// A name that one process brings is the user's for all, in what was remembered
// before too; another user's records are not touched.
func TestFor_ANameIsLearnedForWhatIsThere(t *testing.T) {
	h := open(t)
	lyon := h.say(layers.Memorandum{Text: "Ada lives in Lyon.", Entity: "Ada", Attribute: "home city", Value: "Lyon"})
	gone := h.say(layers.Memorandum{Text: "Ada lives in Nice.", Entity: "Ada", Attribute: "second city", Value: "Nice"})
	h.forget(false, gone.ID)
	bobs := remember(t, h.Memory, "bob", one(layers.Memorandum{Text: "Ada lives in Rome.", Entity: "Ada", Attribute: "home city", Value: "Rome"}))
	want(t, "before", h.slot("home city"))
	named := h.as(layers.Voice{UserName: "Ada, Countess"})
	want(t, "after", h.slot("home city"), lyon.ID)
	oslo := remember(t, named, user, one(layers.Memorandum{Text: "Countess lives in Oslo.", Entity: "Countess", Attribute: "home city", Value: "Oslo"}))
	want(t, "what it supersedes", oslo.Supersedes, lyon.ID)
	want(t, "the slot", h.slot("home city"), oslo.ID)
	want(t, "the forgotten one", h.slot("second city"))
	h.forget(true, gone.ID)
	want(t, "the forgotten one, brought back", h.slot("second city"), gone.ID)
	out, err := h.Recall(t.Context(), "bob", layers.RecallInput{Entity: "user", Attribute: "home city"})
	if err != nil || len(out.Matches) != 0 {
		t.Errorf("bob is Ada: %+v, %v", out.Matches, err)
	}
	out, err = h.Recall(t.Context(), "bob", layers.RecallInput{Entity: "Ada"})
	if err != nil || len(out.Matches) != 1 || out.Matches[0].ID != bobs.ID {
		t.Errorf("bob's Ada: %+v, %v", out.Matches, err)
	}
}

// Vectors stay with their records when a name is learned.
func TestFor_ANameCostsNoVector(t *testing.T) {
	e := newHashed()
	h := embedding(t, e)
	h.remembers("Ada rows on the lake.", "The kiln is cold.")
	h.settled()
	before := h.near("Ada rows on the lake.")
	h.as(layers.Voice{UserName: "Ada"})
	h.settled()
	if after := h.near("Ada rows on the lake."); len(before) == 0 || after["Ada rows on the lake."] != before["Ada rows on the lake."] {
		t.Errorf("near before %v, after %v", before, after)
	}
	if n := e.times("Ada rows on the lake."); n > 2 { // the memory, and the question
		t.Errorf("embedded %d times", n)
	}
	h.remembers("Ada swims.")
	h.settled()
	if h.near("Ada swims.")["Ada swims."] == 0 {
		t.Error("what comes after has no vector")
	}
}

func TestFor_NamesOfOneUserAreNotAnothers(t *testing.T) {
	h := open(t)
	h.opts.UserName, h.opts.Named = "Ada", user
	h.restart()
	lyon := remember(t, h.as(layers.Voice{}), user, one(layers.Memorandum{Text: "Ada lives in Lyon.", Entity: "Ada", Attribute: "home city", Value: "Lyon"}))
	want(t, "the user's", h.slot("home city"), lyon.ID)
	bobs := remember(t, h.as(layers.Voice{User: "bob"}), "bob", one(layers.Memorandum{Text: "Ada lives in Rome.", Entity: "Ada", Attribute: "home city", Value: "Rome"}))
	if bobs.Entity != "Ada" {
		t.Errorf("bob's Ada became %q", bobs.Entity)
	}
}

// What a process has set counts for its calls and for no other's.
func TestFor_ProjectAndZoneAreTheCallers(t *testing.T) {
	h := open(t)
	china, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		t.Fatal(err)
	}
	there := h.as(layers.Voice{Project: "novel", Location: china})
	far := remember(t, there, user, one(layers.Memorandum{Text: "The hero is Mei.", ObservedAt: "2024-05-05"}))
	near := h.say(layers.Memorandum{Text: "The villain is Bo.", ObservedAt: "2024-05-05"})
	for id, said := range map[string]struct{ project, at string }{far.ID: {"novel", "2024-05-04T16:00:00Z"}, near.ID: {"", "2024-05-05T00:00:00Z"}} {
		v, err := h.Record(t.Context(), user, id)
		if err != nil || v.Record.Project != said.project || v.Record.ObservedAt != said.at {
			t.Errorf("%q: project %q, said %s (%v), want %+v", v.Record.Text, v.Record.Project, v.Record.ObservedAt, err, said)
		}
	}
}

func TestStats_SayWhoAsks(t *testing.T) {
	h := open(t)
	own, err := h.as(layers.Voice{}).Stats(t.Context(), user)
	if err != nil || own.Role != layers.RoleOwner {
		t.Errorf("the owner's: %q, %v", own.Role, err)
	}
	other, err := h.as(layers.Voice{Attached: true, Differ: []string{"embedder"}}).Stats(t.Context(), user)
	if err != nil || other.Role != layers.RoleAttached || len(other.Differ) != 1 || other.OwnerPID != own.OwnerPID {
		t.Errorf("another's: %+v, %v", other, err)
	}
}

// The same call again is the same answer, from the next owner too; another call
// with the same words is another call.
func TestCall_IsAnsweredOnceAndForAll(t *testing.T) {
	h := open(t)
	in := one(layers.Memorandum{Text: "We met at noon.", Tier: "episodic", SessionID: "s"})
	in.Call = layers.Call{ID: "link/7", Keep: true}
	first, err := h.Remember(t.Context(), user, in)
	if err != nil {
		t.Fatal(err)
	}
	h.restart()
	for name, call := range map[string]layers.Call{"by another process": in.Call, "by the owner itself": {ID: in.Call.ID}} {
		in.Call = call
		again, err := h.Remember(t.Context(), user, in)
		a, _ := json.Marshal(first)
		if b, _ := json.Marshal(again); err != nil || string(a) != string(b) {
			t.Errorf("%s: %s, %v, want %s", name, b, err, a)
		}
	}
	in.Call.ID = "link/8"
	other := remember(t, h.Memory, user, in)
	want(t, "all", h.ask(layers.RecallInput{Query: "noon"}), first.Memories[0].ID, other.ID)

	// With a key, its own retry is a duplicate and the same call is not.
	in.Call, in.IdempotencyKey = layers.Call{ID: "link/9", Keep: true}, "k"
	keyed := remember(t, h.Memory, user, in)
	if again := remember(t, h.Memory, user, in); again.Status != layers.StatusStored || again.ID != keyed.ID {
		t.Errorf("the same call: %+v", again)
	}
	in.Call.ID = "link/10"
	if again := remember(t, h.Memory, user, in); again.Status != layers.StatusDuplicate || again.ID != keyed.ID {
		t.Errorf("another call with the key: %+v", again)
	}

	forget := layers.ForgetInput{IDs: []string{keyed.ID}, Mode: layers.ModeSoft, Call: layers.Call{ID: "link/11", Keep: true}}
	gone, err := h.Forget(t.Context(), user, forget)
	if err != nil {
		t.Fatal(err)
	}
	h.restart()
	again, err := h.Forget(t.Context(), user, forget)
	a, _ := json.Marshal(gone)
	if b, _ := json.Marshal(again); err != nil || string(a) != string(b) {
		t.Errorf("forget again: %s, %v, want %s", b, err, a)
	}
}

// An extraction that comes again is answered by the job of the first.
func TestCall_AnExtractionIsItsJob(t *testing.T) {
	h := open(t)
	in := layers.ExtractInput{Force: true, Text: "User: My favourite colour is teal. I live in Lyon.", Call: layers.Call{ID: "link/3", Keep: true}}
	first, err := h.Extract(t.Context(), user, in)
	if err != nil || first.Counts.Stored == 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	h.restart()
	again, err := h.Extract(t.Context(), user, in)
	if err != nil || again.JobID != first.JobID || again.Counts != first.Counts {
		t.Errorf("again: job %s, %+v, %v; want job %s, %+v", again.JobID, again.Counts, err, first.JobID, first.Counts)
	}
	in.Call.ID = "link/4"
	if other, err := h.Extract(t.Context(), user, in); err != nil || other.JobID == first.JobID {
		t.Errorf("another call: job %s, %v", other.JobID, err)
	}
}
