package structure_test

import (
	"testing"

	"mcp-memory/layers/structure"
)

// Who is spoken of is left out, and told by what went before.
func TestParse_WhoIsLeftOutInJapanese(t *testing.T) {
	for _, test := range []struct{ name, before, text, want string }{
		{"nothing before", "", "看護師です。", "user · job title · 看護師 · identity"},
		{"the speaker before", "私は28歳です。", "看護師です。", "user · job title · 看護師 · identity"},
		{"nobody before", "天気がいいですね。", "看護師です。", "user · job title · 看護師 · identity"},
		{"his mother before", "母は広島にいます。", "看護師です。", "-"},
		{"a question about his mother", "お母様のお仕事は何ですか？", "看護師です。", "-"},
		{"a question about himself", "お仕事は何ですか？", "看護師です。", "user · job title · 看護師 · identity"},
		{"who was brought in", "娘がいます。", "5歳です。", "-"},
		{"a pet", "犬を飼っています。", "12歳です。", "-"},
		{"with whom he is", "妻と旅行しました。", "看護師です。", "user · job title · 看護師 · identity"},
		{"a colleague by name", "佐藤さんは優しいです。", "看護師です。", "-"},
		{"he names himself again", "母は広島にいます。", "私は看護師です。", "user · job title · 看護師 · identity"},
		{"in one text", "", "母は広島に住んでいます。看護師です。", "母 · home city · 広島 · identity"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := describe(structure.Parse(structure.Input{Text: test.text, Before: test.before, ObservedAt: observed}))
			if got != test.want {
				t.Errorf("%s %s\n\tgot  %s\n\twant %s", test.before, test.text, got, test.want)
			}
		})
	}
}

func TestParts_OfJapaneseEachStandAlone(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"私は28歳で、京都に住んでいます。", "user · age · 28 | 私は28歳です。\nuser · home city · 京都 | 私は京都に住んでいます。"},
		{"京都に住んでいて、エンジニアとして働いています。", "user · home city · 京都 | 京都に住んでいます。\nuser · job title · エンジニア | エンジニアとして働いています。"},
		{"姉はアメリカに住んでいて、医者をしています。", "姉 · home city · アメリカ | 姉はアメリカに住んでいます。\n姉 · job title · 医者 | 姉は医者をしています。"},
		{"長男が8歳、次男が5歳です。", "長男 · age · 8 | 長男が8歳。\n次男 · age · 5 | 次男が5歳です。"},
		{"トヨタでエンジニアとして働いています。", "user · employer · トヨタ | トヨタで働いています。\nuser · job title · エンジニア | エンジニアとして働いています。"},
		{"犬は好きですが、猫は苦手です。", "user · likes · 犬 | 犬は好きです。\nuser · likes · not 猫 | 猫は苦手です。"},
		{"娘がいて、猫が好きです。", ""},
		{"もし京都に住んでいて、エンジニアだったら、楽しい。", ""},
		{"京都に住んでいて、幸せです。", ""},
	} {
		t.Run(test.text, func(t *testing.T) {
			if got := partsOf(test.text); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// A statement of one language takes the place of another's: they share their slots.
func TestParse_JapaneseHasTheSlotsOfEnglish(t *testing.T) {
	for ja, en := range map[string]string{
		"京都に住んでいます。":           "I live in Kyoto.",
		"日立で働いています。":           "I work at Hitachi.",
		"看護師をしています。":           "I work as a nurse.",
		"コーヒーより紅茶が好きです。":       "I prefer tea to coffee.",
		"一番好きな色は青です。":          "My favourite colour is blue.",
		"誕生日は5月3日です。":          "My birthday is May 3.",
		"ピーナッツアレルギーです。":        "I'm allergic to peanuts.",
		"エディタはVimを使っています。":     "My editor is Vim.",
		"今後は英語で答えてください。":       "Please always answer in English.",
		"うちのデータベースはMySQLです。":   "Our database is MySQL.",
		"妻の名前は由美です。":           "My wife's name is Yumi.",
		"ケンと呼んでください。":          "Call me Ken.",
		"英語が話せます。":             "I speak English.",
		"柴犬を飼っています。":           "I have a dog.",
		"28歳です。":               "I'm 28.",
		"出身は福岡です。":             "I'm from Fukuoka.",
		"ベジタリアンです。":            "I'm a vegetarian.",
		"結婚しています。":             "I'm married.",
		"趣味は登山です。":             "My hobby is hiking.",
		"報告書の締め切りは6月3日です。":     "The deadline of the report is June 3.",
		"血液型はO型です。":            "My blood type is O.",
		"パクチーが嫌いです。":           "I hate coriander.",
		"東京大学に通っています。":         "I study at Kyoto University.",
		"ピアノが得意です。":            "I'm good at piano.",
		"コーヒーをやめて紅茶にしました。":     "I switched from coffee to tea.",
		"以前はコーヒーより紅茶の方が好きでした。": "I used to prefer tea to coffee.",
	} {
		a, okA := structure.Parse(structure.Input{Text: ja, ObservedAt: observed})
		b, okB := structure.Parse(structure.Input{Text: en, ObservedAt: observed})
		if okA != okB || a.Attribute != b.Attribute || a.Polarity != b.Polarity {
			t.Errorf("%s is %s\n\t%s is %s", ja, describe(a, okA), en, describe(b, okB))
		}
	}
}
