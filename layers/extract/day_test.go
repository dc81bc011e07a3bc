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
		"The demo is on Tuesday 10 March.":                           {"demo", "2026-03-10"},
		"Move the demo to Thursday, the client is travelling.":       {"demo", "2026-03-12"},
		"Our launch slipped to 10 June.":                             {"launch", "2026-06-10"},
		"演示定在周二。":                                                    {"演示", "2026-03-10"},
		"客户出差，演示改到周四了。":                                              {"演示", "2026-03-12"},
		"Move the meeting to Thursday.":                              {"user", ""}, // there are many
		"Move the demo from Tuesday 10 March to Thursday 12 March":   {"user", ""}, // two days
		"Our standup moved to 9:30, and I moved to Leeds on Friday.": {"user", ""}, // not its day
		"演示从周二改到周四了。":                                                {"演示", "2026-03-12"},
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
			"好的。", "他们又改了主意：食堂的名额必须控制在52个以内。", []string{"他们又改了主意：食堂的名额必须控制在52个以内。"},
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

// A budget that changes takes the place of the one before, and of nothing that was
// said with it.
func TestRules_ABudgetTakesTheSlotOfTheBudgetBefore(t *testing.T) {
	for text, want := range map[string]struct{ of, value, rest string }{
		"The budget of the canteen is 46,000 euros, and we must open on 12 May.":  {"canteen", "46,000 euros", "We must open on 12 May."},
		"And they approved more: the budget for the canteen is now 52,000 euros.": {"canteen", "52,000 euros", ""},
		"Our roof garden's budget was raised to €58,000.":                         {"roof garden", "€58,000", ""},
		"食堂的预算是46万元，9月1日必须开业。":                                                    {"食堂", "46万元", "9月1日必须开业。"},
		"他们又批了钱：食堂的预算追加到52万5千元了。":                                                 {"食堂", "52万5千元", ""},
		"The budget of the canteen is 60,000 euros, including tax.":               {}, // of what else, is not read
		"The budget of the canteen is 60,000 euros a year.":                       {},
		"The budget of the trip is 400 euros.":                                    {}, // there are many
		"The budget is 900 euros.":                                                {}, // of what?
		"食堂的预算是50万元左右。":                                                           {},
		"这次活动的预算是3万元。":                                                            {},
	} {
		talk := conversation.Read([]conversation.Turn{
			{Role: conversation.User, Content: "The plans are at git.canteen.example/plan"}, {Role: conversation.User, Content: text},
		}, conversation.Options{})
		found, _ := extract.Rules(worth.Judge(talk, worth.Options{}), extract.RuleOptions{})
		var got struct{ of, value, rest string }
		for _, m := range found[storage.Context] {
			switch {
			case m.Attribute == "budget":
				got.of, got.value = m.Entity, m.Value
			case slices.Contains(m.Turns, 1) && got.of != "":
				got.rest = m.Text
			}
		}
		if got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}
