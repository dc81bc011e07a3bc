package layers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-memory/layers"
	"mcp-memory/layers/llm"
	"mcp-memory/storage"
)

// turns are messages of the user, a minute apart, with ids m1, m2 …
func turns(contents ...string) (out []layers.Message) {
	for i, c := range contents {
		raw, err := json.Marshal(c)
		if err != nil {
			panic(err) // a string
		}
		out = append(out, layers.Message{
			ID: fmt.Sprintf("m%d", i+1), Role: "user", Content: raw,
			Time: time.Date(2026, 3, 5, 10, i, 0, 0, time.UTC).Format(time.RFC3339),
		})
	}
	return out
}

func (h *home) extracts(in layers.ExtractInput) layers.ExtractOutput {
	h.t.Helper()
	out, err := h.Extract(h.t.Context(), user, in)
	if err != nil {
		h.t.Fatalf("extract: %v", err)
	}
	return out
}

// texts are those of all that is remembered.
func (h *home) texts() (out []string) {
	h.t.Helper()
	for _, m := range h.recalled(layers.RecallInput{Limit: ptr(100)}).Matches {
		out = append(out, m.Text)
	}
	return out
}

const allergic = "I'm allergic to lanolin."

// What is known ends, or changes, however little the sentence that says so holds by
// itself.
func TestExtract_ChangesWhatIsKnown(t *testing.T) {
	for _, c := range []struct{ known, said, gone string }{
		{"I work at Initech.", "I don't work at Initech any more.", "I work at Initech."},
		{"I like sushi.", "I no longer like sushi.", "I like sushi."},
		{"I prefer coffee.", "I prefer tea now.", "I prefer coffee."},
		{"我吃素。", "我已经不吃素了。", "我吃素。"},
		{"我喜欢喝咖啡。", "我不再喝咖啡了，改喝茶。", "我喜欢喝咖啡。"},
		{"我住在南京。", "我搬到杭州了。", "我住在南京。"},
	} {
		h := open(t)
		h.extracts(layers.ExtractInput{SourceID: "a", Messages: turns(c.known)})
		if !slices.Contains(h.texts(), c.gone) {
			t.Fatalf("%q is not remembered", c.known)
		}
		later := turns(c.said)
		later[0].Time = "2026-03-06T09:00:00Z"
		h.extracts(layers.ExtractInput{SourceID: "b", Messages: later})
		if got := h.texts(); slices.Contains(got, c.gone) {
			t.Errorf("after %q: %q", c.said, got)
		}
	}
}

// What is put right in a later call of the same session, or of the same source, takes
// over; of another's words, another session or something that was not said it does not.
func TestExtract_PutsRightWhatEarlierCallsKept(t *testing.T) {
	session := func(s string) layers.ExtractInput { return layers.ExtractInput{SourceID: "chat", SessionID: s} }
	for name, c := range map[string]struct {
		first, second layers.ExtractInput
		said, put     string
		has, lacks    string
	}{
		"a city":         {session("a"), session("a"), "I live in Lille.", "Sorry, I meant Lyon, not Lille.", "I live in Lyon.", "I live in Lille."},
		"the nearest":    {session("a"), session("a"), "My favourite city is Lille. I live in Lille.", "Sorry, I meant Lyon, not Lille.", "I live in Lyon.", "My favourite city is Lyon."},
		"the last":       {session("a"), session("a"), "Remember that my favourite colour is green.", "Oops, I meant blue.", "My favourite colour is blue.", "My favourite colour is green."},
		"one of many":    {session("a"), session("a"), "我对芒果过敏。", "不对，我是说芝麻，不是芒果。", "我对芝麻过敏。", "我对芒果过敏。"},
		"a liking":       {session("a"), session("a"), "I like sushi.", "Sorry, I meant ramen, not sushi.", "I like ramen.", "I like sushi."},
		"same source":    {layers.ExtractInput{SourceID: "thread"}, layers.ExtractInput{SourceID: "thread"}, "我住在南京。", "说错了，是北京，不是南京。", "我住在北京。", "我住在南京。"},
		"other session":  {session("a"), session("b"), "I live in Lille.", "Sorry, I meant Lyon, not Lille.", "I live in Lille.", "I live in Lyon."},
		"other source":   {layers.ExtractInput{SourceID: "a"}, layers.ExtractInput{SourceID: "b"}, "I live in Lille.", "Sorry, I meant Lyon, not Lille.", "I live in Lille.", "I live in Lyon."},
		"something else": {session("a"), session("a"), "I live in Lille.", "Sorry, I meant Lyon, not Rome.", "I live in Lille.", "I live in Lyon."},
		"two sentences":  {session("a"), session("a"), "I work at Acme.", "No, not Acme. Globex.", "I work at Globex.", "I work at Acme."},
		"half-wide":      {session("a"), session("a"), "我在Acme上班。", "不是Acme,是Globex", "我在Globex上班。", "我在Acme上班。"},
		"scratch that":   {session("a"), session("a"), "I'm allergic to peanuts.", "Scratch that, it's cashews", "I'm allergic to cashews.", "I'm allergic to peanuts."},
		"a typo":         {session("a"), session("a"), "我住在杭州。", "打错了,是苏州", "我住在苏州。", "我住在杭州。"},
		"its date":       {session("a"), session("a"), "I moved to Lille last week.", "Sorry, I meant Lyon, not Lille.", "I moved to Lille last week.", "I moved to Lyon last week."},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			c.first.Messages = turns(c.said)
			c.first.Flush = c.first.SessionID != ""
			h.extracts(c.first)
			later := turns(c.put)
			later[0].ID, later[0].Time = "later", "2026-03-09T09:00:00Z"
			c.second.Messages = later
			dry := c.second
			dry.DryRun = true
			shown := h.extracts(dry)
			out := h.extracts(c.second) // with a session too: what puts something right is an event
			if out.Counts.Unread != 0 {
				t.Errorf("%d turns wait", out.Counts.Unread)
			}
			got := h.texts()
			if !slices.Contains(got, c.has) || slices.Contains(got, c.lacks) {
				t.Errorf("got %q, want %q and not %q", got, c.has, c.lacks)
			}
			dryTexts := fmt.Sprint(shown.Layers)
			if strings.Contains(dryTexts, c.has) != (out.Counts.Stored > 0) {
				t.Errorf("a dry run shows %s, the real one %+v", dryTexts, out.Counts)
			}
		})
	}
}

