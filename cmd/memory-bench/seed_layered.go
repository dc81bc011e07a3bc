package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"mcp-memory/layers"
	"mcp-memory/vector/embed"
)

// layered is scheme C: every turn goes to extract as part of a stream, and recall
// gives the session's working memory and a context for each question.
type layered struct {
	*diary
	o       seedOptions
	dir     string
	session string
	turns   int
	gates   int
	layers  int // extractors that ran
}

// seedUser is whose memory is measured.
const seedUser = "reader"

func newLayered(ctx context.Context, o seedOptions, at time.Time, e embed.Embedder) (*layered, error) {
	dir, err := os.MkdirTemp("", "memory-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the store: %w", err)
	}
	d, err := openDiaryWith(ctx, dir, at, layers.Options{Embedder: e, WorkingTurns: o.recent, TriggerTurns: o.recent})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &layered{diary: d, o: o, dir: dir}, nil
}

func (l *layered) close() error { return errors.Join(l.diary.close(), os.RemoveAll(l.dir)) }

// begin ends the sitting before, as five idle minutes would, and opens another.
func (l *layered) begin(ctx context.Context, session string, at time.Time) error {
	if l.session != "" {
		if err := l.extract(ctx, layers.ExtractInput{SessionID: l.session, Flush: true}); err != nil {
			return err
		}
	}
	l.session = session
	l.set(at)
	return nil
}

func (l *layered) read(ctx context.Context, paragraphs []string, at time.Time) error {
	return l.extract(ctx, layers.ExtractInput{
		Text: strings.Join(paragraphs, "\n\n"), Source: "document", SourceID: "document", ObservedAt: at.Format(time.RFC3339),
	})
}

func (l *layered) hear(ctx context.Context, turn spoken) error {
	content, err := json.Marshal(turn.text)
	if err != nil {
		return fmt.Errorf("hand over a turn: %w", err)
	}
	l.turns++
	l.set(turn.at)
	return l.extract(ctx, layers.ExtractInput{SessionID: l.session, Messages: []layers.Message{{
		ID: fmt.Sprint("turn-", l.turns), Role: turn.role, Content: content, Time: turn.at.Format(time.RFC3339),
	}}})
}

func (l *layered) extract(ctx context.Context, in layers.ExtractInput) error {
	out, err := l.Extract(ctx, seedUser, in)
	if err != nil {
		return fmt.Errorf("extract: %w", err)
	}
	if out.Gate.Mode == layers.GateNone {
		return nil
	}
	l.gates++
	for _, r := range out.Layers {
		if r.Status != layers.LayerSkipped {
			l.layers++
		}
	}
	return nil
}

func (l *layered) give(ctx context.Context, question string) (string, error) {
	if err := l.Settle(ctx); err != nil {
		return "", err
	}
	in := layers.RecallInput{Query: question, SessionID: l.session, Limit: &l.o.top, MaxTokens: &l.o.tokens, Format: layers.FormatContext}
	answer, err := l.Recall(ctx, seedUser, in)
	if err != nil {
		return "", fmt.Errorf("recall: %w", err)
	}
	var b strings.Builder
	b.WriteString(answer.Context)
	for _, t := range answer.Working {
		b.WriteString(t.Role + ": " + t.Text + "\n")
	}
	return b.String(), nil
}

func (l *layered) holds(ctx context.Context) (string, error) {
	var b strings.Builder
	most := 100
	in := layers.RecallInput{Limit: &most, SessionID: l.session}
	for {
		answer, err := l.Recall(ctx, seedUser, in)
		if err != nil {
			return "", fmt.Errorf("recall all: %w", err)
		}
		for _, m := range answer.Matches {
			b.WriteString(m.Text + "\n")
		}
		if in.Cursor = answer.NextCursor; in.Cursor == "" {
			for _, t := range answer.Working {
				b.WriteString(t.Text + "\n")
			}
			return b.String(), nil
		}
	}
}

// calls would be one for each gate and each extractor: rules make none.
func (l *layered) calls() seedCalls { return seedCalls{0, l.gates + l.layers} }
