package layers_test

import (
	"fmt"
	"testing"

	"mcp-memory/layers"
	"mcp-memory/vector/embed/builtin"
)

// Whether people are at work is known of a session from what was kept of it, though
// the turns that told it have left working memory.
func TestExtract_ASessionStaysAtWork(t *testing.T) {
	e, err := builtin.New(builtin.Options{Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	h := open(t)
	h.opts.Embedder, h.opts.WorkingTurns, h.opts.TriggerTurns = e, 1, 100
	h.restart()
	said := 0
	say := func(session string, contents ...string) []string {
		m := turns(contents...)
		for i := range m {
			said++
			m[i].ID = fmt.Sprint(said)
		}
		out := h.extracts(layers.ExtractInput{SourceID: "canteen", SessionID: session, Messages: m, Flush: true})
		var ids []string
		for _, l := range out.Layers {
			ids = append(ids, l.Memories...)
		}
		return ids
	}
	const decision = "我决定用感应水龙头代替旋钮水龙头。"
	if ids := say("other", decision); len(ids) != 0 {
		t.Errorf("outside of any work it is kept: %v", ids)
	}
	say("work", "食堂改造由赵敏负责。", "改造的预算是46万元。")
	say("work", "今天真热。")
	if ids := say("work", decision); len(ids) != 1 {
		t.Errorf("at work %d records are made of it", len(ids))
	}
}
