package layers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mcp-memory/layers/recall"
	"mcp-memory/layers/slot"
	"mcp-memory/storage"
	"mcp-memory/storage/keyword"
)

// Flags of a match.
const (
	flagSuperseded = "superseded"
	flagWithdrawn  = "withdrawn"
	flagEnded      = "ended"
	flagFuture     = "future"
	flagOrder      = "instruction_like" // reads like an order to a model: data all the same
)

// match builds what is shown of a candidate; whole is its uncut text.
func (sp *space) match(ctx context.Context, q *question, c *recall.Candidate) (match Match, whole string, err error) {
	match, err = sp.describe(ctx, c.Doc, &q.view)
	if err != nil {
		return match, "", err
	}
	whole = match.Text
	if len(q.only) == 0 {
		match.Text, match.Truncated = recall.Around(whole, q.Terms, matchText)
	}
	match.Score, match.Raw = c.Score, c.Raw
	if q.in.Explain {
		match.Signals = sp.signals(q, c)
	}
	return match, whole, nil
}

// signals are what a candidate's place comes from. Window is how much of vector and
// keyword the turns beside it lend.
func (sp *space) signals(q *question, c *recall.Candidate) map[string]float64 {
	window := c.Vector - c.OwnVector()
	if sp.docs[c.Doc].turns != nil {
		window += max(0, c.Keyword-recall.OwnWords(sp.words, q.Terms, keyword.Weight, c.Doc))
	}
	return map[string]float64{"vector": c.Vector, "keyword": c.Keyword, "slot": c.Slot, "time": c.Near, "type": c.Layer, "window": window}
}

// describe builds a match of a record as it stands in a view.
func (sp *space) describe(ctx context.Context, n uint32, v *view) (Match, error) {
	d := &sp.docs[n]
	e, err := sp.store.Get(ctx, d.id)
	if err != nil {
		return Match{}, fmt.Errorf("read record %s: %w", d.id, err)
	}
	out := Match{
		ID: e.ID, Text: e.Text, Layer: string(e.Layer), Tier: string(e.Tier),
		Entity: e.Entity, Attribute: e.Attribute, Value: e.Value, Category: e.Category, Reason: e.Reason,
		Importance: e.Importance, Confidence: e.Confidence, Detail: e.Detail, Project: e.Project,
		ObservedAt: formatTime(d.lastSaid(v)), ValidFrom: formatTime(e.ValidFrom), ValidTo: formatTime(e.ValidTo),
		Reinforced: d.times(v) - 1, Trust: string(e.Trust),
		Source:  MatchSource{ID: e.Source.ID, Session: e.Source.Session, Speaker: e.Source.Speaker, Role: e.Source.Role, Quote: e.Source.Quote},
		Tags:    tagsAt(&e, v),
		Signals: map[string]float64{},
	}
	if len(out.Detail) == 0 {
		out.Detail = json.RawMessage("{}")
	}
	out.SupersededBy, out.Flags = sp.standing(n, v)
	if recall.InstructionLike(e.Text) {
		out.Flags = append(out.Flags, flagOrder)
	}
	return out, nil
}

// standing says what became of a record: by what it was superseded, and whether
// it is withdrawn, ended or of the future.
func (sp *space) standing(n uint32, v *view) (by string, flags []string) {
	d, flags := &sp.docs[n], []string{}
	if sp.withdrawnIn(d, v) {
		return "", append(flags, flagWithdrawn)
	}
	at := v.at.UnixMicro()
	switch {
	case d.slot == nil:
		if end := d.validTo(); end != 0 && end <= at {
			flags = append(flags, flagEnded)
		}
	case slices.Contains(sp.heads(d.slot, v), n):
	case d.announced(v):
		flags = append(flags, flagFuture)
	default:
		t := sp.timelineIn(d.slot, v)
		ended := t.Ended(d.id, v.at)
		if by = sp.successor(d, t, v); by != "" || !ended { // by a record that was forgotten since
			flags = append(flags, flagSuperseded)
		}
		if ended {
			flags = append(flags, flagEnded)
		}
	}
	return by, flags
}

// successor is what superseded a record. "None" of an attribute that holds many
// is over when one is named again.
func (sp *space) successor(d *doc, t *slot.Timeline, v *view) string {
	if by := t.Successor(d.id); by != "" || d.slot.key.none() == "" {
		return by
	}
	for _, other := range sp.groups[d.slot.key.group()] {
		if heads := sp.slotHeads(other, v); other != d.slot && len(heads) > 0 && sp.contradicts(d, heads[0]) {
			return sp.docs[heads[0]].id
		}
	}
	return ""
}

// times counts how often a record was said by a view's knowledge.
func (d *doc) times(v *view) (n int) {
	for _, s := range d.said {
		if v.knownAt == 0 || s.recorded <= v.knownAt {
			n++
		}
	}
	return n
}

// lastSaid is when a record was last said by a view's knowledge.
func (d *doc) lastSaid(v *view) time.Time {
	last := d.said[0].observed
	for _, s := range d.said[1:] {
		if v.knownAt == 0 || s.recorded <= v.knownAt {
			last = max(last, s.observed)
		}
	}
	return fromMicros(last)
}

// tagsAt are a record's tags by a view's knowledge: its own, and those that
// reinforcements added.
func tagsAt(e *storage.Entry, v *view) []string {
	out := append([]string{}, e.Tags...)
	for _, f := range e.Reinforced {
		if v.knownAt != 0 && micros(f.RecordedAt) > v.knownAt {
			continue
		}
		for _, t := range f.Tags {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}
