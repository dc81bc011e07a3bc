package extract_test

import (
	"slices"
	"strings"
	"testing"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/extract"
)

// slots lists the records that have a slot: "entity · attribute · value | text".
func slots(turns ...conversation.Turn) []string {
	var out []string
	for _, m := range rules(turns...) {
		if m.Attribute != "" {
			out = append(out, m.Entity+" · "+m.Attribute+" · "+m.Value+" | "+m.Text)
		}
	}
	slices.Sort(out)
	return out
}

func TestRules_StatementsOfOneSentenceStandAlone(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"I'm a veterinary nurse and I live in Utrecht.", "user · home city · Utrecht | I live in Utrecht.\nuser · job title · veterinary nurse | I'm a veterinary nurse."},
		{"我今年三十五岁，在杭州做产品经理。", "user · age · 三十五 | 我今年三十五岁。\nuser · job title · 产品经理 | 我做产品经理。\nuser · work city · 杭州 | 我在杭州工作。"},
		{"I have two kids, Mia and Leo.", "user · children · Leo | I have two kids, Mia and Leo.\nuser · children · Mia | I have two kids, Mia and Leo."},
	} {
		got := rules(users(test.text)...)
		if s := strings.Join(slots(users(test.text)...), "\n"); s != test.want {
			t.Errorf("%q\ngot\n%s\nwant\n%s", test.text, s, test.want)
		}
		for _, m := range got {
			if m.Attribute == "" || m.Quote != test.text || !slices.Equal(m.Turns, []int{0}) {
				t.Errorf("%q: a record of turns %v rests on %q, with slot %q", test.text, m.Turns, m.Quote, m.Attribute)
			}
		}
	}
}