// A remark that waited puts right what was read before it, though a note came since:
// notes are nobody's words.
func TestExtract_PutsRightPastANote(t *testing.T) {
	h := open(t)
	h.extracts(layers.ExtractInput{SourceID: "chat", SessionID: "a", Messages: turns("Remember that my favourite colour is green."), Flush: true})
	remark := turns("Actually, it's blue.")
	remark[0].ID, remark[0].Time = "later", "2026-03-09T09:00:00Z"
	if out := h.extracts(layers.ExtractInput{SourceID: "chat", SessionID: "a", Messages: remark}); out.Counts.Unread != 1 {
		t.Fatalf("%d turns wait, want the remark", out.Counts.Unread)
	}
	h.say(layers.Memorandum{Text: "step 2 of 3", Tier: storage.Working, SessionID: "a", SourceID: "chat"})
	h.extracts(layers.ExtractInput{SourceID: "chat", SessionID: "a", Flush: true})
	if got := h.texts(); !slices.Contains(got, "My favourite colour is blue.") || slices.Contains(got, "My favourite colour is green.") {
		t.Errorf("got %q", got)
	}
}

// A correction in a source is of what was said last, by the turns' times: what was
// said first may have been sent last.
func TestExtract_PutsRightWhatWasSaidLast(t *testing.T) {
	h := open(t)
	send := func(id, at, words string) {
		one := turns(words)
		one[0].ID, one[0].Time = id, at
		h.extracts(layers.ExtractInput{SourceID: "thread", Messages: one})
	}
	send("b", "2026-03-05T10:00:00Z", "I live in Lille.")
	send("a", "2026-03-04T10:00:00Z", "I was born in Lille.")
	send("c", "2026-03-06T10:00:00Z", "Sorry, I meant Lyon, not Lille.")
	if got := h.texts(); !slices.Contains(got, "I live in Lyon.") || !slices.Contains(got, "I was born in Lille.") {
		t.Errorf("got %q", got)
	}
}

// A conversation that comes again with one more turn is read on from where it was: the
// turn may answer, or put right, what was read before.
func TestExtract_ReadsOnAConversationThatComesAgain(t *testing.T) {
	for name, c := range map[string]struct {
		roles, words []string
		has, lacks   string
	}{
		"a correction":      {[]string{"user", "user"}, []string{"I live in Lille.", "Sorry, I meant Lyon."}, "I live in Lyon.", "I live in Lille."},
		"an answer":         {[]string{"assistant", "user"}, []string{"Where do you live?", "Lyon"}, "I live in Lyon", "Lyon"},
		"of something else": {[]string{"user", "user", "user"}, []string{"I live in Lille.", "Seen Alien?", "Sorry, I meant Aliens."}, "I live in Lille.", "I live in Aliens."},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			all := turns(c.words...)
			for i, role := range c.roles {
				all[i].Role = role
				h.extracts(layers.ExtractInput{SourceID: "thread", Messages: all[:i+1]})
			}
			if got := h.texts(); !slices.Contains(got, c.has) || slices.Contains(got, c.lacks) {
				t.Errorf("got %q, want %q and not %q", got, c.has, c.lacks)
			}
		})
	}
}

