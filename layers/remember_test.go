package layers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers"
	"mcp-memory/storage"
)

func ptr[T any](v T) *T { return &v }

func TestRemember_RefusesWhatIsWrongAndStoresNothing(t *testing.T) {
	ok := layers.Memorandum{Text: "The gate is green."}
	with := func(change func(*layers.Memorandum)) layers.Memorandum {
		m := ok
		change(&m)
		return m
	}
	long := strings.Repeat("x", 10_000)
	var deep any = "x"
	for range 40 {
		deep = []any{deep}
	}
	nested, err := json.Marshal(map[string]any{"a": deep})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		in    layers.Memorandum
		field string
		says  string
	}{
		"blank text":               {with(func(m *layers.Memorandum) { m.Text = " \n\t " }), "text", "blank"},
		"zero-width text":          {with(func(m *layers.Memorandum) { m.Text = "\u200b\ufeff" }), "text", "blank"},
		"text of 17 KiB":           {with(func(m *layers.Memorandum) { m.Text = strings.Repeat("x", 17<<10) }), "text", "16,384"},
		"NUL in text":              {with(func(m *layers.Memorandum) { m.Text = "a\x00b" }), "text", "NUL"},
		"invalid UTF-8":            {with(func(m *layers.Memorandum) { m.Text = "a\xffb" }), "text", "UTF-8"},
		"unknown layer":            {with(func(m *layers.Memorandum) { m.Layer = "memory" }), "layer", "preference"},
		"unknown tier":             {with(func(m *layers.Memorandum) { m.Tier = "long" }), "tier", "episodic"},
		"working tier":             {with(func(m *layers.Memorandum) { m.Tier = storage.Working }), "session_id", "is missing"},
		"unknown category":         {with(func(m *layers.Memorandum) { m.Category = "thing" }), "category", "goal"},
		"unknown role":             {with(func(m *layers.Memorandum) { m.Role = "human" }), "role", "assistant"},
		"entity of 10 kB":          {with(func(m *layers.Memorandum) { m.Entity, m.Attribute, m.Value = long, "a", "b" }), "entity", "4,096"},
		"attribute without entity": {with(func(m *layers.Memorandum) { m.Attribute, m.Value = "colour", "red" }), "entity", "user"},
		"attribute without value":  {with(func(m *layers.Memorandum) { m.Entity, m.Attribute = "user", "colour" }), "value", "none"},
		"value without attribute":  {with(func(m *layers.Memorandum) { m.Entity, m.Value = "user", "red" }), "attribute", "missing"},
		"episodic with a slot":     {with(func(m *layers.Memorandum) { m.Tier, m.Entity = storage.Episodic, "user" }), "entity", "episodic"},
		"importance 0":             {with(func(m *layers.Memorandum) { m.Importance = ptr(0) }), "importance", "1 to 5"},
		"importance 6":             {with(func(m *layers.Memorandum) { m.Importance = ptr(6) }), "importance", "1 to 5"},
		"confidence 1.1":           {with(func(m *layers.Memorandum) { m.Confidence = ptr(1.1) }), "confidence", "0 to 1"},
		"no date":                  {with(func(m *layers.Memorandum) { m.ObservedAt = "in spring" }), "observed_at", "RFC 3339"},
		"said in the future":       {with(func(m *layers.Memorandum) { m.ObservedAt = "2027-01-01" }), "observed_at", "future"},
		"valid_to first":           {with(func(m *layers.Memorandum) { m.ValidFrom, m.ValidTo = "2024-05-01", "2024-04-01" }), "valid_to", "valid_from"},
		"33 tags":                  {with(func(m *layers.Memorandum) { m.Tags = strings.Split(strings.Repeat("t ", 32)+"t", " ") }), "tags", "32"},
		"tag of 129 bytes":         {with(func(m *layers.Memorandum) { m.Tags = []string{strings.Repeat("t", 129)} }), "tags[0]", "128"},
		"detail is an array":       {with(func(m *layers.Memorandum) { m.Detail = json.RawMessage(`[1]`) }), "detail", "object"},
		"detail too deep":          {with(func(m *layers.Memorandum) { m.Detail = nested }), "detail", "32"},
		"detail strength 2":        {with(func(m *layers.Memorandum) { m.Detail = json.RawMessage(`{"strength":2}`) }), "detail.strength", "0 to 1"},
		"detail starts_at":         {with(func(m *layers.Memorandum) { m.Detail = json.RawMessage(`{"starts_at":"soon"}`) }), "detail.starts_at", "RFC 3339"},
		"detail status": {with(func(m *layers.Memorandum) {
			m.Layer, m.Detail = storage.Activity, json.RawMessage(`{"status":"maybe"}`)
		}), "detail.status", "planned"},
		"detail type": {with(func(m *layers.Memorandum) {
			m.Layer, m.Detail = storage.Identity, json.RawMessage(`{"type":"family"}`)
		}), "detail.type", "demographic"},
		"detail impact in words":     {with(func(m *layers.Memorandum) { m.Detail = json.RawMessage(`{"impact":"high"}`) }), "detail.impact", "0 to 1"},
		"detail impact not a number": {with(func(m *layers.Memorandum) { m.Detail = json.RawMessage(`{"impact":"NaN"}`) }), "detail.impact", "0 to 1"},
		"detail ends before it starts": {with(func(m *layers.Memorandum) {
			m.Detail = json.RawMessage(`{"starts_at":"2024-05-03","ends_at":"2024-05-02"}`)
		}), "detail.ends_at", "starts_at"},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			_, err := h.Remember(t.Context(), user, layers.RememberInput{Batch: true, Memories: []layers.Memorandum{ok, tt.in}})
			bad := (*layers.InvalidError)(nil)
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want an InvalidError", err)
			}
			if bad.Field != "memories[1]."+tt.field || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %q, want memories[1].%s … %s", err, tt.field, tt.says)
			}
			want(t, "stored", h.ask(layers.RecallInput{}))
		})
	}
}

