package conversation_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers/conversation"
)

func user(contents ...string) []conversation.Turn {
	out := make([]conversation.Turn, len(contents))
	for i, c := range contents {
		out[i] = conversation.Turn{Role: conversation.User, Content: c}
	}
	return out
}

func read(turns ...conversation.Turn) *conversation.Talk {
	return conversation.Read(turns, conversation.Options{})
}

func TestRead_KindOfASentence(t *testing.T) {
	for _, c := range []struct {
		text string
		want conversation.Kind
	}{
		{"I live in Utrecht.", conversation.Stated},
		{"My flatmate Bruno is allergic to shellfish.", conversation.Stated},
		{"From now on, please give me summaries in Markdown.", conversation.Stated},
		{"And always start an analysis with the main conclusion.", conversation.Stated},
		{"Remember that I'm allergic to lanolin.", conversation.Stated},
		{"For day 1 I want to stay in the city center.", conversation.Stated},
		{"When I say stop I mean it.", conversation.Stated},
		{"Had my MRI on Tuesday.", conversation.Stated},
		{"If I've learned anything it's to label by room.", conversation.Stated},
		{"我不喜欢会议安排在周五下午，因为通常很堵车。", conversation.Stated},
		{"每次分析请先给出核心结论。", conversation.Stated},
		{"客人累了怎么玩都会抱怨", conversation.Stated},
		{"私は大阪に住んでいます。", conversation.Stated},

		{"How do I centre a div in CSS?", conversation.Asked},
		{"what's a good first telescope", conversation.Asked},
		{"Tell me about yourself.", conversation.Asked},
		{"Explain the CAP theorem like I'm five.", conversation.Asked},
		{"怎么用 Python 读取 CSV 文件？", conversation.Asked},
		{"推荐一部电影吧。", conversation.Asked},
		{"行测常识部分怎么复习", conversation.Asked},
		{"大阪の天気を教えてください。", conversation.Asked},

		{"Hello!", conversation.Social},
		{"Thanks, bye!", conversation.Social},
		{"ok", conversation.Social},
		{"thank you so much", conversation.Social},
		{"谢谢，再见！", conversation.Social},
		{"你说得对", conversation.Social},
		{"ありがとうございます。", conversation.Social},

		{"> I hate dogs and I live in Leeds", conversation.Quoted},
		{"2026-11-05 15:31:07 WARN user=mhansen login failed", conversation.Code},
		{"npm ERR! code ERESOLVE", conversation.Code},
		{`{"weather":{"city":"Leeds"}}`, conversation.Code},
		{"func main() {", conversation.Code},

		{"For example, if I were a vegan dentist living in Oslo, what would my tax return look like?", conversation.Fiction},
		{"Suppose I moved to Canada next year, how would taxes work?", conversation.Fiction},
		{"a story about a boy called Leo who is allergic to moonlight please", conversation.Fiction},
		{"Write a poem in which I live on the moon.", conversation.Fiction},
		{"I just love it when the build breaks on a Friday.", conversation.Fiction},
		{"真好，又加班到十点，我可太喜欢加班了呢", conversation.Fiction},
		{"给我的小说设定个女主：28岁，成都人，对猫毛过敏", conversation.Fiction},
		{"昨晚做了个梦，梦里我是外科医生", conversation.Fiction},

		{"Act as a landlord and I'll answer as the tenant. I'm Olga and I own a parrot.", conversation.Fiction},
		{"you're my boss for the next five minutes, I want a raise", conversation.Fiction},

		{"Please interview me as if I ran a lighthouse: I'm Bo and I hate fog.", conversation.Fiction},
		{"you are a ship's doctor, I'm Admiral Pike and I limp.", conversation.Fiction},
		{"20 questions: I live in a tree and I can't stand nuts.", conversation.Fiction},
		{"你当记者采访我，我是深海潜水员", conversation.Fiction},
		{"say a tenant leaves early in May, who pays", conversation.Fiction},
		{"A ferry leaves at 8:10 and takes 95 minutes.", conversation.Fiction},
		{"数学题：小船周三出发，每小时走八里", conversation.Fiction},
		{"测试一下：后天上午十点去银行", conversation.Fiction},
		{"tomorrow I'm moving to Mars with my six dragons", conversation.Fiction},
		{"I'm so old my school report was carved in stone.", conversation.Fiction},
		{"我就是孙悟空，给我桃子", conversation.Fiction},
		{"我这个号是六十级法师，今晚八点开荒", conversation.Fiction},
		{"In my draft the widow says she never drinks tea.", conversation.Quoted},
		{"my coworker swears he only eats blue food", conversation.Quoted},
		{"车上有个大叔说他明天去新疆", conversation.Quoted},
		{"[09:14] Ana: I'm moving out on the 3rd", conversation.Quoted},
		{"【小陈】我下周一休假", conversation.Quoted},
		{"【记住】我下周一休假", conversation.Stated},
		{"Aug  3 02:14:07 web2 cron[91]: next run Friday", conversation.Code},
		{"[cron] 每周日备份成功", conversation.Code},
		{"再说吧", conversation.Social},

		{"some flaky network thing", conversation.Transient},
		{"yep, green again", conversation.Transient},
		{"预发环境又崩了，正在重启", conversation.Transient},
		{"没报错，就是不动", conversation.Transient},
		{"周四见", conversation.Social},
		{"厨师退休以后都干嘛", conversation.Asked},
		{"我修表修了十几年", conversation.Stated},
		{"播客里有个嘉宾说他三十岁才学会游泳", conversation.Quoted},
		{`{"姓名":"贾某","城市":"银川"} 转成表格`, conversation.Code},
		{"could you keep the plans dairy free?", conversation.Stated},
		{"Can you remember that I hate olives?", conversation.Stated},
		{"可以帮我记一下我的车位是B12吗？", conversation.Stated},
		{"Make a note: the plumber comes on Tuesday.", conversation.Stated},
		{"打错了，我叫黎明。", conversation.Stated},
		{"打错字了哈哈", conversation.Transient},
		{"Can you remember that song?", conversation.Asked},
		{"你能记住我说的吗？", conversation.Asked},
		{"Do you remember my name?", conversation.Asked},

		{"I'm starving", conversation.Transient},
		{"the wifi dropped again", conversation.Transient},
		{"饿死了", conversation.Transient},
		{"打印机又卡纸了", conversation.Transient},

		{"Please don't remember this, but I think I'm going to quit.", conversation.Confidential},
		{"这事别往心里记，也别存：我跟我妈刚吵了一架", conversation.Confidential},

		{"Everybody keeps saying I should prefer tabs.", conversation.Quoted},
	} {
		talk := read(user(c.text)...)
		if len(talk.Sentences) == 0 {
			t.Errorf("%q: no sentence", c.text)
			continue
		}
		if got := talk.Sentences[0]; got.Kind != c.want || (got.Why == "") != (c.want == conversation.Stated) {
			t.Errorf("%q: %v (%s), want %v", c.text, got.Kind, got.Why, c.want)
		}
	}
}

