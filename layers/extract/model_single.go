package extract

import (
	"context"
	"fmt"
	"strings"

	"mcp-memory/internal/text"
	"mcp-memory/layers/llm"
	"mcp-memory/storage"
)

// SingleVerdict is a layer's part of an answer that is gate and extraction in one.
type SingleVerdict struct {
	ShouldExtract bool
	Reasoning     string
	ModelResult
}

// singleLayers are those of a single call, in the order they are asked for.
var singleLayers = []storage.Layer{storage.Activity, storage.Context, storage.Experience, storage.Identity, storage.Preference}

// singleTokens bounds the answer for all layers.
const singleTokens = 8192

// SingleByModel is gate and extraction in one call (seed 2 §7). The verdicts are for
// all five layers; memories of a layer that the model itself would not extract are
// dropped. Of a conversation in pieces a layer is extracted if any piece says so. An
// error is that of all layers.
func SingleByModel(ctx context.Context, c llm.Caller, in ModelInput) (map[storage.Layer]SingleVerdict, []llm.Call, error) {
	r := llm.Request{Role: llm.Single, Schema: singleSchema(), Name: "layers", MaxTokens: singleTokens, Trace: in.Trace}
	check := newModelCheck(&in)
	all := map[storage.Layer]SingleVerdict{}
	calls, err := eachWindow(&in, func(w window) ([]llm.Call, error) {
		if err := fillFrame(&r, "", &in, w); err != nil {
			return nil, err
		}
		answer, calls, err := llm.Structured(ctx, c, r, (*singleAnswer).check)
		if err != nil {
			return calls, err
		}
		for _, layer := range singleLayers {
			all[layer] = all[layer].joined(answer.verdict(layer, w, check))
		}
		return calls, nil
	})
	if err != nil {
		return nil, calls, fmt.Errorf("extract all layers by %s: %w", c.Model(), err)
	}
	return all, calls, nil
}

// joined is the verdict of two pieces: the first that lets the layer through gives
// the reason.
func (v SingleVerdict) joined(next SingleVerdict) SingleVerdict {
	if v.Reasoning == "" || next.ShouldExtract && !v.ShouldExtract {
		v.ShouldExtract, v.Reasoning = next.ShouldExtract, next.Reasoning
	}
	v.add(next.ModelResult)
	return v
}

// singleAnswer is what the model answers, by layer.
type singleAnswer map[string]singlePart

type singlePart struct {
	ShouldExtract any         `json:"should_extract"`
	Reasoning     any         `json:"reasoning"`
	Memories      *memoryList `json:"memories"`
}

// UnmarshalJSON reads the layers' parts, and nothing that a model writes beside them.
func (a *singleAnswer) UnmarshalJSON(object []byte) (err error) {
	var names []string
	for _, layer := range singleLayers {
		names = append(names, string(layer))
	}
	*a, err = llm.Members[singlePart](object, names)
	return err
}

func (a *singleAnswer) check() error {
	for _, layer := range singleLayers {
		part, ok := (*a)[string(layer)]
		if !ok {
			return fmt.Errorf("%q is missing", layer)
		}
		extract, ok := llm.AsBool(part.ShouldExtract)
		switch {
		case !ok:
			return fmt.Errorf("%s.should_extract is neither true nor false", layer)
		case extract && part.Memories == nil:
			return fmt.Errorf("%s.memories is missing; where there is nothing to keep it is an empty list", layer)
		}
	}
	return nil
}

// verdict reads a layer's part of an answer that was checked.
func (a singleAnswer) verdict(layer storage.Layer, w window, check *modelCheck) SingleVerdict {
	part := a[string(layer)]
	v := SingleVerdict{}
	v.ShouldExtract, _ = llm.AsBool(part.ShouldExtract)
	reason, _ := llm.AsString(part.Reasoning)
	if v.Reasoning = text.Shorten(strings.Join(strings.Fields(reason), " "), maxModelReason); v.Reasoning == "" {
		v.Reasoning = "the model gives no reason"
	}
	if v.ShouldExtract {
		v.ModelResult = check.memories(layer, w, *part.Memories)
		return v
	}
	if part.Memories == nil {
		return v
	}
	for _, raw := range *part.Memories {
		v.Drops = append(v.Drops, Drop{Text: rawText(raw), Reason: "the model says that this layer is not to be extracted"})
	}
	return v
}