func TestRemember_BatchSeesItself(t *testing.T) {
	h := open(t)
	out, err := h.Remember(t.Context(), user, layers.RememberInput{Batch: true, Memories: []layers.Memorandum{
		slotted("bank", "Alpina", ""), slotted("bank", "Borealia", ""), slotted("bank", "Borealia", ""),
	}})
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := out.Memories[0], out.Memories[1], out.Memories[2]
	want(t, "the second supersedes the first", b.Supersedes, a.ID)
	if c.Status != layers.StatusReinforced || c.ID != b.ID {
		t.Errorf("the third: %s %s, want reinforced %s", c.Status, c.ID, b.ID)
	}
	h.restart()
	want(t, "current", h.slot("bank"), b.ID)
}

func TestRemember_IdempotencyKey(t *testing.T) {
	h := open(t)
	call := layers.RememberInput{IdempotencyKey: strings.Repeat("k", 4096), Memories: []layers.Memorandum{{Text: "Nine barrels came."}}}
	first, err := h.Remember(t.Context(), user, call)
	if err != nil {
		t.Fatal(err)
	}
	h.restart()
	again, err := h.Remember(t.Context(), user, call)
	if err != nil {
		t.Fatal(err)
	}
	if m := again.Memories[0]; m.ID != first.Memories[0].ID || m.Status != layers.StatusDuplicate {
		t.Errorf("again: %+v", m)
	}
	other := call
	other.Memories = []layers.Memorandum{{Text: "Ten barrels came."}}
	if _, err := h.Remember(t.Context(), user, other); err == nil {
		t.Error("the key with other content was taken")
	}
	if _, err := h.Remember(t.Context(), "bob", other); err != nil {
		t.Errorf("another user's key: %v", err)
	}
	h.pass(31 * 24 * time.Hour)
	if _, err := h.Remember(t.Context(), user, other); err != nil {
		t.Errorf("after 30 days: %v", err)
	}
}