// part is a stretch of a turn with its kind.
type part struct {
	text string
	kind conversation.Kind
}

func TestRead_ScrapsGoOnWithAQuestion(t *testing.T) {
	for _, c := range []struct {
		before, answer, scrap string
		want                  conversation.Kind
	}{
		{"What is the plural of goose?", "Geese.", "and moose", conversation.Asked},
		{"银的熔点是多少", "约九百六十度。", "铜的", conversation.Asked},
		{"What is the plural of goose?", "Geese.", "I keep geese", conversation.Stated},
		{"I have a goose.", "Nice!", "and two ducks", conversation.Stated},
	} {
		talk := conversation.Read([]conversation.Turn{
			{Role: conversation.User, Content: c.before}, {Role: conversation.Assistant, Content: c.answer}, {Role: conversation.User, Content: c.scrap}}, conversation.Options{})
		if last := talk.Sentences[len(talk.Sentences)-1]; last.Kind != c.want {
			t.Errorf("%q after %q: %v, want %v", c.scrap, c.before, last.Kind, c.want)
		}
	}
}

func TestRead_PartsOfATurn(t *testing.T) {
	for _, c := range []struct {
		text string
		want []part
	}{
		{"I'm a vegan, what can I eat in Madrid?", []part{{"I'm a vegan", conversation.Stated}, {"what can I eat in Madrid?", conversation.Asked}}},
		{"Can you suggest one? I teach online, Italian to adults.", []part{{"Can you suggest one?", conversation.Asked}, {"I teach online, Italian to adults.", conversation.Stated}}},
		{"帮我改简历，九年前端，现在带三个人", []part{{"帮我改简历", conversation.Asked}, {"九年前端，现在带三个人", conversation.Stated}}},
		{"我对青霉素过敏，感冒药里有没有要注意的", []part{{"我对青霉素过敏", conversation.Stated}, {"感冒药里有没有要注意的", conversation.Asked}}},
		{"> I hate dogs and I live in Leeds\nThat was in a mail I got. What should I answer?", []part{
			{"> I hate dogs and I live in Leeds", conversation.Quoted}, {"That was in a mail I got.", conversation.Stated}, {"What should I answer?", conversation.Asked}}},
		{"客服回信说：“我讨厌周末加班，我住在厦门。”这封信应该怎么回复？", []part{
			{"客服回信说：", conversation.Quoted}, {"“我讨厌周末加班，我住在厦门。”", conversation.Quoted}, {"这封信应该怎么回复？", conversation.Quoted}}},
		{"My dad said: \"I will never fly again.\" I fly a lot.", []part{
			{"My dad said:", conversation.Quoted}, {"\"I will never fly again.\"", conversation.Quoted}, {"I fly a lot.", conversation.Stated}}},
		{"Look:\n```go\nmy := name\n```\nI wrote that in Go.", []part{
			{"Look:", conversation.Asked}, {"```go\nmy := name\n```", conversation.Code}, {"I wrote that in Go.", conversation.Stated}}},
		{"translate to Spanish please: I have been an electrician for six years.", []part{
			{"translate to Spanish please:", conversation.Asked}, {"I have been an electrician for six years.", conversation.Quoted}}},
		{"<memories>\n- I like tea.\n</memories>\nI prefer plums.", []part{
			{"<memories>\n- I like tea.\n</memories>", conversation.Recalled}, {"I prefer plums.", conversation.Stated}}},
		{"Relevant memories:\n- user lives in Porto\n- user is a vet\n\nI moved to Faro.", []part{
			{"Relevant memories:\n- user lives in Porto\n- user is a vet", conversation.Recalled}, {"I moved to Faro.", conversation.Stated}}},
	} {
		talk := read(user(c.text)...)
		var got []part
		for _, s := range talk.Sentences {
			got = append(got, part{s.Text, s.Kind})
		}
		if len(got) != len(c.want) {
			t.Errorf("%q:\n got %v\nwant %v", c.text, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%q: part %d is %q %v, want %q %v", c.text, i, got[i].text, got[i].kind, c.want[i].text, c.want[i].kind)
			}
		}
	}
}

