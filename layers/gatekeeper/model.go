package gatekeeper

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"mcp-memory/internal/text"
	"mcp-memory/layers/conversation"
	"mcp-memory/layers/llm"
	"mcp-memory/storage"
)

// ModelInput is what a model decides by.
type ModelInput struct {
	Turns      []conversation.Turn
	Related    map[storage.Layer][]string // texts of memories that may bear on the turns, the best first
	Identities []string                   // who is known, such as "user · name · Thorvald Ek"
	Language   string                     // of the memories, a code such as "ja"; "" for none asked for
	Trace      string                     // of the job
}

// modelTokens bounds the gate's answer: five short reasons, and room for a model
// that thinks aloud.
const modelTokens = 2048

// Limits of what is shown beside the conversation.
const (
	maxRelated    = 8   // memories of a layer
	maxIdentities = 32  // lines
	maxLine       = 300 // bytes of one of either
)

// Ask lets a model decide. It is one call, or two where the first answer was none.
// An error means that nothing was decided: who asks then lets every layer through.
func Ask(ctx context.Context, c llm.Caller, in ModelInput) (Verdicts, []llm.Call, error) {
	r := llm.Request{Role: llm.Gate, Schema: modelSchema, Name: "verdicts", MaxTokens: modelTokens, Trace: in.Trace}
	if err := modelPrompt.Fill(&r, promptValues(&in)); err != nil {
		return nil, nil, err
	}
	answer, calls, err := llm.Structured(ctx, c, r, (*modelAnswer).check)
	if err != nil {
		return nil, calls, fmt.Errorf("gate by %s: %w", c.Model(), err)
	}
	return answer.verdicts(), calls, nil
}

//go:embed prompts/gate.txt
var modelFile string

var modelPrompt = llm.MustPrompt(modelFile)

// modelSchema is the shape of the answer. The reason stands first: a model that
// writes it before it decides, decides better.
var modelSchema = newModelSchema()

func newModelSchema() json.RawMessage {
	const verdict = `{"type":"object","additionalProperties":false,"required":["reasoning","should_extract"],"properties":{"reasoning":{"type":"string"},"should_extract":{"type":"boolean"}}}`
	var names, properties []string
	for _, layer := range Layers {
		names = append(names, fmt.Sprintf("%q", layer))
		properties = append(properties, fmt.Sprintf("%q:%s", layer, verdict))
	}
	return json.RawMessage(fmt.Sprintf(`{"type":"object","additionalProperties":false,"required":[%s],"properties":{%s}}`,
		strings.Join(names, ","), strings.Join(properties, ",")))
}

// modelAnswer is what a model answers: the layers' verdicts, of whatever types.
type modelAnswer map[string]modelVerdict

type modelVerdict struct {
	ShouldExtract any `json:"should_extract"`
	Reasoning     any `json:"reasoning"`
}

// UnmarshalJSON reads a verdict, or the bare decision that models write for one.
func (v *modelVerdict) UnmarshalJSON(raw []byte) error {
	var bare any
	if raw[0] != '{' {
		err := json.Unmarshal(raw, &bare)
		*v = modelVerdict{ShouldExtract: bare}
		return err
	}
	type plain modelVerdict
	return json.Unmarshal(raw, (*plain)(v))
}

// UnmarshalJSON reads the layers' verdicts, and nothing that a model writes beside them.
func (a *modelAnswer) UnmarshalJSON(object []byte) (err error) {
	*a, err = llm.Members[modelVerdict](object, layerNames)
	return err
}

var layerNames = newLayerNames()

func newLayerNames() (names []string) {
	for _, layer := range Layers {
		names = append(names, string(layer))
	}
	return names
}

// check wants all five decisions.
func (a *modelAnswer) check() error {
	for _, layer := range Layers {
		verdict, ok := (*a)[string(layer)]
		if !ok {
			return fmt.Errorf("%q is missing", layer)
		}
		if _, ok := llm.AsBool(verdict.ShouldExtract); !ok {
			return fmt.Errorf("%s.should_extract is neither true nor false", layer)
		}
	}
	return nil
}

// noReason stands where a model gives none: every verdict has one.
const noReason = "the model gives no reason"

// maxReasoning bounds a reason, in bytes: a sentence or two.
const maxReasoning = 500

// verdicts are those of an answer that was checked.
func (a modelAnswer) verdicts() Verdicts {
	all := Verdicts{}
	for _, layer := range Layers {
		verdict := a[string(layer)]
		extract, _ := llm.AsBool(verdict.ShouldExtract)
		reason, _ := llm.AsString(verdict.Reasoning)
		if reason = text.Shorten(oneLine(reason), maxReasoning); reason == "" {
			reason = noReason
		}
		all[layer] = Verdict{ShouldExtract: extract, Reasoning: reason}
	}
	return all
}