func TestRules_CorrectionTakesOverTheSlot(t *testing.T) {
	ask := turn(conversation.Assistant, "Is your car green too?")
	nod := turn(conversation.Assistant, "Noted.")
	u := func(s string) conversation.Turn { return turn(conversation.User, s) }
	for name, test := range map[string]struct {
		turns []conversation.Turn
		want  string
	}{
		"with what was wrong":        {[]conversation.Turn{u("I live in Paris."), nod, u("Sorry, I meant Lyon, not Paris.")}, "user · home city · Lyon | I live in Lyon."},
		"by its name":                {[]conversation.Turn{u("My dog is called Rex."), u("Oops, his name is Max, not Rex.")}, "user · pets · Max | My dog is called Max."},
		"a date":                     {[]conversation.Turn{u("My birthday is May 3rd."), nod, u("No wait, May 4th.")}, "user · birthday · May 4th | My birthday is May 4th."},
		"what was said and meant":    {[]conversation.Turn{u("I live in Paris."), nod, u("I said Paris but I meant Lyon.")}, "user · home city · Lyon | I live in Lyon."},
		"what was said in Chinese":   {[]conversation.Turn{u("我住在南京。"), u("刚才说的南京应该是北京。")}, "user · home city · 北京 | 我住在北京。"},
		"said in full":               {[]conversation.Turn{u("我叫李明。"), u("打错了，我叫黎明。")}, "user · name · 李明 | 我叫李明。\nuser · name · 黎明 | 打错了，我叫黎明。"},
		"a courtesy":                 {[]conversation.Turn{u("I live in Paris."), u("No wait, thanks.")}, "user · home city · Paris | I live in Paris."},
		"in the same turn":           {[]conversation.Turn{u("I live in Paris. Sorry, I meant Lyon.")}, "user · home city · Lyon | I live in Lyon."},
		"it":                         {[]conversation.Turn{u("My favourite colour is green."), nod, u("Actually, it's blue.")}, "user · favourite colour · blue | My favourite colour is blue."},
		"Chinese":                    {[]conversation.Turn{u("我最喜欢的颜色是绿色。"), u("说错了,是蓝色。")}, "user · favourite colour · 蓝色 | 我最喜欢的颜色是蓝色。"},
		"of one of two":              {[]conversation.Turn{u("I'm a veterinary nurse and I live in Utrecht."), u("Sorry, I meant Delft, not Utrecht.")}, "user · home city · Delft | I live in Delft.\nuser · job title · veterinary nurse | I'm a veterinary nurse."},
		"twice":                      {[]conversation.Turn{u("I live in Paris."), u("Sorry, I meant Lyon."), u("No, I meant Nantes.")}, "user · home city · Nantes | I live in Nantes."},
		"in two sentences":           {[]conversation.Turn{u("I work at Acme."), nod, u("No, not Acme. Globex.")}, "user · employer · Globex | I work at Globex."},
		"beside a question":          {[]conversation.Turn{u("I work at Acme."), ask, u("No, not Acme. Globex.")}, "user · employer · Globex | I work at Globex."},
		"in few words":               {[]conversation.Turn{u("我在腾讯上班。"), u("打错了，阿里")}, "user · employer · 阿里 | 我在阿里上班。"},
		"an answer in few words":     {[]conversation.Turn{u("I like coffee."), turn(conversation.Assistant, "Tea or coffee today?"), u("Tea, not coffee.")}, "user · likes · coffee | I like coffee."},
		"what was asked about":       {[]conversation.Turn{u("My favourite colour is green."), ask, u("Actually, it's blue.")}, "user · favourite colour · green | My favourite colour is green."},
		"of something else":          {[]conversation.Turn{u("I live in Paris."), u("Sorry, I meant Lyon, not Rome.")}, "user · home city · Paris | I live in Paris."},
		"of what was said before it": {[]conversation.Turn{u("I live in Paris."), u("How tall is the tower?"), u("Sorry, I meant Lyon.")}, "user · home city · Paris | I live in Paris."},
		"while it is said":           {[]conversation.Turn{u("I live in Bonn, no wait, Köln, no, actually Aachen.")}, "user · home city · Aachen | I live in Aachen."},
		"sentence by sentence":       {[]conversation.Turn{u("I live in Bonn. No wait, Köln. No, actually Aachen.")}, "user · home city · Aachen | I live in Aachen."},
		"while it is said, Chinese":  {[]conversation.Turn{u("我住在北京，不对，是上海。")}, "user · home city · 上海 | 我住在上海。"},
		"of somebody else's": {[]conversation.Turn{
			{Role: conversation.User, Name: "Priya", Content: "I live in Paris.", Time: said},
			{Role: conversation.User, Name: "Jonas", Content: "Sorry, I meant Lyon, not Paris.", Time: said},
		}, "Priya · home city · Paris | Priya: I live in Paris."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(slots(test.turns...), "\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// "Too" adds somebody to what was said of another; where that was not said it may add
// a second job.
func TestRules_TheSameOfSomebodyElse(t *testing.T) {
	u := func(s string) conversation.Turn { return turn(conversation.User, s) }
	of := func(name, s string) conversation.Turn {
		return conversation.Turn{Role: conversation.User, Name: name, Content: s, Time: said}
	}
	for name, test := range map[string]struct {
		turns []conversation.Turn
		want  string
	}{
		"too":                  {[]conversation.Turn{u("My brother works at Acme. I work at Acme too.")}, "brother · employer · Acme\nuser · employer · Acme"},
		"the other way round":  {[]conversation.Turn{u("I work at Acme. My brother works at Acme too.")}, "brother · employer · Acme\nuser · employer · Acme"},
		"in another turn":      {[]conversation.Turn{u("My sister lives in Leeds."), turn(conversation.Assistant, "Nice."), u("I live in Leeds as well.")}, "sister · home city · Leeds\nuser · home city · Leeds"},
		"so do I":              {[]conversation.Turn{u("My brother works at Acme. So do I.")}, "brother · employer · Acme\nuser · employer · Acme"},
		"me too":               {[]conversation.Turn{u("My brother works at Acme. Me too!")}, "brother · employer · Acme\nuser · employer · Acme"},
		"Chinese":              {[]conversation.Turn{u("我哥在腾讯工作。我也在腾讯工作。")}, "user · employer · 腾讯\n哥哥 · employer · 腾讯"},
		"Chinese, no more":     {[]conversation.Turn{u("我老婆是老师。我也是。")}, "user · job title · 老师\n老婆 · job title · 老师"},
		"of another speaker":   {[]conversation.Turn{of("Ben", "I work at Acme."), of("Ana", "Me too.")}, "Ana · employer · Acme\nBen · employer · Acme"},
		"of one of two things": {[]conversation.Turn{of("Ben", "I work at Acme. The food is good there."), of("Ana", "Me too.")}, "Ben · employer · Acme"},
		"of something else":    {[]conversation.Turn{u("My brother works at Initech. I also work at Acme.")}, "brother · employer · Initech"},
		"a second job":         {[]conversation.Turn{u("I work at Initech. My brother works at Acme. I work at Acme too.")}, "brother · employer · Acme\nuser · employer · Initech"},
		"of the assistant":     {[]conversation.Turn{turn(conversation.Assistant, "I live in the cloud."), u("Me too.")}, ""},
		"not so":               {[]conversation.Turn{u("My brother works at Acme. I don't.")}, "brother · employer · Acme"},
		"a question":           {[]conversation.Turn{u("My brother works at Acme. So do I?")}, "brother · employer · Acme"},
		"his own name":         {[]conversation.Turn{of("Ben", "My name is Ben."), of("Ana", "Me too.")}, "Ben · name · Ben"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, s := range slots(test.turns...) {
				slot, _, _ := strings.Cut(s, " | ")
				got = append(got, slot)
			}
			if s := strings.Join(got, "\n"); s != test.want {
				t.Errorf("got\n%s\nwant\n%s", s, test.want)
			}
		})
	}
}

// The words as said, which another layer may have kept, go with the statement.
func TestRules_CorrectionTakesBackTheWordsToo(t *testing.T) {
	for way, options := range ways {
		for _, m := range rulesWith(options(), users("My birthday is May 3rd.", "No wait, May 4th.")...) {
			if strings.Contains(m.Text, "3rd") {
				t.Errorf("%s:%s", way, show([]extract.Memory{m}))
			}
		}
	}
}

func TestRules_CorrectionRestsOnBothTurns(t *testing.T) {
	got := rules(users("I live in Paris.", "Sorry, I meant Lyon, not Paris.")...)
	if len(got) != 1 || !slices.Equal(got[0].Turns, []int{0, 1}) || got[0].Quote != "Sorry, I meant Lyon, not Paris." {
		t.Errorf("got%s", show(got))
	}
}

// Who orders something names nobody.
func TestRules_OrdersAreAboutNobody(t *testing.T) {
	for _, text := range []string{
		"Please always answer briefly.", "Please always be brief.", "Kindly always use tables.", "Always answer in bullet points.", "Please just say what you mean.",
		"Remember always to lock the door.", "Never just guess.", "Just never apologise.", "Please never use emojis.", "Stop sending me long answers.",
		"请总是简短回答。", "以后回答请简短。", "小心在路上摔倒。", "老实说我不喜欢香菜。", "老是在下雨。", "小声说话。",
	} {
		for _, m := range rules(users("Remember: " + text)...) {
			if m.Entity != "user" {
				t.Errorf("%q is about %q", text, m.Entity)
			}
		}
		for _, m := range rules(users(text)...) {
			if m.Entity != "user" {
				t.Errorf("%q is about %q", text, m.Entity)
			}
		}
	}
	for text, want := range map[string]string{
		"Remember: Karim never eats fish.": "Karim", "Theo always prefers aisle seats on trains.": "Theo", "小王喜欢打篮球，我知道。": "小王",
	} {
		got := rules(users(text)...)
		if len(got) == 0 || got[0].Entity != want {
			t.Errorf("%q: not about %q:%s", text, want, show(got))
		}
	}
}