func TestRead_OthersThanTheUserClaim(t *testing.T) {
	for _, role := range []string{conversation.Assistant, conversation.System, conversation.Tool} {
		talk := read(conversation.Turn{Role: role, Content: "My home is in Finland and I adore chess."})
		for _, s := range talk.Sentences {
			if s.Kind != conversation.Claimed || s.Speaker != role {
				t.Errorf("%s: %v by %q, want claimed", role, s.Kind, s.Speaker)
			}
		}
	}
}

func TestRead_RecalledMemoriesInsideAnAssistantsTurn(t *testing.T) {
	talk := read(conversation.Turn{Role: conversation.Assistant, Content: "Here is what I remember: <memories>\nWhat is remembered about the user.\n- I prefer window seats.\n</memories>"})
	last := talk.Sentences[len(talk.Sentences)-1]
	if last.Kind != conversation.Recalled {
		t.Errorf("the frame is %v, want recalled", last.Kind)
	}
}

func TestRead_RolePlayGoesOnUntilItEnds(t *testing.T) {
	talk := read(user("Let's role-play: you are Captain Zara and I am a smuggler from the moon who hates robots.", "I have lived on Mars for years.", "Out of character: I live in Oslo.")...)
	for _, s := range talk.Sentences {
		want := conversation.Fiction
		if s.Turn == 2 {
			want = conversation.Stated
		}
		if s.Kind != want {
			t.Errorf("turn %d %q: %v, want %v", s.Turn, s.Text, s.Kind, want)
		}
	}
}

func TestRead_RolePlayIsOver(t *testing.T) {
	for start, end := range map[string]string{
		"Let's role-play: you are an innkeeper and I am a knight.": "OK, end of role-play. I live in Leeds.",
		"Let's do a role-play. I am a knight.":                     "The role-play is over. I live in Leeds.",
		"我们来玩角色扮演吧，我是一名剑客。":                                        "好了，角色扮演结束。我住在杭州。",
	} {
		talk := read(user(start, end)...)
		if last := talk.Sentences[len(talk.Sentences)-1]; talk.Sentences[0].Kind == conversation.Stated || last.Kind != conversation.Stated {
			t.Errorf("%q is %v, then %q is %v, want fiction and stated", start, talk.Sentences[0].Kind, last.Text, last.Kind)
		}
	}
}

// A turn that opens by owning to a joke is about the one before, of the same speaker.
func TestRead_JestTakesBackTheTurnBefore(t *testing.T) {
	for said, jest := range map[string]string{
		"I'm a vegetarian.": "Just kidding, I eat meat every day.",
		"Soy vegetariano.":  "Es broma, como carne todos los días.",
		"我住在月亮上。":           "开玩笑的，我住在成都。",
	} {
		if got := read(user(said, jest)...).Sentences[0].Kind; got != conversation.Fiction {
			t.Errorf("%q before %q is %v, want fiction", said, jest, got)
		}
		if got := read(user(said, "OK.", jest)...).Sentences[0].Kind; got != conversation.Stated {
			t.Errorf("%q two turns before %q is %v, want stated", said, jest, got)
		}
	}
}

