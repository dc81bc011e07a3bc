package openai

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"
)

// chatAnswer is what is read of an answer to a chat. Only the text must be of its kind:
// a time with a fraction, or a bill in words, does not make it wrong, as it would for
// go-openai.
type chatAnswer struct {
	Model   any
	Choices []struct {
		Message struct {
			Content json.RawMessage
			Refusal any
		}
		FinishReason any `json:"finish_reason"`
	}
	Usage any
}

// completion reads the answer.
func (x *exchange) completion() (Completion, error) {
	var answer chatAnswer
	if err := json.NewDecoder(bytes.NewReader(x.answer)).Decode(&answer); err != nil {
		return Completion{}, x.undecoded(err)
	}
	if len(answer.Choices) == 0 {
		return Completion{}, x.wrong("it holds no choice")
	}
	choice := &answer.Choices[0]
	text, ok := content(choice.Message.Content)
	if !ok {
		return Completion{}, x.wrong("its content is no text")
	}
	finish := goopenai.FinishReason(word(choice.FinishReason))
	return Completion{
		Text:      text,
		Truncated: finish == goopenai.FinishReasonLength,
		Refused:   word(choice.Message.Refusal) != "" || finish == goopenai.FinishReasonContentFilter,
		Model:     cut(oneLine(word(answer.Model)), maxModel),
		Input:     count(answer.Usage, "prompt_tokens"),
		Output:    count(answer.Usage, "completion_tokens"),
	}, nil
}

// maxModel bounds a model's name as a server gives it, in bytes.
const maxModel = 200

// content is a message's text: one string, none, or parts, as some servers send it. An
// object is the answer itself, by a server that has read it already.
func content(raw json.RawMessage) (text string, ok bool) {
	switch trimmed := bytes.TrimSpace(raw); {
	case len(trimmed) == 0 || json.Unmarshal(trimmed, &text) == nil: // null too
		return text, true
	case trimmed[0] == '{':
		return string(trimmed), true
	case trimmed[0] == '[':
		return parts(trimmed)
	}
	return "", false
}

// parts joins the texts of a message in parts; those of other kinds, such as a model's
// thoughts, are left out.
func parts(raw json.RawMessage) (text string, ok bool) {
	var list []struct{ Text any }
	if json.Unmarshal(raw, &list) != nil {
		return "", false
	}
	var b strings.Builder
	for _, part := range list {
		b.WriteString(word(part.Text))
	}
	return b.String(), true
}

// word is a value's text; "" for one of another kind.
func word(v any) string { s, _ := v.(string); return s }

// count is a number of tokens; 0 where the server does not say, or says nonsense.
func count(usage any, name string) int {
	of, _ := usage.(map[string]any)
	n, _ := of[name].(float64)
	if n < 0 || n > math.MaxInt32 {
		return 0
	}
	return int(n)
}
