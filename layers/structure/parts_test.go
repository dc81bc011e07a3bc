package structure_test

import (
	"strings"
	"testing"
	"time"

	"mcp-memory/layers/structure"
)

// partsOf lists the parts of a sentence: "entity · attribute · value | words".
func partsOf(text string) string {
	var out []string
	for _, p := range structure.Parts(structure.Input{Text: text, ObservedAt: observed}) {
		polarity := ""
		if p.Polarity == "-" {
			polarity = "not "
		}
		out = append(out, p.Entity+" · "+p.Attribute+" · "+polarity+p.Value+" | "+p.Text)
	}
	return strings.Join(out, "\n")
}

func TestParts_EachStandsAlone(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"I'm a veterinary nurse and I live in Utrecht.", "user · job title · veterinary nurse | I'm a veterinary nurse.\nuser · home city · Utrecht | I live in Utrecht."},
		{"I work at Siemens as a data engineer.", "user · employer · Siemens | I work at Siemens.\nuser · job title · data engineer | I work as a data engineer."},
		{"My wife works as a nurse at Charité.", "wife · employer · Charité | My wife works at Charité.\nwife · job title · nurse | My wife works as a nurse."},
		{"I'm a data engineer at Siemens and live in Munich.", "user · employer · Siemens | I'm a data engineer at Siemens.\nuser · job title · data engineer | I'm a data engineer.\nuser · home city · Munich | I live in Munich."},
		{"I was born in 1990 in Porto.", "user · birth year · 1990 | I was born in 1990.\nuser · birthplace · Porto | I was born in Porto."},
		{"I was born in Porto in 1990.", "user · birth year · 1990 | I was born in 1990.\nuser · birthplace · Porto | I was born in Porto."},
		{"My name is Priya Raman, but friends call me Pri.", "user · name · Priya Raman | My name is Priya Raman.\nuser · form of address · Pri | Friends call me Pri."},
		{"My name is Ana, I'm 34 and I live in Lima.", "user · name · Ana | My name is Ana.\nuser · age · 34 | I'm 34.\nuser · home city · Lima | I live in Lima."},
		{"My sister Anna lives in Vienna and hates flying.", "Anna · home city · Vienna | My sister Anna lives in Vienna.\nAnna · likes · not flying | My sister Anna hates flying."},
		{"My sister Anna lives in Vienna and she is a dentist.", "Anna · home city · Vienna | My sister Anna lives in Vienna.\nAnna · job title · dentist | My sister Anna is a dentist."},
		{"Tom lives in Oslo and I work at Initech.", "Tom · home city · Oslo | Tom lives in Oslo.\nuser · employer · Initech | I work at Initech."},
		{"The user is a nurse and lives in Utrecht.", "user · job title · nurse | The user is a nurse.\nuser · home city · Utrecht | The user lives in Utrecht."},
		{"I work at Acme, and my brother works at Acme too.", "user · employer · Acme | I work at Acme.\nbrother · employer · Acme | My brother works at Acme too."},
		{"Anna works at Acme, and so do I.", "Anna · employer · Acme | Anna works at Acme.\nuser · employer · Acme | Anna works at Acme, and so do I."},
		{"I live in Leeds, and so does my sister Ann.", "user · home city · Leeds | I live in Leeds.\nAnn · home city · Leeds | I live in Leeds, and so does my sister Ann."},
		{"My wife is a teacher and so am I.", "wife · job title · teacher | My wife is a teacher.\nuser · job title · teacher | My wife is a teacher and so am I."},
		{"我姐姐住在成都，我也住在成都。", "姐姐 · home city · 成都 | 我姐姐住在成都。\nuser · home city · 成都 | 我也住在成都。"},
		{"我哥在腾讯工作，我也是。", "哥哥 · employer · 腾讯 | 我哥在腾讯工作。\nuser · employer · 腾讯 | 我哥在腾讯工作，我也是。"},
		{"I have two kids, Mia and Leo.", "user · children · Mia | I have two kids, Mia and Leo.\nuser · children · Leo | I have two kids, Mia and Leo."},
		{"I have a dog called Rex and a cat called Tom.", "user · pets · Rex | I have a dog called Rex.\nuser · pets · Tom | I have a cat called Tom."},
		{"I speak Thai and Lao.", "user · languages · Thai | I speak Thai.\nuser · languages · Lao | I speak Lao."},
		{"我今年三十五岁,在杭州做产品经理。", "user · age · 三十五 | 我今年三十五岁。\nuser · work city · 杭州 | 我在杭州工作。\nuser · job title · 产品经理 | 我做产品经理。"},
		{"我女儿叫朵朵,今年五岁。", "user · daughters · 朵朵 | 我女儿叫朵朵。\n女儿 · age · 五 | 我女儿今年五岁。"},
		{"我女儿叫朵朵，儿子叫乐乐。", "user · daughters · 朵朵 | 我女儿叫朵朵。\nuser · sons · 乐乐 | 我儿子叫乐乐。"},
		{"我是护士，我老公是医生。", "user · job title · 护士 | 我是护士。\n老公 · job title · 医生 | 我老公是医生。"},
		{"我是产品经理而且住在深圳。", "user · job title · 产品经理 | 我是产品经理。\nuser · home city · 深圳 | 我住在深圳。"},
		{"我妹妹住在北京，她是医生。", "妹妹 · home city · 北京 | 我妹妹住在北京。\n妹妹 · job title · 医生 | 我妹妹是医生。"},
		{"我同事小王住在南京，喜欢打篮球。", "小王 · home city · 南京 | 我同事小王住在南京。\n小王 · likes · 篮球 | 我同事小王喜欢打篮球。"},
		{"我1990年出生在波尔图。", "user · birth year · 1990 | 我1990年出生。\nuser · birthplace · 波尔图 | 我出生在波尔图。"},
	} {
		t.Run(test.text, func(t *testing.T) {
			if got := partsOf(test.text); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// What comes near a sentence of two statements and is none.
func TestParts_NoneOf(t *testing.T) {
	for name, text := range map[string]string{
		"one statement":                   "I live in Utrecht.",
		"a hypothetical":                  "If I were a nurse and lived in Utrecht, I'd cycle.",
		"a supposition":                   "Suppose I'm a nurse and I live in Utrecht.",
		"a question":                      "Am I a nurse and do I live in Utrecht?",
		"reported speech":                 "He said he is a nurse and lives in Utrecht.",
		"a negation over both":            "I no longer work at Google and live in Zurich.",
		"a past over both":                "I used to live in Paris and work at Renault.",
		"a wish over both":                "I want to be a nurse and live in Utrecht.",
		"negations":                       "I'm not a nurse and I don't live in Utrecht.",
		"an ending and what follows":      "I no longer work at Google; I joined Stripe in May.",
		"a clause that is not understood": "I live in Utrecht and I think it's nice.",
		"a reason":                        "I drink tea and live in Oslo because it's cold.",
		"a pronoun of nobody":             "She works at Siemens as a nurse.",
		"a friend's wife":                 "My friend's wife's name is Elena and she lives in Rome.",
		"one thing with an and":           "I like Simon and Garfunkel.",
		"a company with an and":           "I work at Johnson and Johnson.",
		"a volunteer":                     "I work at Siemens as a volunteer.",
		"two sentences":                   "I live in Utrecht. I work at Initech.",
		"a condition in Chinese":          "如果我是护士，住在杭州，就好了。",
		"hearsay in Chinese":              "听说他是护士，住在杭州。",
		"whose age in Chinese":            "我有个女儿，今年五岁。",
		"whose husband in Chinese":        "我妹妹住在北京，老公是医生。",
		"her husband in Chinese":          "我妹妹住在北京，她老公是医生。",
		"a past over both in Chinese":     "我以前住在北京，在百度工作。",
		"a pet and its name":              "我们家养了一条柯基，名字叫豆包。",
		"a wish in Chinese":               "我想当护士，住在杭州。",
		"another script":                  "Я медсестра и живу в Утрехте.",
		"nothing":                         "",
	} {
		t.Run(name, func(t *testing.T) {
			if got := partsOf(text); got != "" {
				t.Errorf("%s\n%s", text, got)
			}
		})
	}
}

// The parts of a sentence are statements of one text each.
func TestParts_AreReadAsTheyAreWritten(t *testing.T) {
	for _, text := range []string{"I'm a nurse and I live in Utrecht.", "我今年三十五岁，在杭州做产品经理。", "I speak Thai and Lao."} {
		for _, p := range structure.Parts(structure.Input{Text: text, ObservedAt: observed}) {
			st, ok := structure.Parse(structure.Input{Text: p.Text, ObservedAt: observed})
			if !ok || st.Attribute != p.Attribute || st.Value != p.Value || st.Entity != p.Entity {
				t.Errorf("%q is read as %s", p.Text, describe(st, ok))
			}
		}
	}
}

func TestCorrection_Apply(t *testing.T) {
	for _, test := range []struct{ before, says, want string }{
		{"I live in Paris.", "Sorry, I meant Lyon, not Paris.", "user · home city · Lyon | I live in Lyon."},
		{"I live in Paris.", "No, it's Lyon.", "user · home city · Lyon | I live in Lyon."},
		{"I work at Google.", "Not Google, Stripe.", "user · employer · Stripe | I work at Stripe."},
		{"My favourite colour is green.", "Actually, it's blue.", "user · favourite colour · blue | My favourite colour is blue."},
		{"My wife's name is Elena.", "Oops, it’s Helena.", "user · wife · Helena | My wife's name is Helena."},
		{"I'm 34.", "Oops, I meant 35.", "user · age · 35 | I'm 35."},
		{"我最喜欢的颜色是绿色。", "说错了,是蓝色。", "user · favourite colour · 蓝色 | 我最喜欢的颜色是蓝色。"},
		{"我住在北京。", "我是说上海，不是北京。", "user · home city · 上海 | 我住在上海。"},
		{"我今年三十五岁。", "记错了，是三十六岁。", "user · age · 三十六 | 我今年三十六岁。"},
		{"I work at Acme.", "No, not Acme. Globex.", "user · employer · Globex | I work at Globex."},
		{"I'm allergic to peanuts.", "Scratch that, it's cashews", "user · allergies · cashews | I'm allergic to cashews."},
		{"I live in Paris.", "I didn't mean Paris, I meant Lyon.", "user · home city · Lyon | I live in Lyon."},
		{"I live in Paris.", "Lyon, not Paris.", "user · home city · Lyon | I live in Lyon."},
		{"I live in Paris.", "Lyon, I meant.", "user · home city · Lyon | I live in Lyon."},
		{"I live in Paris.", "*Lyon", "user · home city · Lyon | I live in Lyon."},
		{"I'm 34.", "Typo, 35.", "user · age · 35 | I'm 35."},
		{"I work at Acme.", "my bad: Globex", "user · employer · Globex | I work at Globex."},
		{"My wife's name is Anna.", "Her name is Anne, not Anna.", "user · wife · Anne | My wife's name is Anne."},
		{"我在腾讯上班。", "不对，不是腾讯。是阿里。", "user · employer · 阿里 | 我在阿里上班。"},
		{"我对虾过敏。", "更正：是蟹。", "user · allergies · 蟹 | 我对蟹过敏。"},
		{"我最喜欢的颜色是绿色。", "打错了，蓝色", "user · favourite colour · 蓝色 | 我最喜欢的颜色是蓝色。"},
		{"我叫李雷。", "写错了，叫李蕾。", "user · name · 李蕾 | 我叫李蕾。"},
		{"我今年三十五岁。", "不对，三十六岁。", "user · age · 三十六 | 我今年三十六岁。"},

		{"I live in Paris.", "My bad, John.", "-"},
		{"I live in Paris.", "*Sighs", "-"},
		{"I like tea.", "*sigh", "-"},
		{"I live in Paris.", "*Lyon*", "-"},
		{"I live in Paris.", "Monday, not Tuesday.", "-"},
		{"I live in Paris.", "Scratch that, it's private.", "-"},
		{"I live in Paris.", "Typo. Thanks for noticing.", "-"},
		{"我在腾讯工作。", "说错了，不好意思。", "-"},
		{"我在腾讯工作。", "不是，是因为太忙了。", "-"},
		{"我在腾讯工作。", "不对，今天不行。", "-"},
		{"I live in Paris.", "Sorry, Lyon, not Rome.", "-"},
		{"I live in Paris.", "I mean it.", "-"},
		{"I live in Paris.", "I mean, Lyon is nice, not Paris.", "-"},
		{"I live in Paris.", "Did you mean Lyon?", "-"},
		{"I live in Paris.", "Actually, it's nice there.", "-"},
		{"I live in Paris.", "Actually, it's raining.", "-"},
		{"I live in Paris.", "Lyon.", "-"},
		{"I live in Paris.", "No, it's Paris.", "-"},
		{"My favourite colour is green.", "Actually, it's a nice colour.", "-"},
		{"My favourite colour is green.", "Actually, it's 3.", "-"},
		{"The weather is fine.", "Sorry, I meant bad.", "-"},
		{"我住在北京。", "其实是误会。", "-"},
		{"我住在北京。", "说错了，是我不好。", "-"},
		{"我住在北京。", "不是南京，是上海。", "-"},
	} {
		t.Run(test.before+" "+test.says, func(t *testing.T) {
			got := "-"
			if c, ok := structure.CorrectionOf(test.says); ok {
				if p, ok := c.Apply(structure.Input{Text: test.before, ObservedAt: observed}); ok {
					got = p.Entity + " · " + p.Attribute + " · " + p.Value + " | " + p.Text
				}
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// Whatever is taken apart or put right is read from its words again.
func FuzzParts(f *testing.F) {
	for _, s := range []string{
		"I'm a nurse and I live in Utrecht.\nSorry, I meant Lyon, not Utrecht.", "我女儿叫朵朵，今年五岁。\n说错了，是六岁。", "Anna works at Acme, and so do I.\nNot Acme. Globex.", "我哥在腾讯工作，我也是。\n*阿里",
		"I have two kids, Mia and Leo.\nNot Mia, Ida", "I was born in 1990 in Porto\nactually, it's 1991", ", and ;\n不是，是", "I\x00 and \xff\nI meant ",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		first, second, _ := strings.Cut(s, "\n")
		in := structure.Input{Text: first, ObservedAt: time.Unix(1<<30, 0).UTC()}
		parts := structure.Parts(in)
		if len(parts) == 1 {
			t.Fatalf("%q has one part", first)
		}
		if c, ok := structure.CorrectionOf(second); ok {
			if p, ok := c.Apply(in); ok {
				parts = append(parts, p)
			}
		}
		for _, p := range parts {
			if p.Attribute == "" || p.Entity == "" || p.Value == "" || strings.TrimSpace(p.Text) == "" || !strings.Contains(p.Text, p.Value) && !p.None {
				t.Fatalf("%q: %+v", first, p)
			}
		}
	})
}
