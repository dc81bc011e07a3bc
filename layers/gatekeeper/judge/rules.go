package judge

import (
	"context"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/extract"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/layers/worth"
	"mcp-memory/storage"
)

// Rules is the pipeline without a model, with whatever embedder the options name:
// router, gate, extractors of the layers it opens, router.
func Rules(o worth.Options, router extract.Router) Runner {
	return func(_ context.Context, turns []conversation.Turn) (Answer, error) {
		j := worth.Judge(conversation.Read(turns, conversation.Options{}), o)
		passed, _ := router.Turns(j)
		a := Answer{Verdicts: gatekeeper.Rules(j, worth.Scores{}), GateCalled: len(passed) > 0}
		var open []storage.Layer
		for _, layer := range gatekeeper.Layers {
			if a.Verdicts[layer].ShouldExtract {
				open = append(open, layer)
			}
		}
		if len(open) == 0 || len(passed) == 0 {
			return a, nil
		}
		found, _ := extract.Rules(j, extract.RuleOptions{Layers: open})
		for _, layer := range gatekeeper.Layers {
			for _, m := range found[layer] {
				if _, _, ok := router.Record(&m); ok {
					a.Memories = append(a.Memories, m)
				}
			}
		}
		return a, nil
	}
}
