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
		"京都に住んでいます。":                                       storage.Identity,
		"コーヒーより紅茶が好きです。":                                   storage.Preference,
		"絵文字は使わないでください。":                                   storage.Preference,
		"豚肉は食べません。":                                        storage.Preference,
		"来週の火曜日に歯医者に行きます。":                                 storage.Activity,
		"論文の締め切りは6月3日です。":                                  storage.Context,
		"教訓：見積もりは必ず二人で確認する。":                               storage.Experience,
		"妻の誕生日は5月20日です。":                                   storage.Identity,
		"毎週木曜はジムの日。":                                       storage.Activity,
		"あさってから福岡に出張。":                                     storage.Activity,
		"娘の運動会が5月23日なんだけど、お弁当のおかず何がいいかな":                   storage.Activity,
		"姉が来月出産予定なんです。":                                    storage.Activity,
		"簿記試験に向けて勉強中です。":                                   storage.Context,
		"3月15日までに確定申告しないといけない":                             storage.Context,
		"会社でメールをGmailに移行してる最中。":                            storage.Context,
		"今年度はPTAの会長をやることになりました。":                           storage.Context,
		"クエン酸で拭いたらきれいに落ちました！":                              storage.Experience,
		"契約書をちゃんと読まなかったのがまずかった。":                           storage.Experience,
		"予約なしで行ったら2時間待ちだった。次からは必ず予約する":                     storage.Experience,
		"一人で抱え込まずに早く相談すべきだったと反省しています。":                     storage.Experience,
		"看護師やってます。夜勤明けにいい食事は？":                             storage.Identity,
		"父が高血圧で薬を飲んでいます。":                                  storage.Identity,
		"ケンって呼んでくれる？":                                      storage.Identity,
		"辛いもの苦手なんだよね。おすすめの鍋ある？":                            storage.Preference,
		"作業中はジャズしか聴かないんだ。":                                 storage.Preference,
		"これからは敬語じゃなくてタメ口で答えて。":                             storage.Preference,
		"専門用語使わないで説明して、今後ずっと":                              storage.Preference,
		"長い前置きはいらないので、いつも結論だけ教えて。":                         storage.Preference,
		"色は青より赤の方が好きだな、このロゴ":                               "",
		"関西の人は薄味が好きなんですよね":                                 "",
		"来週の月曜は祝日でしたっけ":                                    "",
		"市役所は来月15日に移転すると発表した。":                             "",
		"今バス待ってるんだけど全然来ない":                                 "",
		"昨日変な夢を見た。会社をクビになって海で暮らしてた":                        "",
		"実は俺、未来から来たんだ。なんてね":                                "",
		"RPGのキャラ設定考えて。名前はリオ、エルフ、きのこが嫌い":                    "",
		"ダミーデータ作って。佐々木、28歳、札幌在住、ラーメン好き":                    "",
		"これを韓国語にして。「妹は看護師で、福岡に住んでいます」":                     "",
		"次の文章を英訳してください。\n私は来月カナダへ留学します。":                   "",
		"議事録を整えて。\n出席者: 山本\n次回は5月8日15時から":                  "",
		"このコメント、英語にして。\n// 毎週月曜の9時にバックアップを実行する\n// 担当: 田中": "",
		"京都に住んでいますか？":                                      "",
		"友達が大阪に引っ越すらしいです。":                                 "",
		"もし京都に住んでいたら、毎日お寺に行く。":                             "",
		"二番目の案の方が好きです。":                                    "",
		"この文章を短くしてください。":                                   "",
		"お腹すいた。": "",
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
