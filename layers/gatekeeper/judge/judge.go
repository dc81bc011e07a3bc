// Package judge measures a gate, and what is extracted after it, on labelled
// conversations: those of ../testdata, explained in LABELS.md there.
//
// It never shows a conversation unless it is asked to (Case): two of the files are
// to be measured on, not read.
package judge

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/extract"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/storage"
)

// Conversation is a labelled conversation.
type Conversation struct {
	ID     string          `json:"id"`
	Lang   string          `json:"lang"`
	Turns  []Turn          `json:"turns"`
	Layers []storage.Layer `json:"layers"`
	Keep   []Keep          `json:"keep"`
	Kind   string          `json:"kind"` // positive, negative or near-miss
	Why    string          `json:"why"`

	Borderline []storage.Layer `json:"-"` // that a reasonable person could also want
}

// Turn is a turn as the files write it.
type Turn struct {
	Role    string    `json:"role"`
	Name    string    `json:"name,omitempty"`
	Content string    `json:"content"`
	Time    time.Time `json:"time"`
}

// Keep is a memory that should come of a conversation.
type Keep struct {
	Layer  storage.Layer `json:"layer"`
	Entity string        `json:"entity"`
	Words  []string      `json:"words"` // that its text should hold
	Date   string        `json:"date"`  // 2006-01-02 or 2006-01; empty: none
}

// Answer is what is made of a conversation.
type Answer struct {
	Verdicts   gatekeeper.Verdicts
	Memories   []extract.Memory // those that would be stored
	GateCalled bool             // false where nothing was left for the gate
}

// Runner makes an answer: the rules, or a model.
type Runner func(ctx context.Context, turns []conversation.Turn) (Answer, error)

// Read reads labelled conversations, one JSON object a line, and the borderline
// layers of those that have some; borderline may be nil.
func Read(labels, borderline io.Reader) ([]Conversation, error) {
	var out []Conversation
	if err := lines(labels, func(b []byte) error {
		var c Conversation
		if err := json.Unmarshal(b, &c); err != nil {
			return err
		}
		out = append(out, c)
		return nil
	}); err != nil {
		return nil, err
	}
	if borderline == nil {
		return out, nil
	}
	at := map[string]int{}
	for i, c := range out {
		at[c.ID] = i
	}
	return out, lines(borderline, func(b []byte) error {
		var extra struct {
			ID     string
			Layers []storage.Layer
		}
		if err := json.Unmarshal(b, &extra); err != nil {
			return err
		}
		if i, ok := at[extra.ID]; ok {
			out[i].Borderline = extra.Layers
		}
		return nil
	})
}

// maxLine bounds a line of a labelled file, in bytes.
const maxLine = 1 << 20

func lines(r io.Reader, each func([]byte) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	for n := 1; s.Scan(); n++ {
		if len(s.Bytes()) == 0 {
			continue
		}
		if err := each(s.Bytes()); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return s.Err()
}

// turns are the conversation's turns as the pipeline takes them.
func (c *Conversation) turns() []conversation.Turn {
	out := make([]conversation.Turn, len(c.Turns))
	for i, t := range c.Turns {
		out[i] = conversation.Turn{Role: t.Role, Name: t.Name, Content: t.Content, Time: t.Time}
	}
	return out
}

// Case is how one conversation was answered, for those who may look.
type Case struct {
	*Conversation
	Answer Answer
	Missed []storage.Layer // wanted, the gate stayed shut
	Wrong  []storage.Layer // not wanted, not even borderline
	Lost   []Keep          // of which no stored text has the words
}

// Run measures a runner. each, if not nil, is called with every conversation.
func Run(ctx context.Context, all []Conversation, run Runner, each func(Case)) (Report, error) {
	r := Report{Languages: map[string]*Figures{}}
	for i := range all {
		c := &all[i]
		answer, err := run(ctx, c.turns())
		if err != nil {
			return r, fmt.Errorf("conversation %d: %w", i+1, err)
		}
		if r.Languages[c.Lang] == nil {
			r.Languages[c.Lang] = newFigures()
		}
		judged := judge(c, answer)
		for _, f := range []*Figures{r.total(), r.Languages[c.Lang]} {
			f.add(&judged)
		}
		if each != nil {
			each(judged)
		}
	}
	return r, nil
}

func judge(c *Conversation, a Answer) Case {
	out := Case{Conversation: c, Answer: a}
	for _, layer := range gatekeeper.Layers {
		want, open := slices.Contains(c.Layers, layer), a.Verdicts[layer].ShouldExtract
		switch {
		case want && !open:
			out.Missed = append(out.Missed, layer)
		case open && !want && !slices.Contains(c.Borderline, layer):
			out.Wrong = append(out.Wrong, layer)
		}
	}
	for _, k := range c.Keep {
		if !slices.ContainsFunc(a.Memories, func(m extract.Memory) bool { return m.Layer == k.Layer && holds(&m, k.Words) }) {
			out.Lost = append(out.Lost, k)
		}
	}
	return out
}
