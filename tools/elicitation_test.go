package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers"
	"mcp-memory/tools"
)

// asking is a session with a client whose user can be asked, and which has been told
// of three rafts.
type asking struct {
	*wire
	memory *layers.Memory
	log    bytes.Buffer
	ids    []string
}

// openAsking opens the session of a client with some capabilities.
func openAsking(t *testing.T, capabilities string, wait time.Duration) *asking {
	t.Helper()
	a := &asking{memory: realMemory(t)}
	a.wire = openWire(t, tools.NewServer(tools.Options{Ready: tools.Loaded(a.memory), ElicitationWait: wait, Log: slog.New(slog.NewTextHandler(&a.log, nil))}))
	a.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":` + capabilities + `,"clientInfo":{"name":"t","version":"1"}}}`)
	a.hear()
	for _, text := range []string{"The raft is tied to the pier.", "The raft holds six.", "The raft\nwas built in May."} {
		a.ids = append(a.ids, a.remember(text))
	}
	return a
}

func (a *asking) remember(text string) string {
	a.t.Helper()
	out, err := a.memory.Remember(a.t.Context(), layers.DefaultUser, layers.RememberInput{Memories: []layers.Memorandum{{Text: text}}})
	if err != nil {
		a.t.Fatal(err)
	}
	return out.Memories[0].ID
}

// forgetting is a message of the server while a forget runs: its question, or its answer.
type forgetting struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Message         string
		RequestedSchema json.RawMessage
	}
	Result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent layers.ForgetOutput
	}
}

func (a *asking) next() (f forgetting) {
	a.t.Helper()
	line, err := a.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &f)
	}
	if err != nil {
		a.t.Fatalf("%s: %v", line, err)
	}
	return f
}

// asked begins a forget and returns the question that it leads to.
func (a *asking) asked(args string) forgetting {
	a.t.Helper()
	a.send(toolCall(7, "forget", args))
	q := a.next()
	if q.Method != "elicitation/create" {
		a.t.Fatalf("forget %s: nobody was asked: %+v", args, q)
	}
	return q
}

// answered begins a forget, and answers the question with a result or an error.
func (a *asking) answered(args, answer string) forgetting {
	a.t.Helper()
	q := a.asked(args)
	a.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,` + answer + `}`)
	return a.next()
}

// left counts what is still remembered.
func (a *asking) left() int {
	a.t.Helper()
	out, err := a.memory.Recall(a.t.Context(), layers.DefaultUser, layers.RecallInput{})
	if err != nil {
		a.t.Fatal(err)
	}
	return len(out.Matches)
}

func TestElicitation_AYesRunsTheForget(t *testing.T) {
	for mode, says := range map[string]string{"soft": "Forget 3 memories? This can be undone", "erase": "Erase 3 memories from every file? This cannot be undone."} {
		a := openAsking(t, `{"elicitation":{}}`, time.Hour)
		q := a.asked(`{"query":"raft","mode":"` + mode + `"}`)
		if !strings.HasPrefix(q.Params.Message, says) || !strings.Contains(q.Params.Message, "\n- The raft holds six.") || !strings.Contains(q.Params.Message, "\n- The raft was built in May.") {
			t.Errorf("%s: the question is %q", mode, q.Params.Message)
		}
		if got := string(q.Params.RequestedSchema); got != `{"properties":{},"type":"object"}` {
			t.Errorf("%s: the form is %s", mode, got)
		}
		a.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":{"action":"accept","content":{}}}`)
		out := a.next().Result.StructuredContent
		if out.Forgotten != 3 || out.MatchedCount != 3 || out.Confirm != "" || out.Mode != mode || !out.Receipt.Verified || a.left() != 0 {
			t.Errorf("%s: %+v, %d left", mode, out, a.left())
		}
		if log := a.log.String(); !strings.Contains(log, "records=3") || strings.Contains(log, "raft") {
			t.Errorf("%s: the log is\n%s", mode, log)
		}
	}
}

