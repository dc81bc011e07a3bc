package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"mcp-memory/layers"
)

// bareReport is what came of turns that were remembered as bare sentences: no
// layer, no slot given, the speaker's name as the data have it.
type bareReport struct {
	Turns      int            `json:"turns"`
	Statements int            `json:"statements"` // turns that were given a slot
	Attributes []attributeUse `json:"attributes"` // the most used first
	Supersedes []supersession `json:"supersedes"` // in the order of the talk; each has to be looked at
}

// attributeUse counts the statements of an attribute.
type attributeUse struct {
	Attribute  string `json:"attribute"`
	Statements int    `json:"statements"`
}

// supersession is a turn that displaced an earlier one.
type supersession struct {
	Talk string   `json:"talk"`
	New  bareTurn `json:"new"`
	Old  bareTurn `json:"old"`
}

// bareTurn is a turn and how it was understood.
type bareTurn struct {
	Turn      string `json:"turn"`
	Speaker   string `json:"speaker"`
	Text      string `json:"text"`
	Entity    string `json:"entity"`
	Attribute string `json:"attribute"`
	Value     string `json:"value"`
}

func (b *bareTurn) String() string {
	return fmt.Sprintf("%s %s (%s · %s · %s): %q", b.Turn, b.Speaker, b.Entity, b.Attribute, b.Value, b.Text)
}

// rememberBare remembers the first n turns of the talks, each talk for a user of
// its own, and tells what superseded what.
func rememberBare(ctx context.Context, talks []talk, n int) (r bareReport, err error) {
	dir, err := os.MkdirTemp("", "memory-bench-")
	if err != nil {
		return r, fmt.Errorf("make a folder for the store: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d, err := openDiary(ctx, dir, time.Time{}, nil)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	b := bareTalks{diary: d, attributes: map[string]int{}, report: &r}
	for i := range talks {
		if err := b.talk(ctx, &talks[i], n-r.Turns); err != nil {
			return r, err
		}
	}
	r.Attributes = b.used()
	return r, nil
}

// bareTalks remembers talks and notes what came of them.
type bareTalks struct {
	diary      *diary
	report     *bareReport
	attributes map[string]int
	turns      map[string]bareTurn // of the talk at hand, by record
}

// talk remembers at most n turns of a talk.
func (b *bareTalks) talk(ctx context.Context, t *talk, n int) error {
	b.turns = map[string]bareTurn{}
	for _, s := range t.Sittings {
		s.Utterances = s.Utterances[:max(0, min(len(s.Utterances), n))]
		n -= len(s.Utterances)
		if err := b.sitting(ctx, t, &s); err != nil {
			return err
		}
	}
	return nil
}

func (b *bareTalks) sitting(ctx context.Context, t *talk, s *sitting) error {
	b.diary.set(s.At.Add(afterwards))
	memories := make([]layers.Memorandum, len(s.Utterances))
	for i, u := range s.Utterances {
		memories[i] = layers.Memorandum{Text: u.Text, Speaker: u.Speaker, ObservedAt: s.said(i).Format(time.RFC3339)}
	}
	written, err := b.diary.write(ctx, t.ID, memories)
	if err != nil {
		return err
	}
	for i := range written {
		b.note(t.ID, &s.Utterances[i], &written[i])
	}
	return nil
}

// note counts an answer and keeps what it superseded.
func (b *bareTalks) note(talk string, u *utterance, w *layers.Remembered) {
	b.report.Turns++
	turn := bareTurn{u.ID, u.Speaker, u.Text, w.Entity, w.Attribute, w.Value}
	if w.Attribute != "" {
		b.report.Statements++
		b.attributes[w.Attribute]++
	}
	for _, old := range w.Supersedes {
		b.report.Supersedes = append(b.report.Supersedes, supersession{talk, turn, b.turns[old]})
	}
	if w.Status != layers.StatusReinforced {
		b.turns[w.ID] = turn
	}
}

// used returns the attributes, the most used first, then by name.
func (b *bareTalks) used() []attributeUse {
	var out []attributeUse
	for name := range maps.Keys(b.attributes) {
		out = append(out, attributeUse{name, b.attributes[name]})
	}
	slices.SortFunc(out, func(x, y attributeUse) int {
		return cmp.Or(cmp.Compare(y.Statements, x.Statements), cmp.Compare(x.Attribute, y.Attribute))
	})
	return out
}
