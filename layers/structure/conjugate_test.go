package structure

import (
	"slices"
	"testing"
)

func TestConjugate(t *testing.T) {
	for _, test := range []struct{ verb, form, want string }{
		{"住む", "do", "住む"}, {"住む", "do", "住みます"}, {"住む", "did", "住んだ"}, {"住む", "did", "住みました"},
		{"住む", "ing", "住んでいる"}, {"住む", "ing", "住んでる"}, {"住む", "was", "住んでいました"}, {"住む", "isnot", "住んでいません"},
		{"働く", "ing", "働いています"}, {"行く", "did", "行った"}, {"泳ぐ", "te", "泳いで"}, {"話す", "ta", "話した"},
		{"飼う", "ing", "飼っています"}, {"飲む", "not", "飲まない"}, {"飲む", "not", "飲みません"}, {"持つ", "ing", "持っている"},
		{"食べる", "not", "食べない"}, {"食べられる", "not", "食べられません"}, {"辞める", "did", "辞めました"}, {"着る", "did", "着た"},
		{"乗る", "ing", "乗っています"}, {"帰る", "did", "帰った"}, {"する", "ing", "しています"}, {"転職する", "did", "転職しました"},
		{"来る", "did", "来た"}, {"死ぬ", "did", "死んだ"}, {"遊ぶ", "te", "遊んで"}, {"飲む", "nomore", "飲まなくなりました"},
	} {
		all, err := conjugate(test.verb, test.form)
		if err != nil || !slices.Contains(all, test.want) {
			t.Errorf("%s~%s: %v, %v; want %s", test.verb, test.form, all, err, test.want)
		}
		if slices.ContainsFunc(all, func(s string) bool { return s == test.verb+"たい" }) {
			t.Errorf("%s~%s holds a wish", test.verb, test.form)
		}
	}
	for _, bad := range [][2]string{{"住む", "would"}, {"京都", "do"}, {"む", "do"}, {"", "do"}} {
		if all, err := conjugate(bad[0], bad[1]); err == nil {
			t.Errorf("%v gives %v", bad, all)
		}
	}
}
