package conversation

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseTranscript_ReadsWhatIsSaved(t *testing.T) {
	at := time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC)
	two := []Turn{{ID: "1", Role: User, Name: "Ana", Content: "I play the violin.", Time: at}, {Role: Assistant, Content: "Since when?"}}
	chat := func(first, second string) []Turn {
		return []Turn{{ID: first, Role: User, Name: "Ana", Content: "I play the violin.", Time: at}, {ID: second, Role: User, Name: "Bo", Content: "Since when?"}}
	}
	const first = `{"id":"1","role":"user","name":"Ana","content":"I play the violin.","time":"2026-05-04T09:30:00Z"}`
	for name, tt := range map[string]struct {
		raw  string
		want []Turn
	}{
		"a list":           {`[` + first + `,{"role":"assistant","content":[{"type":"text","text":"Since when?"}]}]`, two},
		"under messages":   {`{"model":"m","messages":[` + first + `,{"role":"assistant","content":"Since when?"}]}`, two},
		"a message a line": {first + "\n\n" + `{"role":"assistant","content":"Since when?"}` + "\n", two},
		"a program's log": {`{"type":"summary","summary":"Music"}
{"uuid":"1","type":"user","timestamp":"2026-05-04T09:30:00Z","message":{"role":"user","name":"Ana","content":"I play the violin."}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"ok"}]}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"thinking","thinking":"…"},{"type":"text","text":"Since when?"}]}}`, two},
		"an export":     {`[{"uuid":"1","sender":"human","name":"Ana","text":"I play the violin.","created_at":"2026-05-04T09:30:00Z"},{"sender":"assistant","text":"Since when?"}]`, two},
		"lines by name": {"Ana: I play the violin.\nAssistant: Since when?", []Turn{{Role: User, Name: "Ana", Content: "I play the violin."}, {Role: Assistant, Content: "Since when?"}}},
		"a text":        {"\ufeffI play the violin.", []Turn{{Role: User, Content: "I play the violin."}}},
		"Telegram": {`{"name":"Ana","messages":[{"id":1,"type":"message","date":"2026-05-04T09:30:00","from":"Ana","from_id":"user1","text":["I play the ",{"type":"bold","text":"violin"},"."]},` +
			`{"id":2,"type":"service","action":"phone_call","from":"Ana","text":""},{"id":3,"type":"message","from":"Bo","text":"Since when?"}]}`, chat("1", "3")},
		"Messenger": {`{"participants":[],"messages":[{"sender_name":"Bo","timestamp_ms":1777887060000,"content":"Since when?"},{"sender_name":"Ana","timestamp_ms":1777887000000,"content":"I play the violin."}]}`,
			[]Turn{{Role: User, Name: "Ana", Content: "I play the violin.", Time: at}, {Role: User, Name: "Bo", Content: "Since when?", Time: at.Add(time.Minute)}}},
		"Discord": {`{"guild":{},"messages":[{"id":"1","timestamp":"2026-05-04T09:30:00Z","content":"I play the violin.","author":{"name":"ana1","nickname":"Ana"}},{"id":"2","content":"hello","author":{"name":"Bot","isBot":true}},` +
			`{"id":"3","content":"Since when?","author":{"name":"Bo"}}]}`, []Turn{chat("1", "3")[0], {ID: "2", Role: Tool, Content: "hello"}, chat("1", "3")[1]}},
		"Slack": {`[{"type":"message","user":"U1","user_profile":{"real_name":"Ana"},"text":"I play the violin.","ts":"1777887000.000100"},{"type":"message","subtype":"channel_join","user":"U2","text":"joined"},` +
			`{"type":"message","user":"U2","user_profile":{"real_name":"Bo"},"text":"Since when?"}]`, chat("", "")},
		"my own": {`[{"is_from_me":1,"text":"I play the violin.","date":1777887000},{"sender":"Bo","is_from_me":0,"text":"Since when?"}]`,
			[]Turn{{Role: User, Content: "I play the violin.", Time: at}, {Role: User, Name: "Bo", Content: "Since when?"}}},
		"ChatGPT": {`[{"title":"Music","create_time":1777887000.5,"current_node":"c","mapping":{"r":{"id":"r","message":null,"parent":null,"children":["a"]},` +
			`"a":{"message":{"id":"1","author":{"role":"user","name":"Ana"},"create_time":1777887000.0,"content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer"},"I play the violin."]}},"parent":"r","children":["b","c"]},` +
			`"b":{"message":{"id":"x","author":{"role":"assistant"},"content":{"content_type":"text","parts":["A branch that was left."]}},"parent":"a","children":[]},` +
			`"c":{"message":{"author":{"role":"assistant"},"create_time":null,"content":{"content_type":"text","parts":["Since when?"]}},"parent":"a","children":[]}}}]`, two},
		"ChatGPT, one conversation without its last": {`{"title":"Music","mapping":{"r":{"children":["a"]},"a":{"message":{"id":"1","author":{"role":"user","name":"Ana"},"create_time":1777887000,"content":{"parts":["I play the violin."]}},"parent":"r","children":["c"]},` +
			`"c":{"message":{"author":{"role":"assistant"},"content":{"parts":["Since when?"]}},"parent":"a"}}}`, two},
		"Claude": {`[{"uuid":"u","name":"Music","chat_messages":[{"uuid":"1","sender":"human","name":"Ana","text":"I play the violin.","content":[],"created_at":"2026-05-04T09:30:00Z"},{"sender":"assistant","text":"","content":[{"type":"text","text":"Since when?"},{"type":"widget","x":1}]}]}]`, two},
		"odd messages": {`[null,{"id":1,"role":"user","name":"Ana","content":null,"text":"I play the violin.","timestamp":1777887000000},{"role":"developer","content":[]},{"role":"assistant","content":[{"type":"newer","of":5},{"type":"text","text":"Since when?"},7],"time":null},` +
			`{"role":"user","content":{"type":"newer"}}]`, two},
		"letters": {`[{"sender_name":"Zo\u00c3\u00ab","content":"caf\u00c3\u00a9"}]`, []Turn{{Role: User, Name: "Zoë", Content: "café"}}},
	} {
		got, err := ParseTranscript([]byte(tt.raw), time.UTC)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestParseTranscript_SaysWhatIsWrong(t *testing.T) {
	for name, tt := range map[string]struct{ raw, want string }{
		"nothing":         {" \n", "no messages"},
		"an empty list":   {"[]", "no messages"},
		"no text":         {"\xff\xfe", "UTF-8"},
		"a broken line":   {`{"role":"user","content":"hello"}` + "\n" + `{"role":"us`, "line 2: it is no JSON object"},
		"an unknown role": {`[{"role":"narrator","content":"once"}]`, `message 1: role "narrator"`},
		"no role":         {`[{"content":"once"}]`, "message 1: it has no role"},
		"a time":          {`{"role":"user","content":"hello","time":"noon"}`, `line 1: time "noon" is not RFC 3339`},
		"content":         {`[{"role":"user","content":5}]`, "message 1: read content"},
		"a kind":          {`[{"role":5}]`, "role is a number"},
		"a time of 1970":  {`[{"title":"x","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["hi"]},"create_time":"soon"}}}}]`, `conversation 1: message "a": time "soon"`},
		"its own parent":  {`{"mapping":{"a":{"parent":"b","children":["b"]},"b":{"parent":"a","children":["a"]}},"current_node":"a"}`, "no messages"},
		"another object":  {`{"conversations":[]}`, "no messages"},
	} {
		if got, err := ParseTranscript([]byte(tt.raw), time.UTC); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, %v; want an error with %q", name, got, err, tt.want)
		}
	}
	if _, err := ParseTranscript(nil, time.UTC); !errors.Is(err, ErrNoMessages) {
		t.Errorf("nothing at all: %v", err)
	}
}

