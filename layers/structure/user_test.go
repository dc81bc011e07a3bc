package structure_test

import (
	"testing"

	"mcp-memory/layers/structure"
)

func TestParse_SentencesAboutTheUser(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"The user lives in Oslo.", "user · home city · Oslo · identity"},
		{"User lives in Oslo.", "user · home city · Oslo · identity"},
		{"The user's name is Kim.", "user · name · Kim · identity"},
		{"User prefers short answers.", "user · answer length · short · preference"},
		{"The user no longer works at Initech.", "user · employer · Initech · identity · ended"},
		{"The user doesn't live in Oslo anymore.", "user · home city · Oslo · identity · ended"},
		{"The user currently works at Initech as an engineer.", "user · employer · Initech · identity"},
		{"The user is allergic to peanuts.", "user · allergies · peanuts · identity"},
		{"The user's allergic to peanuts.", "user · allergies · peanuts · identity"},
		{"The user likes cakes.", "user · likes · cakes · preference"},
		{"The user's favourite colour is teal.", "user · favourite colour · teal · preference"},
		{"The user's sister lives in Bergen.", "sister · home city · Bergen · identity"},
		{"The user's sister Ana lives in Bergen.", "Ana · home city · Bergen · identity"},
		{"The user has moved from Oslo to Bergen.", "user · home city · Bergen · identity · displaces home city Oslo"},
		{"In 2021 the user moved to Bergen.", "user · home city · Bergen · identity · from 2021-01-01"},
		{"Note that the user teaches maths.", "-"},
		{"Robin studies physics at Ghent University.", "user · school · Ghent University · identity"},
		{"Robin prefers short answers.", "user · answer length · short · preference"},
		{"The user settings live in Oslo.", "-"},
		{"The user service uses Redis.", "user service · cache · Redis · context"},
		{"User stories live in Oslo.", "-"},
		{"I asked the user where Bob lives.", "-"},
		{"用户住在青岛。", "user · home city · 青岛 · identity"},
		{"该用户住在青岛。", "user · home city · 青岛 · identity"},
		{"用户喜欢简洁的回答。", "user · answer length · 简洁 · preference"},
		{"用户叫林小雨。", "user · name · 林小雨 · identity"},
		{"用户的妹妹叫小美。", "user · sisters · 小美 · identity"},
		{"用户的妹妹住在青岛。", "妹妹 · home city · 青岛 · identity"},
		{"用户不吃香菜。", "user · dietary restrictions · 香菜 · identity"},
		{"用户已经不在腾讯上班了。", "user · employer · 腾讯 · identity · ended"},
		{"用户服务用的是Redis。", "-"},
		{"用户名是root。", "-"},
		{"用户偏好深色模式。", "user · preferred theme · 深色模式 · preference"},
		{"用户的偏好是茶。", "-"},
		{"用户姓名是林小雨。", "user · name · 林小雨 · identity"},
		{"用户使用Vim。", "user · editor · Vim · preference"},
		{"用户使用CST时区。", "user · time zone · CST · identity"},
		{"The user's got two kids.", "user · number of children · two kids · identity"},
		{"The user wants to be called Kim.", "user · form of address · Kim · identity"},
		{"The user uses Neovim as their editor.", "user · editor · Neovim · preference"},
		{"The user and Bob live in Oslo.", "-"},
		{"Users live in Oslo.", "-"},
	} {
		t.Run(test.text, func(t *testing.T) {
			in := structure.Input{Text: test.text, ObservedAt: observed, Speaker: "Caroline", UserNames: []string{"Robin"}}
			if got := describe(structure.Parse(in)); got != test.want {
				t.Errorf("%s\n\tgot  %s\n\twant %s", test.text, got, test.want)
			}
		})
	}
}