// Who forgot what he said wrong does not get it back right.
func TestExtract_PutsNothingRightThatWasForgotten(t *testing.T) {
	h := open(t)
	h.extracts(layers.ExtractInput{SessionID: "a", Flush: true, Messages: turns("I live in Lille.")})
	if _, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{h.recalled(layers.RecallInput{Limit: ptr(1)}).Matches[0].ID}}); err != nil {
		t.Fatal(err)
	}
	later := turns("", "Sorry, I meant Lyon, not Lille.")[1:]
	h.extracts(layers.ExtractInput{SessionID: "a", Flush: true, Messages: later})
	if got := h.texts(); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

// Exports of chats as text: what their people say is theirs, said when the line says.
func TestExtract_ChatExports(t *testing.T) {
	for name, text := range map[string]string{
		"WhatsApp": "[2024/02/29, 22:15:02] Priya: I ran my first marathon yesterday.\n[2024/02/29, 22:16:40] Jonas: I live in Aalborg.",
		"Slack":    "Priya  2024-02-29 10:15 PM\nI ran my first marathon yesterday.\nJonas  2024-02-29 10:16 PM\nI live in Aalborg.",
		"JSON":     `[{"role":"user","name":"Priya","content":"I ran my first marathon yesterday.","time":"2024-02-29T22:15:02Z"},{"role":"user","name":"Jonas","content":[{"type":"text","text":"I live in Aalborg."}]}]`,
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			h.extracts(layers.ExtractInput{Text: text, SourceID: "export"})
			matches := h.recalled(layers.RecallInput{Limit: ptr(10)}).Matches
			for _, want := range []struct{ speaker, words, at string }{{"Priya", "marathon", "2024-02-28"}, {"Jonas", "Aalborg", ""}} {
				if !slices.ContainsFunc(matches, func(m layers.Match) bool {
					return m.Source.Speaker == want.speaker && m.Trust == "third_party" && strings.Contains(m.Text, want.words) && strings.Contains(string(m.Detail), want.at)
				}) {
					t.Errorf("nothing of %s about %s: %+v", want.speaker, want.words, matches)
				}
			}
		})
	}
}

// Of every turn there is a record, or a reason why there is none.
func TestExtract_EveryTurnOrAReason(t *testing.T) {
	h := open(t)
	said := []string{"Hello!", allergic, "I always start meetings with a short agenda.", "How tall is K2?", "Olen sairaanhoitaja ja asun Turussa.", "Just so you know, I'm a night owl."}
	out := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(said...)})
	for _, s := range said {
		kept := slices.Contains(h.texts(), s)
		dropped := slices.ContainsFunc(out.Dropped, func(d layers.Dropped) bool { return d.Text == s && d.Reason != "" })
		if kept == dropped {
			t.Errorf("%q: kept %v, dropped with a reason %v", s, kept, dropped)
		}
	}
	if out.Counts.Dropped != len(out.Dropped) {
		t.Errorf("counts %+v, dropped %+v", out.Counts, out.Dropped)
	}
}

func TestExtract_KeepsWhatIsStatedAndSaysWhy(t *testing.T) {
	h := open(t)
	out := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns("Hello!", allergic, "What is the capital of Peru?")})
	if out.Status != layers.JobComplete || out.Gate.Mode != layers.GateRules || out.Counts.Stored != 1 || out.Counts.GateCalls != 1 || out.Counts.ModelCalls != 0 {
		t.Fatalf("status %s, gate %s, counts %+v", out.Status, out.Gate.Mode, out.Counts)
	}
	for layer, v := range out.Gate.Layers {
		if v.Reasoning == "" {
			t.Errorf("%s has a verdict without a reason", layer)
		}
	}
	if len(out.Dropped) != 2 {
		t.Errorf("dropped %+v, want the greeting and the question", out.Dropped)
	}
	m := h.recalled(layers.RecallInput{Query: "lanolin"}).Matches[0]
	if m.Trust != string(storage.UserStated) || m.Source.ID != "s" || m.ObservedAt != "2026-03-05T10:01:00Z" || m.Attribute != "allergies" {
		t.Errorf("match %+v", m)
	}
}

func TestExtract_TheLogCountsWhatTheAnswerCounts(t *testing.T) {
	h := open(t)
	var log strings.Builder
	h.stop()
	h.opts.Log = slog.New(slog.NewTextHandler(&log, nil))
	h.start()
	out := h.extracts(layers.ExtractInput{Messages: turns("Hello!", allergic)})
	h.stop()
	if want := fmt.Sprintf("stored=1 dropped=%d ", len(out.Dropped)); len(out.Dropped) == 0 || !strings.Contains(log.String(), want) {
		t.Errorf("dropped %+v, want %q in the log:\n%s", out.Dropped, want, log.String())
	}
}