func TestRead_UnsaidHidesTheTurnBefore(t *testing.T) {
	talk := read(user("I'm seeing a therapist on Mondays.", "Forget what I just said.")...)
	if got := talk.Sentences[0].Kind; got != conversation.Confidential {
		t.Errorf("what was unsaid is %v, want confidential", got)
	}
}

func TestRead_ShortAnswerTakesItsQuestion(t *testing.T) {
	for _, c := range []struct{ question, answer, said string }{
		{"Where do you live?", "Porto.", "I live in Porto"},
		{"What's your name?", "Oksana", "My name is Oksana"},
		{"What is your favourite colour?", "green", "My favourite colour is green"},
		{"您在哪个区上班？", "漕河泾", "您在哪个区上班？ 漕河泾"},
		{"你住在哪里？", "苏州", "我住在苏州"},
		{"Where do you live?", "In Rauma.", "I live in Rauma"},
		{"Where do you live?", "in", "I live in in"},
		{"What's your name?", "It's Karl", "My name is Karl"},
		{"What are you allergic to?", "To nuts", "I am allergic to nuts"},
		{"您住在哪里？", "住在昆明。", "我住在昆明"},
		{"您叫什么名字？", "叫王磊", "我叫王磊"},
		{"How many rooms do you need?", "three", "How many rooms do you need? three"},
	} {
		talk := read(conversation.Turn{Role: conversation.Assistant, Content: c.question}, conversation.Turn{Role: conversation.User, Content: c.answer})
		got := talk.Sentences[len(talk.Sentences)-1]
		if got.Prompted != c.question || got.Words() != c.said {
			t.Errorf("%q, %q: says %q to %q, want %q", c.question, c.answer, got.Words(), got.Prompted, c.said)
		}
	}
}