// A text whose time is over is not recalled as what holds, and the answer says so.
func TestRemember_TextThatHoldsAtAnotherTime(t *testing.T) {
	h := open(t)
	office := layers.Memorandum{Text: "The office is on Mill Street.", ValidFrom: "2019-01-01", ValidTo: "2020-01-01"}
	over := h.say(office)
	if over.Status != layers.StatusHistory || !strings.Contains(over.Note, "include_superseded") {
		t.Errorf("over: %s, %q; want history and where it is shown", over.Status, over.Note)
	}
	want(t, "now", h.ask(layers.RecallInput{Query: "mill street office"}))
	want(t, "then", h.ask(layers.RecallInput{Query: "mill street office", AsOf: "2019-06-01"}), over.ID)
	if again := h.say(office); again.Status != layers.StatusReinforced || again.ID != over.ID {
		t.Errorf("again: %+v", again)
	}
	soon := h.say(layers.Memorandum{Text: "The office is on Quay Road.", ValidFrom: "2999-01-01"})
	if soon.Status != layers.StatusStored || !strings.Contains(soon.Note, "takes effect at 2999-01-01T00:00:00Z") {
		t.Errorf("soon: %s, %q", soon.Status, soon.Note)
	}
}

// Times of an event without a zone are in the one that its detail names.
func TestRemember_DetailInItsOwnZone(t *testing.T) {
	h := open(t)
	for given, want := range map[string]string{
		`{"starts_at":"2024-05-01T09:00:00","ends_at":"2024-05-01T10:00:00+02:00","timezone":"Asia/Tokyo","impact":"0.5","urgency":null,"participants":["Bo",null],"x":{"y":null}}`: `{"ends_at":"2024-05-01T08:00:00Z","impact":0.5,"participants":["Bo"],"starts_at":"2024-05-01T00:00:00Z","timezone":"Asia/Tokyo","x":{}}`,
		`{"starts_at":"2024-05-01T09:00:00","timezone":"Rome's"}`: `{"starts_at":"2024-05-01T09:00:00Z","timezone":"Rome's"}`,
		`{"starts_at":"2024-05-01T09:00:00","timezone":"Local"}`:  `{"starts_at":"2024-05-01T09:00:00Z","timezone":"Local"}`,
	} {
		id := h.say(layers.Memorandum{Text: "The kiln is fired, " + given, Layer: storage.Activity, Detail: json.RawMessage(given)}).ID
		if got := string(h.answers(layers.RecallInput{IDs: []string{id}}).Matches[0].Detail); got != want {
			t.Errorf("%s is kept as %s, want %s", given, got, want)
		}
	}
}

func TestRemember_OnConflict(t *testing.T) {
	h := open(t)
	teal := h.say(slotted("favourite colour", "teal", ""))
	no := h.say(slotted("favourite colour", "ochre", ""), layers.OnConflictReject)
	if no.Status != layers.StatusRejected || no.ID != "" || !strings.Contains(no.Note, teal.ID) {
		t.Errorf("reject: %+v", no)
	}
	want(t, "after reject", h.slot("favourite colour"), teal.ID)
	plum := h.say(slotted("favourite colour", "plum", ""), layers.OnConflictKeepBoth)
	want(t, "kept both", h.slot("favourite colour"), teal.ID, plum.ID)
	same := h.say(slotted("favourite colour", "Teal", ""), layers.OnConflictReject)
	if same.Status != layers.StatusReinforced || same.ID != teal.ID {
		t.Errorf("the same value is no conflict: %+v", same)
	}
	red := h.say(slotted("favourite colour", "red", ""))
	want(t, "supersedes both", red.Supersedes, teal.ID, plum.ID)
}