func TestExtract_TheSameMessageTwiceAddsNothing(t *testing.T) {
	h := open(t)
	in := layers.ExtractInput{SourceID: "s", Messages: turns(allergic)}
	h.extracts(in)
	h.restart()
	out := h.extracts(in)
	if out.Counts.Stored != 0 || out.Counts.Reinforced != 0 || len(h.texts()) != 1 {
		t.Errorf("counts %+v, %v remembered", out.Counts, h.texts())
	}
	if why := out.Gate.Layers["identity"].Reasoning; !strings.Contains(why, "read before") {
		t.Errorf("nothing was extracted for the reason %q", why)
	}
	in.Messages = append(turns(allergic), turns("", "I live in Utrecht.")[1])
	if out := h.extracts(in); out.Counts.Stored != 1 || len(h.texts()) != 2 {
		t.Errorf("one message more: counts %+v, %v remembered", out.Counts, h.texts())
	}
}

// Clients number the messages of each conversation from one. Where they name no
// source, a number alone does not say that a message was read before.
func TestExtract_IDsOfUnnamedSourcesDoNotCollide(t *testing.T) {
	h := open(t)
	h.extracts(layers.ExtractInput{Messages: turns(allergic)})
	if out := h.extracts(layers.ExtractInput{Messages: turns("I live in Utrecht.")}); out.Counts.Stored != 1 {
		t.Errorf("another conversation's m1: counts %+v, dropped %+v", out.Counts, out.Dropped)
	}
	if out := h.extracts(layers.ExtractInput{Messages: turns(allergic)}); out.Counts.Stored != 0 || out.Counts.Reinforced != 0 {
		t.Errorf("the first one again: counts %+v", out.Counts)
	}
}

// A message without a time gets that of its receipt, by which it is not known
// again: the same words are the same message, whenever they come.
func TestExtract_TheSameMessageWithoutATimeAddsNothing(t *testing.T) {
	h := open(t)
	in := layers.ExtractInput{Messages: turns(allergic)}
	in.Messages[0].Time, in.Messages[0].ID = "", ""
	h.extracts(in)
	h.pass(time.Hour)
	if out := h.extracts(in); out.Counts.Stored != 0 || out.Counts.Reinforced != 0 {
		t.Errorf("an hour later: counts %+v", out.Counts)
	}
}

// What was said after now was not said: the call is refused before anything counts as
// read, since nothing would be learned of it and the same message not be read again.
func TestExtract_RefusesWhatIsSaidInTheFuture(t *testing.T) {
	h := open(t)
	late := layers.ExtractInput{Messages: turns("Hello!", allergic), SourceID: "s"}
	for at, field := range map[string]string{"2999-01-01T00:00:00Z": "messages[1].time", "4102444000": "messages[1].time"} {
		late.Messages[1].Time = at
		var bad *layers.InvalidError
		if _, err := h.Extract(t.Context(), user, late); !errors.As(err, &bad) || bad.Field != field {
			t.Errorf("%s: %v; want an error about %s", at, err, field)
		}
	}
	var bad *layers.InvalidError
	if _, err := h.Extract(t.Context(), user, layers.ExtractInput{Text: allergic, ObservedAt: "2999-01-01T00:00:00Z"}); !errors.As(err, &bad) || bad.Field != "observed_at" {
		t.Errorf("%v; want an error about observed_at", err)
	}
	late.Messages[1].Time = turns("", "")[1].Time
	if out := h.extracts(late); out.Counts.Stored != 1 {
		t.Errorf("the same messages at their right time: counts %+v", out.Counts)
	}
	out := h.extracts(layers.ExtractInput{Text: "[01.02.2999, 10:00] Ada: I live in Ghent.\n[01.02.2999, 10:01] Bo: I live in Turin.", SourceID: "t"})
	if out.Counts.Stored != 2 {
		t.Errorf("a text whose lines are of the future: counts %+v, dropped %+v", out.Counts, out.Dropped)
	}
}

