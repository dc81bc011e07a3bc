package conversation_test

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"mcp-memory/layers/conversation"
)

func TestRead_MatterOfASentence(t *testing.T) {
	for text, want := range map[string]conversation.Matter{
		"OK, let's go with Postgres then.":                               conversation.Decision,
		"We've decided to drop the printed programme.":                   conversation.Decision,
		"Split: Bob takes the tests, Ines does the slides.":              conversation.Duty,
		"Marit is responsible for the translations.":                     conversation.Duty,
		"Budget is 3,000 euros in total.":                                conversation.Limit,
		"max 50 guests, the fire officer won't allow more":               conversation.Limit,
		"Move the demo to Thursday, the client is travelling.":           conversation.Day,
		"The kickoff got pushed to 23 March.":                            conversation.Day,
		"Deadline for abstracts is 30 April.":                            conversation.Due,
		"The repo is at git.harbour.example/rota":                        conversation.Place,
		"staging runs on port 7410":                                      conversation.Place,
		"We use pnpm here, not npm.":                                     conversation.Custom,
		"Commit messages in English, one line.":                          conversation.Custom,
		"The data migration is done.":                                    conversation.Progress,
		"Offline mode is out of scope for version 1.":                    conversation.Ban,
		"那就定在周五下午三点吧。":                                                   conversation.Day,
		"我们决定用 Postgres，不用 MySQL 了。":                                     conversation.Decision,
		"文档由小李负责":                                                        conversation.Duty,
		"这次年会预算两万五":                                                      conversation.Limit,
		"演示改到周四了。":                                                       conversation.Day,
		"测试环境端口是7410":                                                    conversation.Place,
		"提交信息统一写英文":                                                      conversation.Custom,
		"合同卡在法务那边了":                                                      conversation.Progress,
		"Piet finished the survey of the roofs: 212, nine of them leak.": conversation.Progress,
		"By the way, Noor is on leave from 3 to 14 August.":              conversation.Duty,
		"我决定用感应水龙头代替旋钮水龙头。":                                              conversation.Decision,
		"我最后决定保留旧的屋顶。":                                                   conversation.Decision,
		"楼梯间必须通过消防B级验收，因为隔壁是幼儿园。":                                        conversation.Ban,
		"老周昨天把旧设备清单整理出来了：一共318件，22件要报废。":                                 conversation.Progress,
		"顺便说一下，赵敏6月3日到6月14日休年假，不在。":                                      conversation.Duty,
		"我昨天把房间整理好了。":                                                    conversation.Unsettled,
		"我决定这样。":                                                         conversation.Unsettled,
		"他必须通过考试。":                                                       conversation.Unsettled,
		"Maybe we'll ship on 3 June.":                                    conversation.Unsettled,
		"Let's go with the second one":                                   conversation.Unsettled,
		"Let's call it a day.":                                           conversation.Unsettled,
		"Move the import to the top.":                                    conversation.Unsettled,
		"Should we go with Postgres?":                                    conversation.Unsettled,
		"I wonder whether Bob takes the tests or I do":                   conversation.Unsettled,
		"If we moved the release to July, we'd have eight sprints":       conversation.Unsettled,
		"The build is red again":                                         conversation.Unsettled,
		"也许小李负责测试":                                                       conversation.Unsettled,
		"就用第二个吧":                                                         conversation.Unsettled,
		"场地还没定，要么谷仓要么礼堂":                                                 conversation.Unsettled,
	} {
		s := read(user(text)...).Sentences[0]
		if s.Matter != want {
			t.Errorf("%q settles %d, want %d", text, s.Matter, want)
		}
		if want != conversation.Unsettled && s.Kind != conversation.Stated {
			t.Errorf("%q is %s", text, s.Kind)
		}
	}
}

// A remark that is announced asks for nothing, whatever stands in the announcement.
func TestRead_ByTheWayIsNoRequest(t *testing.T) {
	for text, want := range map[string]conversation.Kind{
		"顺便说一下，我们的仓库搬到北门了。": conversation.Stated,
		"对了，顺便提一句，阿强下周请假。":  conversation.Stated,
		"顺便说一下这个词的意思":       conversation.Asked,
		"顺便说一下，端口是多少？":      conversation.Asked,
	} {
		if s := read(user(text)...).Sentences; s[len(s)-1].Kind != want {
			t.Errorf("%q is %s, want %s", text, s[len(s)-1].Kind, want)
		}
	}
}

