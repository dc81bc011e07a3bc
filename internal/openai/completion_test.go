package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"mcp-memory/internal/openai"
)

// Whatever stands beside the text of an answer, and in whatever form a server sends
// the text, it is read.
func TestChat_ReadsAnswersOfManyHands(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want openai.Completion
	}{
		"a time with a fraction":     {`{"id":7,"created":1.5e9,"model":"m","choices":[{"index":"0","message":{"content":"tea"}}]}`, openai.Completion{Text: "tea", Model: "m"}},
		"a bill in words":            {`{"choices":[{"message":{"content":"tea"}}],"usage":{"prompt_tokens":"ten","completion_tokens":2.0}}`, openai.Completion{Text: "tea", Output: 2}},
		"a bill beyond reason":       {`{"choices":[{"message":{"content":"tea"}}],"usage":{"prompt_tokens":-5,"completion_tokens":1e18}}`, openai.Completion{Text: "tea"}},
		"no bill, no name":           {`{"model":null,"choices":[{"message":{"content":"tea"},"finish_reason":null}],"usage":null}`, openai.Completion{Text: "tea"}},
		"a bill that is a list":      {`{"model":[],"choices":[{"message":{"content":"tea"},"finish_reason":3}],"usage":[1]}`, openai.Completion{Text: "tea"}},
		"parts, thoughts among":      {`{"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"text":"hm"}]},{"type":"text","text":"te"},{"type":"text","text":"a"}]}}]}`, openai.Completion{Text: "tea"}},
		"an object":                  {`{"choices":[{"message":{"content":{"memories":[]}}}]}`, openai.Completion{Text: `{"memories":[]}`}},
		"no content":                 {`{"choices":[{"message":{"content":null,"tool_calls":{}}}]}`, openai.Completion{}},
		"thoughts of another kind":   {`{"choices":[{"message":{"content":"tea","reasoning_content":["hm"],"name":4}}]}`, openai.Completion{Text: "tea"}},
		"a mark at the begin":        {"\ufeff" + `{"choices":[{"message":{"content":"tea"}}]}`, openai.Completion{Text: "tea"}},
		"more after the end":         {`{"choices":[{"message":{"content":"tea"}}]}` + "\n{}", openai.Completion{Text: "tea"}},
		"a model's name without end": {`{"model":"` + strings.Repeat("m", 5000) + `","choices":[{"message":{"content":"tea"}}]}`, openai.Completion{Text: "tea", Model: strings.Repeat("m", 200) + "…"}},
		"a refusal":                  {`{"choices":[{"message":{"content":null,"refusal":"no"},"finish_reason":"stop"}]}`, openai.Completion{Refused: true}},
		"a refusal that is none":     {`{"choices":[{"message":{"content":"tea","refusal":false},"finish_reason":"length"}]}`, openai.Completion{Text: "tea", Truncated: true}},
	} {
		client, _ := serve(t, openai.Options{}, func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, c.body) })
		if got, err := client.Chat(t.Context(), tea); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		}
	}
}

func TestEmbeddings_ReadOnlyWhatTheyNeed(t *testing.T) {
	for name, vector := range map[string]any{"base64": packed(1, 2), "numbers": []float64{1, 2}} {
		body := strings.Replace(answer(embedding{0, vector}), `{`, "\ufeff"+`{"id":7,"created":"now","usage":{"prompt_tokens":"ten","total_tokens":1.5},`, 1)
		client, _ := serve(t, openai.Options{}, func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, body) })
		if got, err := client.Embeddings(t.Context(), "e5", []string{"tea"}); err != nil || len(got) != 1 || len(got[0]) != 2 || got[0][1] != 2 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