// Where no turn is passed on the gate is not asked, and every turn has its reason, also
// one that is not the user's.
func TestExtract_SaysWhyNothingIsPassedOn(t *testing.T) {
	h := open(t)
	from := func(role, content string) layers.Message {
		return layers.Message{Role: role, Content: json.RawMessage(strconv.Quote(content))}
	}
	for _, tt := range []struct {
		in    []layers.Message
		drops []string
		gate  string
	}{
		{[]layers.Message{from("assistant", "You live in Porto.")}, []string{"said by the assistant"}, "dropped says why"},
		{[]layers.Message{from("system", "Be short."), from("tool", "I live in Porto."), from("user", "Thanks!")}, []string{"a courtesy", "said by the system", "said by the tool"}, "dropped says why"},
		{[]layers.Message{from("user", "")}, nil, "no message holds text"},
		{[]layers.Message{from("assistant", "Where do you live?"), from("user", "I live in Porto.")}, nil, "likely identity"},
	} {
		out := h.extracts(layers.ExtractInput{Messages: tt.in})
		var drops []string
		for _, d := range out.Dropped {
			drops = append(drops, d.Reason)
		}
		slices.Sort(drops)
		if !slices.Equal(drops, tt.drops) || out.Counts.Dropped != len(drops) || !strings.Contains(out.Gate.Layers["identity"].Reasoning, tt.gate) {
			t.Errorf("%s: dropped %q, gate %+v; want %q, %q", tt.in[0].Content, drops, out.Gate, tt.drops, tt.gate)
		}
	}
}

func TestExtract_AFlushOfNothingSaysSo(t *testing.T) {
	out := open(t).extracts(layers.ExtractInput{SessionID: "s", Flush: true})
	if why := out.Gate.Layers["identity"].Reasoning; out.Gate.Mode != layers.GateNone || !strings.Contains(why, "no turn of the session waits") {
		t.Errorf("gate %+v", out.Gate)
	}
}

func TestExtract_ForceOpensTheLayersAskedFor(t *testing.T) {
	out := open(t).extracts(layers.ExtractInput{Messages: turns(allergic), Force: true, Layers: []string{"identity"}})
	for layer, v := range out.Gate.Layers {
		if v.ShouldExtract != (layer == "identity") || v.Reasoning == "" {
			t.Errorf("%s: %+v", layer, v)
		}
	}
}

// Nobody can ask for a dry run later, so it is always waited for.
func TestExtract_ADryRunIsWaitedFor(t *testing.T) {
	h := open(t)
	out := h.extracts(layers.ExtractInput{Messages: turns(allergic), DryRun: true, Wait: ptr(false)})
	if out.Status != layers.JobComplete || len(out.Layers["identity"].Memories) != 1 {
		t.Errorf("status %s, layers %+v", out.Status, out.Layers)
	}
}

func TestExtract_ForgottenIsNotLearnedAgainUnlessForced(t *testing.T) {
	h := open(t)
	h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(allergic)})
	id := h.recalled(layers.RecallInput{Query: "lanolin"}).Matches[0].ID
	if _, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{id}}); err != nil {
		t.Fatal(err)
	}
	if out := h.extracts(layers.ExtractInput{SourceID: "another", Messages: turns(allergic)}); out.Counts.Stored != 0 || len(out.Dropped) == 0 {
		t.Errorf("counts %+v, dropped %+v", out.Counts, out.Dropped)
	}
	if out := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(allergic), Force: true}); out.Counts.Stored != 1 || out.Gate.Mode != layers.GateForced {
		t.Errorf("forced: gate %s, counts %+v", out.Gate.Mode, out.Counts)
	}
}

func TestExtract_DryRunStoresNothing(t *testing.T) {
	h := open(t)
	out := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(allergic), DryRun: true})
	if got := out.Layers["identity"].Memories; len(got) != 1 || !strings.Contains(got[0], "lanolin") || len(h.texts()) != 0 {
		t.Errorf("layers %+v, %v remembered", out.Layers, h.texts())
	}
	if len(h.jobs()) != 0 || out.JobID != "" {
		t.Errorf("a dry run left the jobs %v, and named %q", h.jobs(), out.JobID)
	}
}

// A stream waits for an event; nothing that waits is lost over a restart.
func TestExtract_AStreamWaitsForAnEvent(t *testing.T) {
	h := open(t)
	say := func(id, text string, flush bool) layers.ExtractOutput {
		m := turns(text)
		m[0].ID = id
		return h.extracts(layers.ExtractInput{SourceID: "c", SessionID: "live", Messages: m, Flush: flush})
	}
	if out := say("a", "How deep is Lake Baikal?", false); out.Gate.Mode != layers.GateNone || out.Counts.Unread != 1 || out.JobID != "" || out.TraceID != "" {
		t.Fatalf("gate %s, counts %+v, job %q", out.Gate.Mode, out.Counts, out.JobID)
	}
	if s := h.stats(); s.LLM != "off" || s.CallsSaved != 1 {
		t.Errorf("stats say llm %s, %d calls saved, want off and 1", s.LLM, s.CallsSaved)
	}
	if out := say("a", "How deep is Lake Baikal?", false); out.Counts.Unread != 1 {
		t.Errorf("sent again: counts %+v", out.Counts)
	}
	h.restart()
	out := say("b", "Remember that "+strings.ToLower(allergic[:1])+allergic[1:], false)
	if out.Gate.Mode != layers.GateRules || out.Counts.Unread != 0 || out.Counts.Stored != 1 {
		t.Errorf("a telling turn: gate %s, counts %+v", out.Gate.Mode, out.Counts)
	}
	if job, err := h.Job(t.Context(), user, out.JobID); err != nil || job.Output.TraceID != out.TraceID {
		t.Errorf("its job %q: %v, %+v", out.JobID, err, job)
	}
	working := h.recalled(layers.RecallInput{Query: "anything", SessionID: "live"}).Working
	if len(working) != 2 || working[0].Text != "How deep is Lake Baikal?" {
		t.Errorf("working memory %+v", working)
	}
	if out := h.extracts(layers.ExtractInput{SessionID: "live", Flush: true}); out.Status != layers.JobComplete || out.Gate.Mode != layers.GateNone {
		t.Errorf("a flush of nothing: %s, gate %s", out.Status, out.Gate.Mode)
	}
}

