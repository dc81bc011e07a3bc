package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	goopenai "github.com/sashabaranov/go-openai"
)

// Chat is a request for one answer of a model: instructions, a prompt, and the
// shape that the answer should have.
type Chat struct {
	Model     string
	System    string          // instructions; none where empty
	Prompt    string          // what they are about
	Schema    json.RawMessage // a JSON Schema that the answer should fit; nil: free text
	Name      string          // of the schema, such as "verdicts"
	MaxTokens int             // of the answer, thoughts included; 0: as many as the server lets
}

// Completion is a model's answer. Its text is as the model wrote it: a server may
// have ignored the schema.
type Completion struct {
	Text      string
	Truncated bool   // the model ran into the limit of its output
	Refused   bool   // the model declined, or a filter took its answer
	Model     string // as the server names it
	Input     int    // tokens as the server counts them; 0 where it does not
	Output    int
}

// Chat asks a model for one answer, as little left to chance as the server lets
// (temperature 0). The schema goes as json_schema; where the server refuses that,
// as json_object, else not at all, so the prompt should say the shape too. What a
// server takes is remembered by model. See profile.go.
func (c *Client) Chat(ctx context.Context, chat Chat) (Completion, error) {
	if chat.Model == "" {
		return Completion{}, errors.New("chat: no model is named")
	}
	p, end := c.profileOf(&chat), time.Now().Add(c.options.Patience)
	var first error // says more than those of calls that asked for less
	for {
		answer, err := c.chat(ctx, &chat, p)
		if err == nil {
			c.learn(&chat, p)
			return answer, nil
		}
		if first == nil {
			first = err
		}
		next, ok := p.without(err, &chat)
		if !ok || !time.Now().Before(end) {
			return Completion{}, first
		}
		p = next
	}
}

// chat makes the call as p says.
func (c *Client) chat(ctx context.Context, chat *Chat, p profile) (Completion, error) {
	x := &exchange{client: c, of: "a chat"}
	_, err := c.api(x).CreateChatCompletion(ctx, p.request(chat))
	switch {
	case err != nil && x.url == "":
		return Completion{}, fmt.Errorf("chat with model %q: %w", chat.Model, err)
	case x.answer == nil:
		return Completion{}, x.undecoded(err)
	}
	return x.completion() // read more leniently than go-openai does
}

// request is what go-openai sends.
func (p profile) request(chat *Chat) goopenai.ChatCompletionRequest {
	request := goopenai.ChatCompletionRequest{Model: chat.Model, ResponseFormat: p.responseFormat(chat)}
	if chat.System != "" {
		request.Messages = append(request.Messages, goopenai.ChatCompletionMessage{Role: goopenai.ChatMessageRoleSystem, Content: chat.System})
	}
	request.Messages = append(request.Messages, goopenai.ChatCompletionMessage{Role: goopenai.ChatMessageRoleUser, Content: chat.Prompt})
	if !p.warm {
		request.Temperature = math.SmallestNonzeroFloat32 // go-openai leaves 0 out, and servers then take 1
	}
	switch p.limit {
	case limitTokens:
		//lint:ignore SA1019 servers of one's own know only this name
		request.MaxTokens = chat.MaxTokens //nolint:staticcheck // servers of one's own know only this name
	case limitCompletion:
		request.MaxCompletionTokens = chat.MaxTokens
	}
	return request
}

func (p profile) responseFormat(chat *Chat) *goopenai.ChatCompletionResponseFormat {
	switch {
	case chat.Schema == nil || p.format == formatText:
		return nil
	case p.format == formatObject:
		return &goopenai.ChatCompletionResponseFormat{Type: goopenai.ChatCompletionResponseFormatTypeJSONObject}
	}
	return &goopenai.ChatCompletionResponseFormat{
		Type:       goopenai.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &goopenai.ChatCompletionResponseFormatJSONSchema{Name: chat.Name, Schema: chat.Schema, Strict: true},
	}
}
