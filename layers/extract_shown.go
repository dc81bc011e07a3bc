package layers

import (
	"context"
	"strings"

	"mcp-memory/layers/extract"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/storage"
)

// modelInput is what an extractor's model is shown.
func (r *extraction) modelInput() extract.ModelInput {
	in := extract.ModelInput{Talk: *r.talk, Pick: r.shown(), Known: r.known, Language: r.language(), UserNames: r.userNames, Trace: r.Trace}
	if len(r.turns) > 0 {
		in.ObservedAt = r.turns[len(r.turns)-1].Time
	}
	return in
}

// shown are the turns that a model sees: those that are passed on, all of an event
// where none is, since a stream's gate is asked at every event.
func (r *extraction) shown() []int {
	if len(r.passed) > 0 {
		return r.passed
	}
	all := make([]int, len(r.turns))
	for i := range all {
		all[i] = i
	}
	return all
}

// language is that of the memories: as asked for, else that of the talk.
func (r *extraction) language() string {
	if r.Language != "" {
		return r.Language
	}
	return r.talk.Language
}

// Sizes of what a model is shown beside the conversation.
const (
	relatedQuery = 1000 // bytes of what was said that related memories are looked for by
	relatedShown = 6    // memories of a layer
	knownShown   = 40   // standing records of identity and preference
)

// gateInput is what the gate's model is shown: the turns, and what is known that
// bears on them.
func (r *extraction) gateInput(ctx context.Context) gatekeeper.ModelInput {
	in := gatekeeper.ModelInput{Related: map[storage.Layer][]string{}, Language: r.language(), Trace: r.Trace}
	var said []string
	for _, i := range r.shown() {
		in.Turns = append(in.Turns, r.turns[i])
		said = append(said, r.turns[i].Content)
	}
	query := cut(strings.Join(said, "\n"), relatedQuery)
	for _, l := range gatekeeper.Layers {
		for _, m := range r.matches(ctx, RecallInput{Query: query, Layers: []string{string(l)}, Limit: number(relatedShown)}) {
			in.Related[l] = append(in.Related[l], m.Text)
		}
	}
	for _, m := range r.matches(ctx, RecallInput{Layers: []string{string(storage.Identity)}, Limit: number(knownShown)}) {
		in.Identities = append(in.Identities, strings.Join([]string{m.Entity, m.Attribute, m.Value, m.Text}, " · "))
	}
	return in
}

// knownRecords are the standing records that identity and preference are held
// against; without a model nobody looks at them.
func (r *extraction) knownRecords(ctx context.Context) []extract.Known {
	if !r.asks(r.task) {
		return nil
	}
	var out []extract.Known
	for _, m := range r.matches(ctx, RecallInput{Layers: []string{string(storage.Identity), string(storage.Preference)}, Limit: number(knownShown)}) {
		out = append(out, extract.Known{Layer: storage.Layer(m.Layer), Entity: m.Entity, Attribute: m.Attribute, Value: m.Value, Text: m.Text})
	}
	return out
}

// matches recalls for a prompt. What cannot be recalled is left out of it.
func (r *extraction) matches(ctx context.Context, in RecallInput) []Match {
	out, err := r.Recall(ctx, r.User, in)
	if err != nil {
		r.log.Warn("what is known is not shown to a model", "job", r.ID, "error", err)
	}
	return out.Matches
}

func number(n int) *int { return &n }
