package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/llm"
	"mcp-memory/storage"
)

// ModelInput is what a model extracts from.
type ModelInput struct {
	// Talk is the conversation as it was read. Its sentences say who speaks and what
	// is no statement; without them only the turns' roles do.
	Talk conversation.Talk
	// Pick are the indexes of the turns to extract from, in order; nil: all. The turn
	// before each is shown too, for what it answers.
	Pick []int
	// Known are the records that stand, of any layer; a layer sees its own.
	Known []Known
	// Language of the memories, a code; "": that of the talk.
	Language string
	// ObservedAt is when turns without a time were said, in the location whose days
	// count. Zero: not known, and relative times are left out.
	ObservedAt time.Time
	// UserNames are names of the user.
	UserNames []string
	// Trace is the job's.
	Trace string
}

// Known is a record that stands.
type Known struct {
	Layer                    storage.Layer
	Entity, Attribute, Value string
	Text                     string
}

// ModelResult is what a model found, checked against the turns.
type ModelResult struct {
	Memories []Memory
	Drops    []Drop
}

// modelTokens bounds an answer: some ten memories of 150 tokens, and room for a
// model that thinks aloud.
const modelTokens = 4096

// ByModel lets a model extract one layer. A conversation that is long is read in
// pieces, each one call, or two where the first answer was none. What the model
// answers is checked like any input: what no turn supports is dropped, with a reason.
// An error means that the layer was not extracted; calls are those made so far.
func ByModel(ctx context.Context, c llm.Caller, layer storage.Layer, in ModelInput) (ModelResult, []llm.Call, error) {
	if !slices.Contains(singleLayers, layer) {
		return ModelResult{}, nil, fmt.Errorf("extract %q: there is no such extractor; give one of %v", layer, singleLayers)
	}
	r := llm.Request{Role: llm.Role(layer), Schema: layerSchema(layer), Name: "memories", List: "memories", Item: "text", MaxTokens: modelTokens, Trace: in.Trace}
	check := newModelCheck(&in)
	result := ModelResult{}
	calls, err := eachWindow(&in, func(w window) ([]llm.Call, error) {
		if err := fillFrame(&r, layer, &in, w); err != nil {
			return nil, err
		}
		answer, calls, err := llm.Structured(ctx, c, r, (*memoriesAnswer).check)
		if err != nil {
			return calls, err
		}
		result.add(check.memories(layer, w, *answer.Memories))
		return calls, nil
	})
	if err != nil {
		return ModelResult{}, calls, fmt.Errorf("extract %s by %s: %w", layer, c.Model(), err)
	}
	return result, calls, nil
}

func (r *ModelResult) add(more ModelResult) {
	r.Memories = append(r.Memories, more.Memories...)
	r.Drops = append(r.Drops, more.Drops...)
}

// memoriesAnswer is what a layer's model answers: memories of whatever fields.
type memoriesAnswer struct {
	Memories *memoryList `json:"memories"`
}

// memoryList is a list of memories in the forms in which models write one.
type memoryList []json.RawMessage

// UnmarshalJSON implements json.Unmarshaler.
func (l *memoryList) UnmarshalJSON(raw []byte) error {
	items, ok := llm.Items(raw, "text")
	if !ok {
		return &json.UnmarshalTypeError{Value: llm.KindOf(raw), Type: reflect.TypeFor[memoryList]()}
	}
	*l = items
	return nil
}

func (a *memoriesAnswer) check() error {
	if a.Memories == nil {
		return fmt.Errorf(`"memories" is missing; where there is nothing to keep it is an empty list`)
	}
	return nil
}

// eachWindow calls extract with one piece of the conversation after another, and
// with halves of one that is more than the model takes.
func eachWindow(in *ModelInput, extract func(window) ([]llm.Call, error)) (calls []llm.Call, err error) {
	queue := windowsOf(in)
	for len(queue) > 0 {
		w := queue[0]
		queue = queue[1:]
		made, err := extract(w)
		calls = append(calls, made...)
		if halves := w.halves(); errors.Is(err, llm.ErrTooLarge) && halves != nil {
			queue = append(halves, queue...)
			continue
		}
		if err != nil {
			return calls, err
		}
	}
	return calls, nil
}
