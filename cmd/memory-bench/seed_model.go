package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mcp-memory/internal/openai"
)

// modelFlags name a model that is asked.
type modelFlags struct {
	baseURL, model, key string
	timeout             time.Duration
}

func (f *modelFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.baseURL, "base-url", "", "`address` of an OpenAI-compatible server; without one no model is asked")
	flags.StringVar(&f.model, "model", "", "`name` of the model there")
	flags.StringVar(&f.key, "api-key", "", "`key` of the server, if it wants one")
	flags.DurationVar(&f.timeout, "timeout", 2*time.Minute, "how long an answer may take")
}

// open returns the model that was named, nil for none.
func (f *modelFlags) open() (*askedModel, error) {
	if f.baseURL == "" && f.model == "" {
		return nil, nil
	}
	if f.baseURL == "" || f.model == "" {
		return nil, errors.New("a model is named by both --base-url and --model")
	}
	client, err := openai.New(openai.Options{BaseURL: f.baseURL, APIKey: f.key, Timeout: f.timeout})
	if err != nil {
		return nil, fmt.Errorf("--base-url: %w", err)
	}
	return &askedModel{client, f.model}, nil
}

// askedModel is a model that sums up and answers.
type askedModel struct {
	client *openai.Client
	name   string
}

func (m *askedModel) close() { m.client.Close() }

func (m *askedModel) ask(ctx context.Context, system, prompt string, most int) (string, error) {
	answer, err := m.client.Chat(ctx, openai.Chat{Model: m.name, System: system, Prompt: prompt, MaxTokens: most})
	if err != nil {
		return "", fmt.Errorf("ask the model: %w", err)
	}
	return strings.TrimSpace(answer.Text), nil
}

// summarise is scheme B's summary.
func (m *askedModel) summarise(ctx context.Context, turns []string) (string, error) {
	return m.ask(ctx, "Sum up the conversation in at most three sentences, in its own language. Keep names, numbers and dates.", strings.Join(turns, "\n"), 200)
}

// answer is what the model says to a question with what it was given.
func (m *askedModel) answer(ctx context.Context, given, question string) (string, error) {
	return m.ask(ctx, "Use what you know from these notes. Be brief.\n\n"+given, question, 300)
}
