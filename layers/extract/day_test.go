package extract_test

import (
	"slices"
	"testing"
	"time"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/extract"
	"mcp-memory/layers/worth"
	"mcp-memory/storage"
)

func TestRules_AMovedDayTakesTheSlotOfTheDayBefore(t *testing.T) {
	at := time.Date(2026, 3, 9, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string][2]string{ // entity, value
		"The demo is on Tuesday 10 March.":                         {"demo", "2026-03-10"},
		"Move the demo to Thursday, the client is travelling.":     {"demo", "2026-03-12"},
		"Our launch slipped to 10 June.":                           {"launch", "2026-06-10"},
		"演示定在周二。":                                                  {"演示", "2026-03-10"},
		"客户出差，演示改到周四了。":                                            {"演示", "2026-03-12"},
		"Move the meeting to Thursday.":                            {"user", ""}, // there are many
		"Move the demo from Tuesday 10 March to Thursday 12 March": {"user", ""}, // two days
	} {
		talk := conversation.Read([]conversation.Turn{{Role: conversation.User, Content: text, Time: at}}, conversation.Options{})
		found, _ := extract.Rules(worth.Judge(talk, worth.Options{}), extract.RuleOptions{})
		slotted := [2]string{"user", ""}
		for _, m := range found[storage.Activity] {
			if m.Attribute == "date" {
				slotted = [2]string{m.Entity, m.Value}
			}
		}
		if slotted != want {
			t.Errorf("%q gives %v, want %v", text, slotted, want)
		}
	}
}

func TestRules_WhatIsSettledIsKeptAsItWasSaid(t *testing.T) {
	turns := []conversation.Turn{
		{Role: conversation.User, Content: "I can't decide how to split the chapters."},
		{Role: conversation.Assistant, Content: "How about this: we publish chapters 1 to 4 in May?"},
		{Role: conversation.User, Content: "Yes, let's do that. And Marit is responsible for the translations."},
	}
	found, _ := extract.Rules(worth.Judge(conversation.Read(turns, conversation.Options{}), worth.Options{}), extract.RuleOptions{})
	all := found[storage.Context]
	if len(all) != 2 || all[0].Text != "How about this: we publish chapters 1 to 4 in May? Yes, let's do that." || all[1].Text != "And Marit is responsible for the translations." {
		t.Fatalf("found %+v", all)
	}
	if tier, _, _ := (extract.Router{}).Record(&all[0]); tier != storage.Episodic {
		t.Errorf("kept in %s", tier)
	}
}

func TestRules_WordsOfSeveralSentencesReadWell(t *testing.T) {
	for name, c := range map[string]struct {
		asked, said string
		want        []string
	}{
		"an answer ends": {
			"What about the menu?", "Fish on Mondays. The budget for the canteen is 900 euros a week.",
			[]string{"The budget for the canteen is 900 euros a week.", "What about the menu? Fish on Mondays. The budget for the canteen is 900 euros a week."},
		},
		"a clause that names what it is about": {
			"好的。", "他们又批了钱：食堂的预算追加到52万元。", []string{"他们又批了钱：食堂的预算追加到52万元。"},
		},
		"no blank after a wide mark": {
			"好的。", "好主意。我们决定采用不锈钢台面。", []string{"好主意。我们决定采用不锈钢台面。", "我们决定采用不锈钢台面。"},
		},
	} {
		talk := conversation.Read([]conversation.Turn{
			{Role: conversation.User, Content: "The canteen's repo is at git.canteen.example/plan"},
			{Role: conversation.Assistant, Content: c.asked},
			{Role: conversation.User, Content: c.said},
		}, conversation.Options{})
		found, dropped := extract.Rules(worth.Judge(talk, worth.Options{}), extract.RuleOptions{})
		ok := slices.ContainsFunc(found[storage.Context], func(m extract.Memory) bool { return slices.Contains(c.want, m.Text) })
		if !ok {
			t.Errorf("%s: found %+v, dropped %v", name, found[storage.Context], dropped)
		}
	}
}
