package llm

import (
	"context"
	"errors"
	"fmt"

	"mcp-memory/internal/openai"
)

// endpoint asks a model of a server that speaks OpenAI's interface.
type endpoint struct {
	client    *openai.Client
	model     string
	maxTokens int // 0: what the call asks for
}

var _ Caller = (*endpoint)(nil)

// Model implements Caller.
func (e *endpoint) Model() string { return e.model }

// Call implements Caller.
func (e *endpoint) Call(ctx context.Context, r Request) (Response, error) {
	answer, err := e.client.Chat(ctx, openai.Chat{
		Model: e.model, System: r.System, Prompt: r.Prompt, Schema: r.Schema, Name: r.Name, MaxTokens: e.limit(r.MaxTokens),
	})
	if err != nil {
		return Response{}, callError(err)
	}
	return Response{
		Text: answer.Text, Truncated: answer.Truncated, Refused: answer.Refused,
		Input: answer.Input, Output: answer.Output, Model: answer.Model,
	}, nil
}

func (e *endpoint) limit(asked int) int {
	if e.maxTokens > 0 && (asked == 0 || asked > e.maxTokens) {
		return e.maxTokens
	}
	return asked
}

// callError gives an error of the client its kind here. The client's own text says
// what was called and what came back, and nothing of what was sent.
func callError(err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, openai.ErrTooLarge):
		return fmt.Errorf("%w: %v", ErrTooLarge, err)
	case errors.Is(err, openai.ErrUnavailable), errors.Is(err, openai.ErrTimeout):
		return fmt.Errorf("%w: %v", ErrUnavailable, err)
	}
	return fmt.Errorf("%w: %v", ErrRejected, err)
}
