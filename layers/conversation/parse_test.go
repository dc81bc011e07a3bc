package conversation_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mcp-memory/layers/conversation"
)

func TestParseContent(t *testing.T) {
	for raw, want := range map[string]string{
		`"plain"`: "plain",
		`null`:    "",
		`[]`:      "",
		`[{"type":"text","text":"one"},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"two"}]`: "one\ntwo",
		`[{"type":"input_text","text":"in"},{"type":"output_text","text":"out"}]`:                                  "in\nout",
		`{"content_type":"text","parts":["a","b"]}`:                                                                "a\nb",
		`{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer"},"look"]}`:               "look",
		`["x","y"]`: "x\ny",
		`[{"type":"tool_result","content":"secret"},{"type":"text","text":"t"}]`: "t",
	} {
		got, err := conversation.ParseContent(json.RawMessage(raw))
		if err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", raw, got, err, want)
		}
	}
	for raw, says := range map[string]string{
		`5`:                  "neither a string nor a list",
		`[{"type":"telex"}]`: `type "telex" is unknown`,
		`{"a":1}`:            "without text",
		`[[[[[["deep"]]]]]]`: "deep",
		`[5]`:                "part 0",
	} {
		if _, err := conversation.ParseContent(json.RawMessage(raw)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want an error that says %q", raw, err, says)
		}
	}
}

func TestParseText(t *testing.T) {
	type turn = conversation.Turn
	for text, want := range map[string][]turn{
		"Just a note about tea.":                                    {{Role: "user", Content: "Just a note about tea."}},
		"Remember: milk":                                            {{Role: "user", Content: "Remember: milk"}},
		"Anna: I like tea.\nBen: I don't.\nreally":                  {{Role: "user", Name: "Anna", Content: "I like tea."}, {Role: "user", Name: "Ben", Content: "I don't.\nreally"}},
		"User: hi\nAssistant: hello":                                {{Role: "user", Content: "hi"}, {Role: "assistant", Content: "hello"}},
		"[10:02] Anna: hi\n[10:03] Ben: ho":                         {{Role: "user", Name: "Anna", Content: "hi"}, {Role: "user", Name: "Ben", Content: "ho"}},
		"用户：我住在厦门\n助手：好的":                                           {{Role: "user", Content: "我住在厦门"}, {Role: "assistant", Content: "好的"}},
		"**Human:** hi\n**Claude:** yes":                            {{Role: "user", Content: "hi"}, {Role: "assistant", Content: "yes"}},
		"Dear all,\nNote: the office is closed.\nSubject: holidays": {{Role: "user", Content: "Dear all,\nNote: the office is closed.\nSubject: holidays"}},
		"  ": nil,
	} {
		if got := conversation.ParseText(text); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %+v\nwant %+v", text, got, want)
		}
	}
}