func TestExtract_SilenceIsAnEvent(t *testing.T) {
	h := open(t)
	h.opts.Sampling = true
	h.extracts(layers.ExtractInput{SessionID: "live", Messages: turns("My brother Jan moved to Bergen last spring.")})
	h.pass(6 * time.Minute)
	h.restart() // a start looks at once
	for deadline := time.Now().Add(time.Minute); len(h.texts()) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the turn of a silent session was not read")
		}
	}
	if out := h.extracts(layers.ExtractInput{JobID: h.jobs()[0]}); !strings.Contains(out.Gate.Layers["identity"].Reasoning, "by rules: no client waits") {
		t.Errorf("gate %+v", out.Gate)
	}
}

func TestRemember_WorkingNotesBelongToTheirSession(t *testing.T) {
	h := open(t)
	note := func(i int) {
		h.say(layers.Memorandum{Text: fmt.Sprintf("Step %d of the move.", i), Tier: storage.Working, SessionID: "job"})
	}
	note(0)
	h.restart()
	if w := h.recalled(layers.RecallInput{Query: "move", SessionID: "job"}); len(w.Working) != 1 || len(w.Matches) != 0 {
		t.Errorf("working %+v, matches %+v", w.Working, w.Matches)
	}
	if w := h.recalled(layers.RecallInput{Query: "move", SessionID: "other"}); len(w.Working) != 0 {
		t.Errorf("another session has %+v", w.Working)
	}
	for i := 1; i <= 20; i++ {
		note(i)
	}
	w := h.recalled(layers.RecallInput{Query: "move", SessionID: "job"}).Working
	if len(w) != 20 || w[0].Text != "Step 1 of the move." || w[19].Text != "Step 20 of the move." {
		t.Errorf("%d notes, first %q", len(w), w[0].Text)
	}
}

func TestExtract_RefusesWhatIsWrong(t *testing.T) {
	h := open(t)
	for field, in := range map[string]layers.ExtractInput{
		"messages":    {},
		"text":        {Text: "a", Messages: turns("b")},
		"layers[0]":   {Text: "a", Layers: []string{"fact"}},
		"flush":       {Text: "a", Flush: true},
		"session_id":  {Text: "a", Source: "document", SessionID: "s"},
		"observed_at": {Text: "a", ObservedAt: "soon"},
		"job_id":      {JobID: "01UNKNOWN"},
		"source":      {Text: "a", Source: "two words"},
		"language":    {Text: "a", Language: "klingon"},
	} {
		_, err := h.Extract(t.Context(), user, in)
		var wrong *layers.InvalidError
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// layerHeader tells a layer's handler which layer is asked; "layer" is none of them.
const layerHeader = "X-Layer"

// models is a server that answers as gate, and as layer for all else.
func models(t *testing.T, h *home, gate, layer http.HandlerFunc) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Model string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		if body.Model == "gate" {
			gate(w, r)
			return
		}
		r.Header.Set(layerHeader, body.Model)
		layer(w, r)
	}))
	t.Cleanup(srv.Close)
	roles := map[llm.Role]llm.Endpoint{}
	for _, l := range storage.Layers {
		if l != storage.Fact {
			roles[llm.Role(l)] = llm.Endpoint{Model: string(l)}
		}
	}
	m, err := llm.NewModels(llm.Config{
		Default: llm.Endpoint{BaseURL: srv.URL + "/v1", Timeout: time.Minute},
		Gate:    llm.Endpoint{Model: "gate"}, Layers: llm.Endpoint{Model: "layer"}, Roles: roles,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	h.opts.Models = m
	h.restart()
}

// answer writes a chat completion.
func answer(w http.ResponseWriter, content string) {
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{
		"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": content},
	}}})
}

