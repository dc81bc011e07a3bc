package extract_test

import (
	"strings"
	"testing"

	"mcp-memory/layers/conversation"
)

func TestRules_CorrectionInJapanese(t *testing.T) {
	u := func(s string) conversation.Turn { return turn(conversation.User, s) }
	nod := turn(conversation.Assistant, "わかりました。")
	kyoto := "user · home city · 京都 | 京都に住んでいます。"
	osaka := "user · home city · 大阪 | 大阪に住んでいます。"
	for name, test := range map[string]struct {
		turns []conversation.Turn
		want  string
	}{
		"with what was wrong": {[]conversation.Turn{u("大阪に住んでいます。"), nod, u("すみません、大阪じゃなくて京都です。")}, kyoto},
		"owning to a slip":    {[]conversation.Turn{u("大阪に住んでいます。"), nod, u("間違えました、京都です。")}, kyoto},
		"in two sentences":    {[]conversation.Turn{u("大阪に住んでいます。"), nod, u("間違えました。京都です。")}, kyoto},
		"in the same turn":    {[]conversation.Turn{u("大阪に住んでいます。あ、訂正します、京都です。")}, kyoto},
		"without a slip":      {[]conversation.Turn{u("大阪に住んでいます。"), nod, u("大阪ではなく京都です。")}, kyoto},
		"what is right":       {[]conversation.Turn{u("大阪に住んでいます。"), nod, u("正しくは京都です。")}, kyoto},
		"as a mistake":        {[]conversation.Turn{u("大阪に住んでいます。"), nod, u("大阪は京都の間違いです。")}, kyoto},
		"casually":            {[]conversation.Turn{u("大阪に住んでるよ"), nod, u("ごめん、大阪じゃなくて京都だよ")}, "user · home city · 京都 | 京都に住んでるよ"},
		"of a number":         {[]conversation.Turn{u("35歳です。"), nod, u("間違えました、36歳です。")}, "user · age · 36 | 36歳です。"},
		"of something else":   {[]conversation.Turn{u("大阪に住んでいます。"), nod, u("すみません、名古屋じゃなくて京都です。")}, osaka},
		"an answer":           {[]conversation.Turn{u("大阪に住んでいます。"), turn(conversation.Assistant, "次の旅行はどこですか？"), u("間違えました、京都です。")}, osaka},
		"a courtesy":          {[]conversation.Turn{u("大阪に住んでいます。"), nod, u("すみません、大丈夫です。")}, osaka},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(slots(test.turns...), "\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