// What is no conversation stays text; what is one and cannot be read is told.
func TestIsSaved(t *testing.T) {
	for raw, want := range map[string]bool{
		`[{"role":"narrator","content":"once"}]`: true, `[{"role":"user","content":5}]`: true, `{"messages":[{"x":1}]}`: true, "{\"role\":\"user\",\"content\":\"a\"}\n{": true,
		`[{"title":"x","mapping":{"a":5}}]`: true, `[{"chat_messages":[]}]`: true,
		`{"role":"admin","port":80}`: false, `[1,2]`: false, `{"messages":"none"}`: false, `{"name":"x","text":"y"}`: false, `[draft] I like tea.`: false, `{`: false, ``: false, `{"mapping":[]}`: false,
	} {
		if got := IsSaved(raw); got != want {
			t.Errorf("%s: %t", raw, got)
		}
	}
}

func FuzzParseTranscript(f *testing.F) {
	for _, seed := range []string{
		`[{"role":"user","content":"hello"}]`, `{"messages":[{"role":"user","content":["a",{"type":"text","text":"b"}]}]}`,
		"{\"role\":\"user\",\"content\":\"hello\"}\n{\"type\":\"summary\"}\n{\"message\":{\"role\":\"assistant\",\"content\":\"yes\"}}",
		`[{"sender_name":"Ana","timestamp_ms":1777887000000,"content":"hello"},{"from":{"name":"Bo"},"text":["a",{"text":"b"}],"ts":"1e9"}]`,
		"Ana\n10:02 AM\nhello\nBo\n10:03 AM\nhello", "2024/03/05\n10:01\tAna\thello\n10:02\tBo\thello", "[Ana] [10:01] hello\n<Bo> hello\nMar 5, 2024 10:02 Cy\nhello",
		"Ana: hello\nBo: hello", "[", "{", "\xff",
		`[{"mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["hi"]},"create_time":1.7e9},"parent":"b"},"b":{"children":["a"],"parent":"a"}},"current_node":"a"}]`,
		`{"conversations":[{"chat_messages":[null,{"sender":"human","content":null,"text":"hi","created_at":5}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		turns, err := ParseTranscript(raw, time.UTC)
		if err != nil {
			return
		}
		if len(turns) == 0 {
			t.Error("neither turns nor an error")
		}
		for _, turn := range turns {
			if turn.Role != User && turn.Role != Assistant && turn.Role != System && turn.Role != Tool {
				t.Errorf("role %q", turn.Role)
			}
		}
	})
}
