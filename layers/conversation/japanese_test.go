package conversation_test

import (
	"strings"
	"testing"

	"mcp-memory/layers/conversation"
)

// What the user states of a turn of Japanese, sentences parted by a bar.
func TestRead_WhatIsStatedInJapanese(t *testing.T) {
	for content, want := range map[string]string{
		"娘の運動会が5月23日なんだけど、お弁当のおかず何がいいかな":       "娘の運動会が5月23日なんだけど",
		"息子がそばアレルギーなんですが、ガレットって大丈夫ですか？":        "息子がそばアレルギーなんですが",
		"左利きですけどおすすめのハサミはありますか？":               "左利きですけど",
		"長い前置きはいらないので、いつも結論だけ教えて。":             "長い前置きはいらないので、いつも結論だけ教えて。",
		"おすすめの本を教えて。":                          "",
		"次の文章を英訳してください。\n私は来月カナダへ留学します。楽しみです。": "",
		"この自己紹介文を校正して。\n「私は大阪生まれです。」":          "",
		"議事録を整えて。\n出席者: 山本\n次回は5月8日":           "",
		"今度の会議の議事録係になりました。":                    "今度の会議の議事録係になりました。",
		"足首を捻挫して、全治6週間だってさ。":                   "足首を捻挫して、全治6週間だってさ。",
		"駅前のカフェ、閉店するんだって。":                     "",
		"今、小説の登場人物を考えています。":                    "今、小説の登場人物を考えています。",
		"短編の登場人物を考えて。医者で、猫を三匹飼っている":            "",
	} {
		talk := conversation.Read([]conversation.Turn{{Role: conversation.User, Content: content}}, conversation.Options{})
		var stated []string
		for _, s := range talk.Sentences {
			if s.Kind == conversation.Stated {
				stated = append(stated, s.Text)
			}
		}
		if got := strings.Join(stated, "|"); got != want {
			t.Errorf("%q states %q, want %q", content, got, want)
		}
	}
}

func TestRead_RolesOfJapaneseLast(t *testing.T) {
	for _, opening := range []string{"江戸時代の商人になって喋って", "なりきりチャットしよ。私は魔法使い", "私が面接官で、君が応募者ね。", "演劇の稽古に付き合って。僕は刑事役。", "架空の応募者として答えるので、面接官になってください。"} {
		turns := []conversation.Turn{{Role: conversation.User, Content: opening}, {Role: conversation.Assistant, Content: "はい。"}, {Role: conversation.User, Content: "私はこの町に20年住んでいます。"}}
		for _, s := range conversation.Read(turns, conversation.Options{}).Sentences {
			if s.Turn == 2 && s.Kind != conversation.Fiction {
				t.Errorf("after %q: %q is %s", opening, s.Text, s.Kind)
			}
		}
	}
	turns := []conversation.Turn{{Role: conversation.User, Content: "来年、社会人になって三年目です。"}, {Role: conversation.User, Content: "京都に住んでいます。"}}
	for _, s := range conversation.Read(turns, conversation.Options{}).Sentences {
		if s.Kind != conversation.Stated {
			t.Errorf("%q is %s: %s", s.Text, s.Kind, s.Why)
		}
	}
}