func nothing(w http.ResponseWriter, _ *http.Request) { answer(w, `{"memories":[]}`) }

func TestExtract_AGateThatFailsLetsEveryLayerThrough(t *testing.T) {
	h := open(t)
	var asked atomic.Int64
	models(t, h, func(w http.ResponseWriter, _ *http.Request) { answer(w, "Sure! Here you go.") }, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		nothing(w, r)
	})
	out := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(allergic)})
	if out.Gate.Mode != layers.GateFailedOpen || asked.Load() != 5 || out.Status != layers.JobComplete {
		t.Errorf("gate %s, %d layers asked, %s", out.Gate.Mode, asked.Load(), out.Status)
	}
	if s := h.stats(); s.LLM != "openai" || s.ModelCalls != 7 {
		t.Errorf("stats say llm %s, %d calls of models, want openai and 7", s.LLM, s.ModelCalls)
	}
	job, err := h.Job(t.Context(), user, out.JobID)
	if err != nil || len(job.Calls) != 7 || !slices.ContainsFunc(job.Calls, func(c layers.CallTrace) bool { return c.Role == "gate" && c.Error != "" }) {
		t.Errorf("job %+v, %v: want two calls of the gate and five of layers", job.Calls, err)
	}
}

// Half past midnight in Tokyo: yesterday is the day before there, whether the message,
// the call or, where neither tells an offset, the set zone says so.
func TestExtract_YesterdayIsTheSpeakers(t *testing.T) {
	const at, moment = "2023-06-15T00:30:00+09:00", "1686756600"
	said := func(time string) []layers.Message {
		m := turns("Remember that I passed the driving test yesterday.")
		m[0].Time = time
		return m
	}
	for name, in := range map[string]layers.ExtractInput{
		"offset of the message": {Messages: said(at)},
		"offset of the call":    {Messages: said(""), ObservedAt: at},
		"offset of a text":      {Text: "Remember that I passed the driving test yesterday.", ObservedAt: at},
		"seconds since 1970":    {Messages: said(moment)},
		"milliseconds":          {Messages: said(moment + "000")},
		"no offset":             {Messages: said("2023-06-15T00:30:00")},
	} {
		h := open(t)
		h.opts.Location = time.UTC
		if !strings.HasPrefix(name, "offset") {
			h.opts.Location = time.FixedZone("JST", 9*3600)
		}
		h.restart()
		h.extracts(in)
		out := h.recalled(layers.RecallInput{Query: "driving test"})
		if len(out.Matches) != 1 || !strings.Contains(string(out.Matches[0].Detail), `"starts_at":"2023-06-13T15:00:00Z"`) {
			t.Errorf("%s: %+v", name, out.Matches)
		}
	}
}

// The gate's model and the layers' are told which language memories are written in,
// by its tag, however it was named; else it is that of the talk.
func TestExtract_ModelsAreToldTheLanguage(t *testing.T) {
	for given, want := range map[string]string{"Deutsch": "code de", "繁體中文": "code zh-Hant", "PT_br": "code pt-BR", "": "code en"} {
		h := open(t)
		var mu sync.Mutex
		var prompts []string
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			prompts = append(prompts, string(body))
			mu.Unlock()
			nothing(w, r)
		}))
		t.Cleanup(srv.Close)
		m, err := llm.NewModels(llm.Config{Default: llm.Endpoint{BaseURL: srv.URL + "/v1", Model: "any", Timeout: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Close)
		h.opts.Models = m
		h.restart()
		h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(allergic), Language: given})
		told := 0
		for _, p := range prompts {
			if strings.Contains(p, "the language with the "+want) {
				told++
			}
		}
		if told != len(prompts) || told < 6 {
			t.Errorf("language %q: %d of %d prompts ask for %s", given, told, len(prompts), want)
		}
	}
}