// What is derived from a stored record compares as the record itself does: at one
// time and with one confidence, what is recorded last holds, and the answer says so.
func TestRemember_AtOneTimeTheLastRecordedHolds(t *testing.T) {
	for _, confidence := range []float64{0, 0.1, 0.65, 0.8, 0.9, 1} {
		h := open(t)
		said := func(value string) layers.Memorandum {
			m := slotted("seat", value, "2024-01-05T09:00:00Z")
			m.Confidence = &confidence
			return m
		}
		a := h.say(said("window"))
		if no := h.say(said("front"), layers.OnConflictReject); no.Status != layers.StatusRejected {
			t.Errorf("confidence %v, on_conflict reject: %+v", confidence, no)
		}
		b := h.say(said("aisle"))
		want(t, "supersedes", b.Supersedes, a.ID)
		want(t, "current", h.slot("seat"), b.ID)
	}
}

func TestRemember_TextsWithoutSlot(t *testing.T) {
	h := open(t)
	a := h.say(layers.Memorandum{Text: "The bridge is narrow."})
	if again := h.say(layers.Memorandum{Text: "the bridge  is narrow."}); again.Status != layers.StatusReinforced || again.ID != a.ID {
		t.Errorf("a fact said again: %+v", again)
	}
	if other := h.say(layers.Memorandum{Text: "The bridge is narrow.", Project: ptr("p")}); other.Status != layers.StatusStored {
		t.Errorf("in another project: %+v", other)
	}
	if dated := h.say(layers.Memorandum{Text: "The bridge is narrow.", ValidFrom: "2024-01-01"}); dated.Status != layers.StatusStored {
		t.Errorf("of another time: %+v", dated)
	}
	turn := layers.Memorandum{Text: "ok", Tier: storage.Episodic, SessionID: "s"}
	if x, y := h.say(turn), h.say(turn); x.ID == y.ID {
		t.Error("two turns became one record")
	}
	run := layers.Memorandum{Text: "I went for a run.", Layer: storage.Activity}
	if x, y := h.say(run), h.say(run); x.ID == y.ID {
		t.Error("two runs became one record")
	}
}

func TestRemember_SourceSaidBefore(t *testing.T) {
	h := open(t)
	in := layers.Memorandum{Text: "I moved from Oulu to Turku.", SourceID: "m1", Entity: "user", Attribute: "home city", Value: "Turku"}
	a := h.say(in)
	if again := h.say(in); again.Status != layers.StatusDuplicate || again.ID != a.ID {
		t.Errorf("again: %+v", again)
	}
	in.Attribute, in.Value = "previous city", "Oulu"
	if other := h.say(in); other.Status != layers.StatusStored {
		t.Errorf("another slot of the same sentence: %+v", other)
	}
}

func TestRemember_UsersAreApart(t *testing.T) {
	h := open(t)
	mine := h.say(slotted("bank", "Alpina", ""))
	out, err := h.Remember(t.Context(), "bob", layers.RememberInput{Memories: []layers.Memorandum{slotted("bank", "Borealia", "")}})
	if err != nil {
		t.Fatal(err)
	}
	bobs := out.Memories[0]
	if len(bobs.Supersedes) != 0 {
		t.Errorf("bob superseded %v", bobs.Supersedes)
	}
	want(t, "mine", h.ask(layers.RecallInput{Query: "bank"}), mine.ID)
	want(t, "bob's by id", h.ask(layers.RecallInput{IDs: []string{bobs.ID}}))
	if _, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{bobs.ID}}); err == nil {
		t.Error("forgot another user's record")
	}
	if _, err := h.Record(t.Context(), user, bobs.ID); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("another user's record: %v", err)
	}
}

func TestRemember_ClockThatStandsStill(t *testing.T) {
	h := open(t)
	var last string
	for i := range 5 {
		last = h.say(slotted("score", fmt.Sprint(i), "")).ID
		want(t, "current", h.slot("score"), last)
	}
	h.pass(-time.Hour) // the clock was set back
	last = h.say(slotted("score", "9", "")).ID
	want(t, "current", h.slot("score"), last)
	h.restart()
	want(t, "current after restart", h.slot("score"), last)
}
