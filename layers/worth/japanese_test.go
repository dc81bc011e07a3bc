package worth_test

import (
	"testing"
	"time"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/worth"
	"mcp-memory/storage"
)

// What a turn of Japanese is likest, "" for nothing that the gate opens for.
func TestJudge_Japanese(t *testing.T) {
	for text, want := range map[string]storage.Layer{
		"京都に住んでいます。":                      storage.Identity,
		"コーヒーより紅茶が好きです。":                  storage.Preference,
		"絵文字は使わないでください。":                  storage.Preference,
		"豚肉は食べません。":                       storage.Preference,
		"来週の火曜日に歯医者に行きます。":                storage.Activity,
		"論文の締め切りは6月3日です。":                 storage.Context,
		"教訓：見積もりは必ず二人で確認する。":              storage.Experience,
		"妻の誕生日は5月20日です。":                  storage.Identity,
		"京都に住んでいますか？":                     "",
		"友達が大阪に引っ越すらしいです。":                "",
		"もし京都に住んでいたら、毎日お寺に行く。":            "",
		"二番目の案の方が好きです。":                   "",
		"この文章を短くしてください。":                  "",
		"お腹すいた。":                          "",
		"次の文を英語に訳してください：私は札幌に住んでいます。":     "",
		"日本で一番高い山は富士山です。":                 "",
		"主人公は京都に住む看護師という設定の短編小説を書いてください。": "",
	} {
		turns := []conversation.Turn{{Role: conversation.User, Content: text, Time: time.Date(2026, 3, 10, 20, 15, 0, 0, time.UTC)}}
		j := worth.Judge(conversation.Read(turns, conversation.Options{}), worth.Options{})
		got, p := j.Turns[0].Scores.Best()
		if p < j.Limits.Gate[0] {
			got = ""
		}
		if got != want {
			t.Errorf("%s is %q (%.2f), want %q", text, got, p, want)
		}
	}
}
