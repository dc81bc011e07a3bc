package tools

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeArguments_TakesMessagesAsChatClientsHaveThem(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, tc := range []struct {
		name, in string
		want     arguments
	}{
		{"a call of a tool", `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}],"refusal":null,"annotations":[]}`,
			arguments{"role": "assistant"}},
		{"a tool's answer", `{"role":"tool","tool_call_id":"c","content":"ok"}`, arguments{"role": "tool", "content": "ok"}},
		{"a function's answer", `{"role":"function","name":"f","content":"ok"}`, arguments{"role": "tool", "name": "f", "content": "ok"}},
		{"a developer's instruction", `{"role":"developer","content":"a"}`, arguments{"role": "system", "content": "a"}},
		{"an id that is a number", `{"id":7,"role":"Human","content":"a"}`, arguments{"id": "7", "role": "user", "content": "a"}},
		{"ChatGPT's export", `{"id":"a","author":{"role":"user","name":null,"metadata":{}},"create_time":1709632800.5,"update_time":null,"content":{"content_type":"text","parts":["a"]},"status":"finished_successfully","end_turn":true,"weight":1.0,"metadata":{},"recipient":"all","channel":null}`,
			arguments{"id": "a", "role": "user", "time": "1709632800.5", "content": raw(`{"content_type":"text","parts":["a"]}`)}},
		{"Claude's export", `{"uuid":"q","sender":"human","text":"a","content":[],"created_at":"2024-03-05T10:00:00Z","updated_at":"2024-03-05T10:00:00Z","attachments":[],"files":[]}`,
			arguments{"id": "q", "role": "user", "time": "2024-03-05T10:00:00Z", "content": "a"}},
		{"an answer of Anthropic's", `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1}}`,
			arguments{"id": "msg_1", "role": "assistant", "content": raw(`[{"text":"a","type":"text"}]`)}},
		{"milliseconds", `{"content":"a","timestamp":1709632800000}`, arguments{"content": "a", "time": "1709632800000"}},
		{"its own members count before others'", `{"id":"i","uuid":"u","content":"a","text":"b"}`, arguments{"id": "i", "content": "a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := decodeArguments(schemaOf(t, "extract"), "extract", []byte(`{"messages":[`+tc.in+`]}`))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]arguments{tc.want}, got.objects("messages")); d != "" {
				t.Error(d)
			}
		})
	}
}