func TestSettles(t *testing.T) {
	for text, want := range map[string]bool{
		"Good idea. We've decided to drop the printed programme.": true,
		"对，预算就这么多。文档由小李负责":                                        true,
		"The sea was calm. We walked to the lighthouse.":          false,
		"": false,
	} {
		if got := conversation.Settles(text); got != want {
			t.Errorf("Settles(%q) is %v", text, got)
		}
	}
}

func TestRead_AgreesToAProposal(t *testing.T) {
	for _, c := range []struct {
		proposal, answer string
		want             string // what the answer says; "" where it settles nothing
	}{
		{"How about this: we publish chapters 1 to 4 in May?", "Yes, let's do that.", "How about this: we publish chapters 1 to 4 in May? Yes, let's do that."},
		{"Shall we set the rehearsal for Wednesday at 18:00?", "works for me", "Shall we set the rehearsal for Wednesday at 18:00? works for me"},
		{"Shall we set the rehearsal for Wednesday?", "Sure", "Shall we set the rehearsal for Wednesday? Sure"},
		{"建议前四章五月先出，剩下的九月再出。", "行，就这么定。", "建议前四章五月先出，剩下的九月再出。 行，就这么定。"},

		{"I'd suggest calling it \"Low Tide\".", "ok", ""},
		{"Shall I draft the mail for Thursday?", "Yes, let's do that.", ""},
		{"Let's add a log line before the call of Init.", "Let's do that.", ""},
		{"Shall we take Tuesday or Thursday?", "works for me", ""},
		{"How about Friday?", "Hm, I need to think about that.", ""},
		{"The Eiffel Tower has 1,665 steps.", "Deal", ""},
	} {
		talk := read(conversation.Turn{Role: conversation.Assistant, Content: c.proposal}, conversation.Turn{Role: conversation.User, Content: c.answer})
		s := talk.Of(1)[0]
		got := ""
		if s.Matter == conversation.Consent && s.Kind == conversation.Stated {
			got = s.Words()
		}
		if got != c.want {
			t.Errorf("%q to %q says %q, want %q", c.answer, c.proposal, got, c.want)
		}
	}
}

func TestRead_AnswersWhatWentBefore(t *testing.T) {
	before := []conversation.Turn{
		{Role: conversation.User, Content: "The repo is at git.harbour.example/rota"},
		{Role: conversation.Assistant, Content: "And what's the budget?"},
	}
	talk := conversation.Read(user("2,400 pounds"), conversation.Options{Before: before})
	if s := talk.Sentences[0]; s.Matter != conversation.Answer || s.Words() != "And what's the budget? 2,400 pounds" || talk.Before.Sentences[0].Matter != conversation.Place {
		t.Errorf("read %+v, before it %+v", s, talk.Before.Sentences)
	}
	if len(talk.Turns) != 1 || len(talk.Sentences) != 1 {
		t.Errorf("%d turns, %d sentences; what went before is not of the talk", len(talk.Turns), len(talk.Sentences))
	}
	if talk := read(user("2,400 pounds")...); talk.Sentences[0].Matter != conversation.Unsettled || talk.Before != nil {
		t.Errorf("without a question: %+v", talk.Sentences[0])
	}
}

// TestRead_CostOfASentenceOfManyParts counts bytes, which a busy machine changes
// little: what is read again at each part grows with the square of their number.
func TestRead_CostOfASentenceOfManyParts(t *testing.T) {
	if raceEnabled {
		t.Skip("counts what is allocated")
	}
	cost := func(part string, n int) uint64 {
		s := "We’d like " + strings.Repeat(part, n) + "tea."
		read(user(s)...) // tables are loaded once
		least := uint64(math.MaxUint64)
		for range 3 { // a collection between two reads empties the pools of expressions
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			read(user(s)...)
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		return least
	}
	for _, part := range []string{"tea and ", "Bob’s tea, ", "no, ", "ok, so, "} {
		once, four := cost(part, 100), cost(part, 400)
		if four > 6*once {
			t.Errorf("%q: 100 times %d bytes, 400 times %d", part, once, four)
		}
	}
}

func TestRead_MatterAfterWhatLeadsToIt(t *testing.T) {
	for _, lead := range []string{"ok, so, then, well, ", strings.Repeat("ok, ", 200)} {
		talk := read(user(lead + "let’s go with Postgres.")...)
		if got := talk.Sentences[len(talk.Sentences)-1]; got.Matter != conversation.Decision {
			t.Errorf("after %d bytes that lead to it: %v", len(lead), got.Matter)
		}
	}
}