// The number of an item of a list is no word of its sentence.
func TestRead_NumberedLists(t *testing.T) {
	for content, want := range map[string][]string{
		"1. My name is Karl\n2. I live in Bonn":                               {"My name is Karl", "I live in Bonn"},
		"关于我：\n1、我叫王磊\n(2) 我住在杭州":                                             {"关于我：", "我叫王磊", "我住在杭州"},
		"I was born in May, in Ulm.\n3.5 years on we moved.\n12 people came.": {"I was born in May, in Ulm.", "3.5 years on we moved.", "12 people came."},
	} {
		var got []string
		for _, s := range read(user(content)...).Sentences {
			got = append(got, s.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", content, got, want)
		}
	}
}

func TestRead_AgreementTakesOverAGuess(t *testing.T) {
	for _, c := range []struct{ guess, answer, said string }{
		{"So you live in Porto and teach maths, right?", "Yes, exactly.", "I live in Porto and teach maths"},
		{"你是素食主义者，对吧？", "对", "我是素食主义者"},
	} {
		talk := read(conversation.Turn{Role: conversation.Assistant, Content: c.guess}, conversation.Turn{Role: conversation.User, Content: c.answer})
		if got := talk.Sentences[0]; got.Kind != conversation.Stated || got.Words() != c.said || got.Speaker != conversation.User {
			t.Errorf("%q, %q: %v %q by %s, want stated %q", c.guess, c.answer, got.Kind, got.Words(), got.Speaker, c.said)
		}
	}
	for _, answer := range []string{"No.", "换一个类型的电影可以吗？", "thanks"} {
		talk := read(conversation.Turn{Role: conversation.Assistant, Content: "You live in Porto."}, conversation.Turn{Role: conversation.User, Content: answer})
		if got := talk.Sentences[0].Kind; got != conversation.Claimed {
			t.Errorf("after %q the guess is %v, want claimed", answer, got)
		}
	}
	talk := read(conversation.Turn{Role: conversation.Assistant, Content: "You could add a start date."}, conversation.Turn{Role: conversation.User, Content: "Yes."})
	if got := talk.Sentences[0].Kind; got != conversation.Claimed {
		t.Errorf("an offer that is taken is %v, want claimed", got)
	}
}

func TestRead_SpeakersByName(t *testing.T) {
	talk := conversation.Read([]conversation.Turn{
		{Role: conversation.User, Name: "Priya", Content: "I'm allergic to walnuts."},
		{Role: conversation.User, Name: "Jonas", Content: "I live in Aalborg."},
		{Role: conversation.User, Content: "I live in Ghent."},
	}, conversation.Options{Users: []string{"jonas"}})
	for i, want := range []string{"Priya", conversation.User, conversation.User} {
		if got := talk.Sentences[i].Speaker; got != want {
			t.Errorf("turn %d is %q's, want %q's", i, got, want)
		}
	}
}

func TestRead_Language(t *testing.T) {
	for text, want := range map[string]string{"I live in Utrecht and I like it there.": "en", "我住在厦门。": "zh", "私は大阪に住んでいます。": "ja"} {
		if got := read(user(text)...).Language; got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestRead_LongInputIsReadWhole(t *testing.T) {
	content := ""
	for range 300 {
		content += "What is the weather like in the valley of stones today? "
	}
	talk := read(user(content, "I prefer the smaller tent.")...)
	if got := talk.Sentences[len(talk.Sentences)-1]; got.Text != "I prefer the smaller tent." || got.Kind != conversation.Stated {
		t.Errorf("the last sentence is %q, %v", got.Text, got.Kind)
	}
}

func TestEvent(t *testing.T) {
	for text, want := range map[string]bool{
		"Remember that I'm allergic to lanolin.":             true,
		"From now on, answer in metric.":                     true,
		"My goal is to read forty books this year.":          true,
		"I prefer trains over planes.":                       true,
		"记住：我的目标是六月之前跑完半程马拉松。":                               true,
		"我喜欢用Markdown格式看总结。":                                 true,
		"my goal: learn Finnish this year":                   true,
		"My goals are to swim and to read.":                  true,
		"从现在开始用英文回答我。":                                       true,
		"从今天起先给结论。":                                          true,
		"What time is it in Quito?":                          false,
		"What is my favourite tea?":                          false,
		"> from now on I live in Leeds":                      false,
		"How deep is Lake Baikal?":                           false,
		"你叫什么名字？":                                            false,
		"That sounds lovely, tell me how it went!":           false,
		"The garden looked great after all the rain we had.": false,
	} {
		reason, ok := conversation.Event(user(text))
		if ok != want || ok != (reason != "") {
			t.Errorf("%q: %v %q, want %v", text, ok, reason, want)
		}
	}
	if _, ok := conversation.Event([]conversation.Turn{{Role: conversation.Assistant, Content: "Remember that you're allergic."}}); ok {
		t.Error("the assistant's words are an event")
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"I like tea. > no", "“我”说：\n```x", "<memories>\n- a", "a\x00\xff？!", "user: x\nuser: y", "：\"", "So you live?", "- \n1. \n", "[05/03/2024, 10:01] A: x\nB — 1.2.24 3:04 PM\ny", "## User\n31/04/24 25:61 A: z", "[13.03.24, 10:02] B left\n[13.03.24, 10:02] ~ +49 1: x"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		turns := []conversation.Turn{{Role: conversation.Assistant, Content: a}, {Role: conversation.User, Content: b, Time: time.Unix(0, 0)}, {Role: conversation.User, Name: "Priya", Content: a}}
		talk := conversation.Read(turns, conversation.Options{})
		turn, end := -1, 0
		for _, s := range talk.Sentences {
			if s.Turn != turn {
				if s.Turn < turn {
					t.Fatalf("turn %d after %d", s.Turn, turn)
				}
				turn, end = s.Turn, 0
			}
			content := talk.Turns[s.Turn].Content
			if s.Start < end || s.End <= s.Start || s.End > len(content) || content[s.Start:s.End] != s.Text {
				t.Fatalf("span %d–%d of %q after %d, text %q", s.Start, s.End, content, end, s.Text)
			}
			if (s.Why == "") != (s.Kind == conversation.Stated) {
				t.Fatalf("%q is %v because %q", s.Text, s.Kind, s.Why)
			}
			end = s.End
		}
		conversation.Event(turns)
		conversation.ParseText(a, time.UTC)
	})
}

// What is pasted with its beginning is another's word up to an empty line, whatever
// it says of "you"; what follows is the speaker's own.
func TestRead_PastedMailAndShell(t *testing.T) {
	for _, content := range []string{
		"from: desk@depot.example\nsubject: Your locker\nDear customer, I live in Utrecht.\n\nMy own word is this.",
		"From: A <a@b.example>\nTo: me\nSubject: hi\n\nI live in Utrecht.\n\nMy own word is this.",
		"发件人：小周\n主题：周报\n我住在乌得勒支。\n\nMy own word is this.",
		"$ git status\nOn branch main\nI live in Utrecht.\n\nMy own word is this.",
		"amy@atlas:~/src$ git status\nOn branch main\nI live in Utrecht.\n\nMy own word is this.",
	} {
		stated := 0
		for _, s := range read(user(content)...).Sentences {
			if s.Kind != conversation.Stated {
				continue
			}
			stated++
			if s.Text != "My own word is this." {
				t.Errorf("%q: stated %q", content, s.Text)
			}
		}
		if stated != 1 {
			t.Errorf("%q: %d sentences are stated, want 1", content, stated)
		}
	}
	if s := read(user("Subject: I live in Utrecht.\nTomorrow I fly to Oslo.")...).Sentences; s[len(s)-1].Kind != conversation.Stated {
		t.Error("one line that looks like a header makes no mail")
	}
}

// "Scratch that" takes back what was said, unless it goes on with what should have been.
func TestRead_ScratchThat(t *testing.T) {
	rights := func(words, before string) bool { return strings.HasSuffix(words, "it's Lyon.") }
	for words, want := range map[string]conversation.Kind{"Scratch that.": conversation.Confidential, "Scratch that, it's Lyon.": conversation.Stated} {
		talk := conversation.Read(user("I live in Lille.", words), conversation.Options{Rights: rights})
		if got := talk.Sentences[0].Kind; got != want {
			t.Errorf("%q makes what was said before it %v, want %v", words, got, want)
		}
	}
}

// A dream that is told goes on until its teller comes back from it.
func TestRead_Dreams(t *testing.T) {
	for content, want := range map[string]conversation.Kind{
		"I had the weirdest dream. I was prime minister.":                                 conversation.Fiction,
		"I had the weirdest dream. Anyway, I live in Utrecht.":                            conversation.Stated,
		"My dream is a house at the sea. I live in Utrecht.":                              conversation.Stated,
		"変な夢見た。私が総理大臣で、毎週水曜は国会でけん玉をしています。":                                                conversation.Fiction,
		"変な夢を見ました。ところで、私は大阪に住んでいます。":                                                      conversation.Stated,
		"昨晚做了个怪梦。我是总理，住在月亮上。":                                                             conversation.Fiction,
		"Ich habe geträumt, dass ich in Paris wohne. Ich war Pilot und hatte drei Hunde.": conversation.Fiction,
		"Ich hatte einen Albtraum. Übrigens, ich wohne in Kiel.":                          conversation.Stated,
		"J'ai fait un rêve. J'étais pilote et j'habitais à Paris.":                        conversation.Fiction,
		"J'ai rêvé que je volais. Au fait, j'habite à Lyon.":                              conversation.Stated,
		"Anoche soñé que volaba. Era piloto y vivía en París.":                            conversation.Fiction,
		"Ho sognato di volare. Ero pilota e abitavo a Parigi.":                            conversation.Fiction,
		"Sonhei que voava. Eu era piloto e morava em Paris.":                              conversation.Fiction,
		"昨晚做了个怪梦。对了，我住在成都。":                                                               conversation.Stated,
		"隣の席の人がずっと「俺は来週から京都勤務だ」って電話で自慢してる。":                                               conversation.Quoted,
	} {
		talk := conversation.Read(user(content), conversation.Options{})
		if got := talk.Sentences[len(talk.Sentences)-1].Kind; got != want {
			t.Errorf("%q ends with %v, want %v", content, got, want)
		}
	}
}

func TestSentences_ASlipGoesWithWhatAmendsIt(t *testing.T) {
	for s, want := range map[string]int{
		"No, not Acme. Globex.": 1, "Scratch that. It's Lyon.": 1, "不对，不是腾讯。是阿里。": 1, "说错了。是蓝色。": 1,
		"Yes. Globex is fine.": 2, "Not Acme. We moved on to other suppliers a year ago.": 2, "Typo. Or what?": 2, "不是我。他昨天晚上在公司加班到很晚才回家。": 2,
	} {
		if got := conversation.Sentences(s); len(got) != want {
			t.Errorf("%q: %d sentences, want %d", s, len(got), want)
		}
	}
}

// What others said is theirs, however it was pasted into a message.
func TestRead_PastedTalksAndMails(t *testing.T) {
	for _, content := range []string{
		"Here's our chat:\nAnna\n10:02 AM\nI live in Utrecht.\nBen\n10:03 AM\nI work at Acme.",
		"2026-03-05 10:02:11 张伟\n我住在成都。\n\n2026-03-05 10:03:00 李娜\n我在腾讯上班。",
		"10:02\tHana\tI live in Utrecht.\n10:03\tKen\tI work at Acme.",
		"From: Anna <a@b.example>\nTo: me\nSubject: hi\n\nI live in Utrecht.\n\nI work at Acme.\n\nAnna",
		"From: Anna <a@b.example>\nTo: me\n\nHi Ben,\n\nI live in Utrecht.\n\nI work at Acme.",
		"-----Original Message-----\nI live in Utrecht.\n\nI work at Acme.",
		"Am 02.03.2026 um 10:02 schrieb Anna:\nI live in Utrecht.\n\nI work at Acme.",
		"Anna wrote me: I live in Utrecht and I work at Acme.",
		"My brother texted: I work at Acme now.",
		"Her message was: I live in Utrecht.",
		"转发自张伟：\n我住在成都。",
		"我妈发来消息：我对花生过敏。",
	} {
		for _, s := range read(user(content)...).Sentences {
			if s.Kind == conversation.Stated && strings.ContainsAny(s.Text, "I我") {
				t.Errorf("%q: %q is the user's", content, s.Text)
			}
		}
	}
	for content, want := range map[string]string{
		"From: Anna <a@b.example>\nTo: me\n\nHi Ben,\n\nI live in Utrecht.\n\nBest,\nAnna\n\nI am vegetarian.": "I am vegetarian.",
		"-----Original Message-----\nI live in Utrecht.\n---\nI am vegetarian.":                                "I am vegetarian.",
		"I told Anna: I live in Utrecht.":                "I told Anna: I live in Utrecht.",
		"I start at 9:30 on Mondays.\nI leave at 17:30.": "I leave at 17:30.",
	} {
		all := read(user(content)...).Sentences
		if last := all[len(all)-1]; last.Kind != conversation.Stated || last.Text != want {
			t.Errorf("%q: %q is %v, want %q stated", content, last.Text, last.Kind, want)
		}
	}
}

// A text that is pasted with what it is heads no statements of who pasted it.
func TestRead_PastedTexts(t *testing.T) {
	for _, content := range []string{
		"Please improve this cover letter: Dear Ms Hill, I have worked at Acme for six years. I live in Leeds.",
		"Please improve this cover letter:\n\nDear Ms Hill,\n\nI have worked at Acme for six years. I live in Leeds.",
		"Can you proofread my essay? I live in Leeds with my two cats. I work at Acme.",
		"Could you check my homework.\nMy name is Anna. I live in London.",
		"Fiction draft: I live in Mordor. My name is Grok.",
		"Here's the draft of my novel's first chapter. My name is Ishmael. I live in Nantucket.",
		"Here's a sample text for testing: I live in Leeds and work as a baker.",
		"Quiz question: I live in the Arctic and I am white.",
		"I wrote a short story:\nI live in a castle. I am a duke.",
		"Does my personal statement sound okay? I grew up in Porto. I speak four languages.",
		"My cover letter: I work at Acme. I live in Leeds.",
		"Dear Hiring Manager, I have worked at Acme for six years. I live in Leeds.",
		"Can you check the grammar in my letter?\nI am a nurse. I live in Turin.",
		"Text for my German class: I live in Berlin. I have two dogs.",
		"// I live in Leeds and work at Acme",
		"帮我润色这封求职信：尊敬的李经理，我在腾讯工作了六年，住在深圳。",
		"这是一段示例文本：我住在北京，我是医生。",
		"帮我看看这篇作文。我叫李雷，我住在北京。",
		"小说草稿：我住在月亮上，我是骑士。",
		"尊敬的李经理：我在腾讯工作了六年。我住在深圳。",
		"以下是我的求职信。我在腾讯工作了六年。",
		"これは小説の下書きです。私は城に住んでいます。",
		"志望動機：私は東京に住んでいます。",
		"自己PRを添削してもらえますか？私はトヨタで働いています。",
	} {
		for _, s := range read(user(content)...).Sentences {
			if s.Kind == conversation.Stated {
				t.Errorf("%q: %q is stated", content, s.Text)
			}
		}
	}
}

// What only speaks of such a text, and what is one's own, is one's own word.
func TestRead_OwnWordsBesideTexts(t *testing.T) {
	for content, want := range map[string]string{
		"Could you edit the report for me tomorrow? I work at Acme.":               "I work at Acme.",
		"This is my third essay this week. I live in Leeds.":                       "I live in Leeds.",
		"Please read the article you sent. I live in Leeds.":                       "I live in Leeds.",
		"Here's my draft. By the way, I live in Leeds.":                            "By the way, I live in Leeds.",
		"帮我改一下稿子。对了，我住在上海。":                                                        "对了，我住在上海。",
		"My CV: I live in Leeds. I work at Acme.":                                  "I work at Acme.",
		"I'm writing a novel. I live in Leeds.":                                    "I live in Leeds.",
		"I have an essay due on Friday. I live in Leeds.":                          "I live in Leeds.",
		"Here's my cover letter:\nI work at Acme.\n\nBy the way, I live in Leeds.": "By the way, I live in Leeds.",
		"I have to check my homework tonight. I live in Leeds.":                    "I live in Leeds.",
		"Dear Claude, I live in Leeds.":                                            "Dear Claude, I live in Leeds.",
		"我的简历：我在腾讯工作，住在深圳。":                                                        "我的简历：我在腾讯工作，住在深圳。",
		"我的作文得了奖。我住在成都。":                                                           "我住在成都。",
		"作文が苦手です。大阪に住んでいます。":                                                       "大阪に住んでいます。",
	} {
		talk := read(user(content)...)
		if last := talk.Sentences[len(talk.Sentences)-1]; last.Kind != conversation.Stated || last.Text != want {
			t.Errorf("%q: %q is %v, want %q stated", content, last.Text, last.Kind, want)
		}
	}
}

// A guess that is denied is answered by what comes after.
func TestRead_AnswersThatDenyAGuess(t *testing.T) {
	amended := func(words string) (string, bool) {
		return strings.Replace(words, "Acme, no wait, ", "", 1), strings.Contains(words, ", no wait, ")
	}
	for _, c := range [][3]string{
		{"Where do you work? Acme?", "No, Globex.", "I work at Globex"},
		{"Where do you work? Acme?", "No, not Acme. Globex.", "I work at Globex"},
		{"Where do you work? Acme?", "Acme? No, Globex.", "I work at Globex"},
		{"Where do you live, Bonn?", "no, Aachen", "I live in Aachen"},
		{"Where do you live?", "Aachen.", "I live in Aachen"},
		{"Where do you live?", "Not Bonn anymore. Aachen.", "I live in Aachen"},
		{"You work at Acme, right?", "No, Globex.", "I work at Globex"},
		{"Where do you work?", "No, I'm retired.", ""},
		{"Where do you work?", "From home.", "Where do you work? From home"},
		{"Where do you live?", "Not far from Leeds.", "Where do you live? Not far from Leeds"},
		{"Where do you work? Acme?", "No, nowhere.", ""},
		{"你在哪家公司上班？腾讯？", "不是，是阿里巴巴。", "我在阿里巴巴工作"},
		{"你在哪家公司上班？腾讯？", "不是腾讯，是阿里巴巴。", "我在阿里巴巴工作"},
		{"你在哪家公司上班？腾讯？", "腾讯？不是，阿里巴巴。", "我在阿里巴巴工作"},
		{"どこに住んでいますか？東京？", "いいえ、大阪です。", "大阪に住んでいます"},
	} {
		talk := conversation.Read([]conversation.Turn{{Role: conversation.Assistant, Content: c[0]}, {Role: conversation.User, Content: c[1]}}, conversation.Options{Amended: amended})
		if got := talk.Sentences[len(talk.Sentences)-1]; got.Said != c[2] {
			t.Errorf("%q, %q says %q, want %q", c[0], c[1], got.Said, c[2])
		}
	}
}

// A line that opens with a name is of who has it.
func TestRead_LabelledLines(t *testing.T) {
	for content, want := range map[string][]string{
		"Anna: I live in Leeds.":                       {"Anna", "I live in Leeds."},
		"Anna: I live in Leeds. I have a cat.":         {"Anna", "I live in Leeds.", "Anna", "I have a cat."},
		"Anna: I live in Leeds.\nI live in Ghent.":     {"Anna", "I live in Leeds.", "user", "I live in Ghent."},
		"Anna: I live in Leeds.\nBen: I work at Acme.": {"Anna", "I live in Leeds.", "Ben", "I work at Acme."},
		"王芳：我住在北京。":                                    {"王芳", "我住在北京。"},
		"田中さん：私は大阪に住んでいます。":                            {"田中さん", "私は大阪に住んでいます。"},
		"Note: I live in Leeds.":                       {"user", "Note: I live in Leeds."},
		"Background: I live in Leeds.":                 {"user", "Background: I live in Leeds."},
		"Me: I live in Leeds.":                         {"user", "Me: I live in Leeds."},
		"Correction: I live in Leeds.":                 {"user", "Correction: I live in Leeds."},
		"我的简历：我住在北京。":                                  {"user", "我的简历：我住在北京。"},
		"Summer: I love swimming.":                     {"user", "Summer: I love swimming."},
		"January: I moved to Leeds.":                   {"user", "January: I moved to Leeds."},
		"Weather: I hate rain.\nMusic: I love jazz.":   {"user", "Weather: I hate rain.", "user", "Music: I love jazz."},
		"Hey Claude: I live in Leeds.":                 {"user", "Hey Claude: I live in Leeds."},
		"Alexa: I live in Leeds.":                      {"user", "Alexa: I live in Leeds."},
		"周末：我喜欢爬山。":                                    {"user", "周末：我喜欢爬山。"},
		"金融：我在腾讯上班。":                                   {"user", "金融：我在腾讯上班。"},
		"バイト：私はスタバで働いています。":                            {"user", "バイト：私はスタバで働いています。"},
		"Pat: I live in Leeds.":                        {"user", "I live in Leeds."},
	} {
		var got []string
		for _, s := range conversation.Read(user(content), conversation.Options{Users: []string{"Pat"}}).Sentences {
			got = append(got, s.Speaker, s.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", content, got, want)
		}
	}
}