func TestElicitation_AnythingElseIsTheTokenWay(t *testing.T) {
	for answer, note := range map[string]string{
		`"result":{"action":"decline"}`:                     "said no",
		`"result":{"action":"cancel"}`:                      "gave no answer",
		`"result":{"action":"ACCEPT"}`:                      "gave no answer",
		`"result":{"action":"sink the raft"}`:               "gave no answer",
		`"result":{}`:                                       "gave no answer",
		`"result":[]`:                                       "gave no answer",
		`"error":{"code":-32601,"message":"what of rafts"}`: "gave no answer",
	} {
		a := openAsking(t, `{"elicitation":{"form":{}}}`, time.Hour)
		got := a.answered(`{"query":"raft"}`, answer)
		out := got.Result.StructuredContent
		if out.Forgotten != 0 || out.Confirm == "" || out.MatchedCount != 3 || !strings.Contains(out.Note, note) || a.left() != 3 {
			t.Errorf("%s: %+v, %d left", answer, out, a.left())
		}
		if len(got.Result.Content) != 1 || !strings.Contains(got.Result.Content[0].Text, note) {
			t.Errorf("%s: the text is %+v", answer, got.Result.Content)
		}
		a.send(toolCall(8, "forget", `{"query":"raft","confirm":"`+out.Confirm+`"}`))
		if out := a.next().Result.StructuredContent; out.Forgotten != 3 {
			t.Errorf("%s: the token ran %+v", answer, out)
		}
		if log := a.log.String(); !strings.Contains(log, "answer=") || strings.Contains(log, "raft") {
			t.Errorf("%s: the log is\n%s", answer, log)
		}
	}
}

func TestElicitation_SilenceEndsWithTheWait(t *testing.T) {
	a := openAsking(t, `{"elicitation":{}}`, 20*time.Millisecond)
	q := a.asked(`{"all":true,"mode":"erase"}`)
	if cancelled := a.next(); cancelled.Method != "notifications/cancelled" {
		t.Errorf("after the wait came %+v", cancelled)
	}
	out := a.next().Result.StructuredContent
	if out.Forgotten != 0 || out.Confirm == "" || !strings.Contains(out.Note, "no answer within 20ms") {
		t.Errorf("%+v", out)
	}
	a.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":{"action":"accept","content":{}}}`) // too late
	a.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	if a.next(); a.left() != 3 {
		t.Errorf("%d left", a.left())
	}
	a.send(toolCall(8, "forget", `{"query":"raft"}`)) // it is not asked again so soon
	if got := a.next(); string(got.ID) != "8" || got.Method != "" || got.Result.StructuredContent.Confirm == "" {
		t.Errorf("the next one got %+v", got)
	}
}

// What the user was not shown does not go with what they were.
func TestElicitation_AYesIsToWhatWasShown(t *testing.T) {
	a := openAsking(t, `{"elicitation":{}}`, time.Hour)
	q := a.asked(`{"query":"raft"}`)
	a.remember("The raft has a flag.")
	a.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":{"action":"accept","content":{}}}`)
	if got := a.next(); !got.Result.IsError || !strings.Contains(got.Result.Content[0].Text, "another set of records") || a.left() != 4 {
		t.Errorf("%+v, %d left", got, a.left())
	}
}

func TestElicitation_NobodyIsAskedWithoutNeed(t *testing.T) {
	const narrow = `{"query":"raft"}`
	for name, tc := range map[string]struct{ capabilities, args string }{
		"a client that cannot ask":                {`{}`, narrow},
		"one that asks by opening web pages only": {`{"elicitation":{"url":{}}}`, narrow},
		"a dry run":              {`{"elicitation":{}}`, `{"query":"raft","dry_run":true}`},
		"ids":                    {`{"elicitation":{}}`, `{"ids":["%s"]}`},
		"nothing that matches":   {`{"elicitation":{}}`, `{"query":"zeppelin"}`},
		"a token that is wrong":  {`{"elicitation":{}}`, `{"query":"raft","confirm":"x"}`},
		"a call that is refused": {`{"elicitation":{}}`, `{"querry":"raft"}`},
	} {
		a := openAsking(t, tc.capabilities, time.Hour)
		if strings.Contains(tc.args, "%s") {
			tc.args = fmt.Sprintf(tc.args, a.ids[0])
		}
		a.send(toolCall(7, "forget", tc.args))
		if got := a.next(); string(got.ID) != "7" || got.Method != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	a := openAsking(t, `{}`, time.Hour)
	a.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"forget","arguments":` + narrow + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`)
	if got := a.next(); string(got.ID) != "7" || got.Result.StructuredContent.Confirm == "" {
		t.Errorf("in the new protocol: %+v", got)
	}
}

// A client that ended its input cannot say yes any more; it still gets its answer.
func TestElicitation_AClientThatEndedItsInputIsAnswered(t *testing.T) {
	a := openAsking(t, `{"elicitation":{}}`, time.Hour)
	a.asked(`{"query":"raft"}`)
	if err := a.in.Close(); err != nil {
		t.Fatal(err)
	}
	if out := a.next().Result.StructuredContent; out.Forgotten != 0 || out.Confirm == "" || a.left() != 3 {
		t.Errorf("%+v, %d left", out, a.left())
	}
}