// Saved messages that cannot be read are refused, and not kept as one blob.
func TestExtract_RefusesSavedMessagesThatItCannotRead(t *testing.T) {
	h := open(t)
	for text, want := range map[string]string{
		`[{"role":"narrator","content":"I am allergic to lanolin."}]`:                                      `message 1: role "narrator"`,
		`[{"title":"x","mapping":{"a":{"message":{"author":{"role":"user"},"content":7}}}}]`:               `conversation 1: message "a": read content`,
		`{"messages":[{"role":"user","content":"I am allergic to lanolin.","time":"some day"}]}`:           `message 1: time "some day"`,
		"{\"role\":\"user\",\"content\":\"I am allergic to lanolin.\"}\n{\"role\":\"user\",\"content\":5}": "line 2: read content",
	} {
		_, err := h.Extract(t.Context(), user, layers.ExtractInput{Text: text})
		if err == nil || !strings.Contains(err.Error(), "text: is JSON of saved messages that cannot be read: "+want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	out := h.extracts(layers.ExtractInput{DryRun: true, Text: `[{"title":"x","current_node":"a","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["I'm allergic to lanolin."]},"create_time":1709632860}}}}]`})
	if len(out.Layers["identity"].Memories) != 1 || strings.Contains(out.Layers["identity"].Memories[0], "mapping") {
		t.Errorf("%+v", out)
	}
}

// A model may hand back a secret wherever it writes: it is neither shown nor kept.
func TestExtract_SecretsOfAModelAreTakenOutOfTheJobToo(t *testing.T) {
	const secret = "ghp_Kw8NcYb6HsJd1Fa5GuEo3TiPzZt4Rk9QmX2w"
	h := open(t)
	models(t, h, func(w http.ResponseWriter, _ *http.Request) {
		verdict := `{"should_extract":true,"reasoning":"` + secret + `"}`
		answer(w, fmt.Sprintf(`{"activity":%[1]s,"context":%[1]s,"experience":%[1]s,"identity":%[1]s,"preference":%[1]s}`, verdict))
	}, func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get(layerHeader) {
		case "identity": // dropped: no turn says the year
			answer(w, `{"memories":[{"text":"The user is allergic to the token `+secret+` since 1987."}]}`)
		case "preference": // kept without its quote
			answer(w, `{"memories":[{"text":"The user is allergic to peanuts, and likes `+secret+`.","quote":"I am allergic to all peanuts"}]}`)
		case "context":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"message":"bad token ` + secret + `"}}`))
		default:
			nothing(w, r)
		}
	})
	for _, dry := range []bool{true, false} {
		out := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(allergic), DryRun: dry})
		if len(out.Dropped) != 2 || out.Layers["context"].Error == "" || len(out.Layers["preference"].Memories) != 1 {
			t.Fatalf("dry %t: %+v", dry, out)
		}
		if s := fmt.Sprintf("%+v", out); strings.Contains(s, secret) {
			t.Errorf("dry %t: the answer holds the secret: %s", dry, s)
		}
		if dry {
			continue
		}
		job, err := h.Job(t.Context(), user, out.JobID)
		if s := fmt.Sprintf("%+v", job); err != nil || strings.Contains(s, secret) {
			t.Errorf("the job holds the secret, or %v: %s", err, s)
		}
	}
}

// A job that a stop interrupts goes on after the next start.
func TestExtract_AnInterruptedJobIsResumed(t *testing.T) {
	h := open(t)
	started, hang := make(chan struct{}, 8), make(chan struct{})
	models(t, h, func(w http.ResponseWriter, r *http.Request) {
		started <- struct{}{}
		select {
		case <-hang:
		case <-r.Context().Done():
			return
		}
		verdicts := map[string]any{}
		for _, l := range []string{"activity", "context", "experience", "identity", "preference"} {
			verdicts[l] = map[string]any{"should_extract": false, "reasoning": "no"}
		}
		raw, _ := json.Marshal(verdicts) // strings and booleans
		answer(w, string(raw))
	}, nothing)
	no := false
	out := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(allergic), Wait: &no})
	if out.Status != layers.JobQueued {
		t.Fatalf("status %s", out.Status)
	}
	<-started
	h.stop()
	close(hang)
	h.start()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		got := h.extracts(layers.ExtractInput{JobID: out.JobID})
		if got.Status == layers.JobComplete {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the job is %s", got.Status)
		}
	}
}

// A summary by the model stands in place of the extractive one only if it cites
// what it was given.
func TestRecall_SummaryByTheModelCitesWhatItWasGiven(t *testing.T) {
	h := open(t)
	id := h.say(layers.Memorandum{Text: "The loom is warped with linen."}).ID
	var content atomic.Value
	models(t, h, nothing, func(w http.ResponseWriter, _ *http.Request) { answer(w, content.Load().(string)) })
	ask := func() layers.RecallOutput {
		return h.recalled(layers.RecallInput{Query: "loom", Format: layers.FormatSummary})
	}
	content.Store(`{"sentences":[{"text":"Linen is on the loom.","lines":[1]}]}`)
	if out := ask(); !strings.Contains(out.Context, "Linen is on the loom.") || !strings.Contains(out.Context, id) {
		t.Errorf("context %q", out.Context)
	}
	content.Store(`{"sentences":[{"text":"Silk is on the loom.","lines":[7]}]}`)
	if out := ask(); strings.Contains(out.Context, "Silk") || !strings.Contains(out.Context, "linen") || !strings.Contains(out.Note, "own words") {
		t.Errorf("context %q, note %q", out.Context, out.Note)
	}
}
