package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers/conversation"
	"mcp-memory/layers/recall"
	"mcp-memory/vector"
	"mcp-memory/vector/embed"
)

// spoken is a turn of a scenario.
type spoken struct {
	role, text string
	at         time.Time
}

func (s *spoken) String() string { return s.role + ": " + s.text }

// scheme keeps a conversation in one way.
type scheme interface {
	// begin opens a sitting.
	begin(ctx context.Context, session string, at time.Time) error
	// read takes a document, by its paragraphs.
	read(ctx context.Context, paragraphs []string, at time.Time) error
	// hear takes a turn.
	hear(ctx context.Context, turn spoken) error
	// give returns what a model would be given with a question. It leaves no trace.
	give(ctx context.Context, question string) (string, error)
	// holds returns all that is kept: what is not in it no question brings back.
	holds(ctx context.Context) (string, error)
	// calls counts those of models.
	calls() seedCalls
}

// seedCalls are calls of models: made, or what would be with models in place of
// rules.
type seedCalls struct {
	made, would int
}

// windowed is schemes A and B: the last turns of the sitting, and the nearest of
// everything by vectors.
type windowed struct {
	o         seedOptions
	embedder  embed.Embedder
	summarise func(ctx context.Context, turns []string) (string, error) // nil: scheme A

	index  *vector.Exact
	kept   []keptText // by number; turns and paragraphs, in B summaries too
	recent []int      // numbers of the sitting's last turns

	unsummed []string
	made     int
}

// keptText is a text and when it was said.
type keptText struct {
	text string
	at   time.Time
}

// summaryTurns are summed up at a time.
const summaryTurns = 10

func newWindowed(o seedOptions, e embed.Embedder, summarise func(context.Context, []string) (string, error)) (*windowed, error) {
	index, err := vector.NewExact(e.Dim())
	if err != nil {
		return nil, fmt.Errorf("open an index of vectors: %w", err)
	}
	return &windowed{o: o, embedder: e, index: index, summarise: summarise}, nil
}

func (w *windowed) begin(context.Context, string, time.Time) error {
	w.recent = nil
	return nil
}

func (w *windowed) read(ctx context.Context, paragraphs []string, at time.Time) error {
	for _, p := range paragraphs {
		if err := w.add(ctx, keptText{p, at}); err != nil {
			return err
		}
	}
	return nil
}

func (w *windowed) hear(ctx context.Context, turn spoken) error {
	w.recent = append(w.recent, len(w.kept))
	w.recent = w.recent[max(0, len(w.recent)-w.o.recent):]
	return w.add(ctx, keptText{turn.String(), turn.at})
}

// add keeps a text and, in scheme B, sums up the last ten where they are ten.
func (w *windowed) add(ctx context.Context, k keptText) error {
	if err := w.enter(ctx, k); err != nil || w.summarise == nil {
		return err
	}
	if w.unsummed = append(w.unsummed, k.text); len(w.unsummed) < summaryTurns {
		return nil
	}
	sum, err := w.summarise(ctx, w.unsummed)
	if err != nil {
		return err
	}
	w.unsummed, w.made = nil, w.made+1
	return w.enter(ctx, keptText{sum, k.at})
}

func (w *windowed) enter(ctx context.Context, k keptText) error {
	v, err := w.embedder.Embed(ctx, embed.Passage, []string{k.text})
	if err == nil {
		err = w.index.Add(uint32(len(w.kept)), v[0])
	}
	if err != nil {
		return fmt.Errorf("keep a text by its vector: %w", err)
	}
	w.kept = append(w.kept, k)
	return nil
}

func (w *windowed) give(ctx context.Context, question string) (string, error) {
	v, err := w.embedder.Embed(ctx, embed.Query, []string{question})
	if err != nil {
		return "", fmt.Errorf("embed a question: %w", err)
	}
	found, err := w.index.Search(v[0], w.o.top+w.o.recent, nil)
	if err != nil {
		return "", fmt.Errorf("search vectors: %w", err)
	}
	shown := map[int]bool{}
	var last strings.Builder
	for _, n := range w.recent {
		shown[n] = true
		last.WriteString(w.kept[n].text + "\n")
	}
	var lines []recall.Line
	for _, h := range found {
		if !shown[int(h.ID)] && len(lines) < w.o.top {
			k := w.kept[h.ID]
			lines = append(lines, recall.Line{Text: k.text, Date: k.at.Format(time.DateOnly)})
		}
	}
	memories, _ := recall.Context(lines, w.o.tokens)
	return memories + last.String(), nil
}

func (w *windowed) holds(context.Context) (string, error) {
	var b strings.Builder
	for _, k := range w.kept {
		b.WriteString(k.text + "\n")
	}
	return b.String(), nil
}

func (w *windowed) calls() seedCalls {
	if w.summarise == nil {
		return seedCalls{}
	}
	return seedCalls{w.made, w.made}
}

// summarySentences are what a summary without a model is made of.
const summarySentences = 3

// central sums turns up without a model: by the sentences nearest to the middle of
// them all, in their order.
func central(e embed.Embedder) func(ctx context.Context, turns []string) (string, error) {
	return func(ctx context.Context, turns []string) (string, error) {
		var sentences []string
		for _, t := range turns {
			for _, s := range text.Sentences(t) {
				sentences = append(sentences, strings.TrimSpace(t[s.Start:s.End]))
			}
		}
		vectors, err := e.Embed(ctx, embed.Passage, sentences)
		if err != nil {
			return "", fmt.Errorf("embed sentences: %w", err)
		}
		var out []string
		for _, i := range nearestToMiddle(vectors, summarySentences) {
			out = append(out, sentences[i])
		}
		return strings.Join(out, " "), nil
	}
}

// roles of a scenario's turns.
const (
	roleUser      = conversation.User
	roleAssistant = conversation.Assistant
)
