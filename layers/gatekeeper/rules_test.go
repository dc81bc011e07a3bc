package gatekeeper_test

import (
	"strings"
	"testing"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/layers/worth"
	"mcp-memory/storage"
)

func rules(limits worth.Scores, contents ...string) gatekeeper.Verdicts {
	var turns []conversation.Turn
	for _, c := range contents {
		turns = append(turns, conversation.Turn{Role: conversation.User, Content: c})
	}
	return gatekeeper.Rules(worth.Judge(conversation.Read(turns, conversation.Options{}), worth.Options{}), limits)
}

func TestRules_OpensTheLayersThatAreStated(t *testing.T) {
	for text, want := range map[string]storage.Layer{
		"I have a dentist appointment on Tuesday at three.":        storage.Activity,
		"We're still waiting for the permit, the deadline is June": storage.Context,
		"Turns out the cheap cable was the problem, never again.":  storage.Experience,
		"I'm a nurse from Galway with two kids.":                   storage.Identity,
		"I prefer trains over planes.":                             storage.Preference,
		"每次分析请先给出核心结论。":                                            storage.Preference,
	} {
		v := rules(worth.Scores{}, "What is the capital of Peru?", text)
		if !v[want].ShouldExtract || !strings.Contains(v[want].Reasoning, "turn 2") {
			t.Errorf("%q: %s is %+v", text, want, v[want])
		}
	}
}

func TestRules_FiveVerdictsWithReasonsAlways(t *testing.T) {
	for _, contents := range [][]string{nil, {""}, {"Hello!", "What is the time?"}, {"你好", "谢谢，再见！"}, {"> I live in Leeds"}} {
		v := rules(worth.Scores{}, contents...)
		if len(v) != len(gatekeeper.Layers) {
			t.Errorf("%q: %d verdicts", contents, len(v))
		}
		for layer, verdict := range v {
			if verdict.ShouldExtract || verdict.Reasoning == "" {
				t.Errorf("%q: %s is %+v, want shut with a reason", contents, layer, verdict)
			}
		}
	}
}

func TestRules_AskedToKeepOpensALayer(t *testing.T) {
	v := rules(worth.Scores{2, 2, 2, 2, 2}, "Remember that the spare key hangs behind the boiler.") // limits that nothing reaches
	open := 0
	for _, verdict := range v {
		if verdict.ShouldExtract {
			open++
		}
	}
	if open != 1 {
		t.Errorf("%d layers are open, want the likeliest one: %+v", open, v)
	}
}

func TestLayers_AreThoseThatAreJudged(t *testing.T) {
	if len(gatekeeper.Layers) != len(worth.Layers) {
		t.Fatalf("%d layers, %d are judged", len(gatekeeper.Layers), len(worth.Layers))
	}
	for i, l := range gatekeeper.Layers {
		if l != worth.Layers[i] {
			t.Errorf("layer %d is %s, %s is judged", i, l, worth.Layers[i])
		}
	}
}
