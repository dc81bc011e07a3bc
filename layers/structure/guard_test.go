package structure_test

import (
	"testing"

	"mcp-memory/layers/structure"
)

// Each sentence that must not be read stands before one near it that must.
func TestParse_GuardsStandAgainstWhatOnlyLooksLikeAStatement(t *testing.T) {
	for _, test := range []struct{ not, but, want string }{
		// Somebody else speaks, or nobody in earnest.
		{"Bob: I live in Paris", "Correction: I live in Paris.", "user · home city · Paris · identity"},
		{"小王：我住在青岛", "更正：我住在青岛。", "user · home city · 青岛 · identity"},
		{"She: I live in Paris.", "Note: I live in Paris.", "user · home city · Paris · identity"},
		{"I live in Paris, Bob wrote.", "I live in Paris, Texas.", "user · home city · Paris · identity"},
		{"I live in Paris (from his letter).", "I live in Paris (France).", "user · home city · Paris · identity"},
		{"Example: I live in Paris.", "Update: I live in Paris.", "user · home city · Paris · identity"},
		{"Test sentence. I live in Paris.", "Good news. I live in Paris.", "user · home city · Paris · identity"},
		{"I live in Paris. April fools!", "I live in Paris. April is lovely!", "user · home city · Paris · identity"},
		{"I live in Paris in my dreams.", "I live in Paris with my dreams.", "user · home city · Paris · identity"},
		{"In the play I live in Paris.", "In fact I live in Paris.", "user · home city · Paris · identity"},
		{"I live in Paris, he lied.", "I live in Paris, by the way.", "user · home city · Paris · identity"},
		{"I live in Paris in Turkish.", "Please reply in Turkish.", "user · answer language · Turkish · preference"},
		// It was so.
		{"I have lived in Oslo.", "I have lived in Oslo since 2020.", "user · home city · Oslo · identity · from 2020-01-01"},
		{"I have lived in Oslo, Rome and Paris.", "I've lived in Oslo for ten years.", "user · home city · Oslo · identity · from 2014-05-15"},
		{"I've worked at Initech before.", "I've worked at Initech for ten years.", "user · employer · Initech · identity · from 2014-05-15"},
		{"I moved to Ghent in 2015 and came back.", "I moved to Ghent in 2015.", "user · home city · Ghent · identity · from 2015-01-01"},
		{"I moved to Ghent when I was six.", "I moved to Ghent in May 2015.", "user · home city · Ghent · identity · from 2015-05-01"},
		{"I moved to Ghent for college.", "I moved to Ghent for work.", "user · home city · Ghent · identity"},
		{"I moved to Ghent for a summer.", "I moved to Ghent for good.", "user · home city · Ghent · identity"},
		{"I got a job at Initech but declined.", "I got a job at Initech.", "user · employer · Initech · identity"},
		{"I got married in 2010 and divorced in 2015.", "I got divorced in 2015.", "user · marital status · divorced · identity · from 2015-01-01"},
		// It did not come to pass, or not for good.
		{"我打算从Vim切换到Emacs。", "我已经从Vim切换到Emacs。", "user · editor · Emacs · preference · closes editor · displaces editor Vim"},
		{"切换到Emacs失败了。", "我换到Emacs了。", "user · editor · Emacs · preference · closes editor"},
		{"我从Vim切换到Emacs失败了。", "我从Vim切换到Emacs了。", "user · editor · Emacs · preference · closes editor · displaces editor Vim"},
		{"I switched from Vim to Emacs once, and back.", "I switched from Vim to Emacs.", "user · editor · Emacs · preference · closes editor · displaces editor Vim"},
		{"I switched from Vim to Emacs and back.", "I've switched from Vim to Emacs.", "user · editor · Emacs · preference · closes editor · displaces editor Vim"},
		{"We use MySQL in dev.", "We use MySQL.", "project · tech stack · MySQL · context"},
		{"测试环境用的是MySQL。", "我们的数据库用的是MySQL。", "project · database · MySQL · context"},
		// It is so at some hours, in some places, with some people.
		{"I live in Ghent on weekdays.", "I live in Ghent.", "user · home city · Ghent · identity"},
		{"I live in Ghent on weekends.", "I play tennis on weekends.", "user · hobbies · tennis · identity"},
		{"I'm vegetarian on Sundays.", "I'm vegetarian.", "user · diet · vegetarian · identity"},
		{"I work at Initech on Fridays.", "I work at Initech.", "user · employer · Initech · identity"},
		{"I live in Ghent in summer.", "I like swimming in summer.", "user · likes · swimming in summer · preference"},
		{"I use Vim only for commits.", "I use Vim.", "user · editor · Vim · preference"},
		{"I live in Ghent half the year.", "I live in Ghent now.", "user · home city · Ghent · identity"},
		{"I live in Ghent right now for three months.", "I've lived in Ghent for three months.", "user · home city · Ghent · identity · from 2024-02-15"},
		{"I work at Initech as a volunteer.", "I work at Initech as an engineer.", "user · employer · Initech · identity"},
		{"I prefer tea for lunch.", "I prefer tea.", "user · preferred drink · tea · preference"},
		{"I'm a photographer by hobby.", "I'm a photographer by trade.", "user · job title · photographer · identity"},
		{"我周末住在青岛。", "我周末喜欢打网球。", "user · likes · 网球 · preference"},
		{"我平时住在青岛，周末回济南。", "我平时用 Vim 写代码。", "user · editor · Vim · preference"},
		{"我暂时住在青岛。", "我一直住在青岛。", "user · home city · 青岛 · identity"},
		{"我现在还在腾讯。", "我现在还在腾讯上班。", "user · employer · 腾讯 · identity"},
		{"I live in Ghent with Bob for a week.", "I live in Ghent with Bob.", "user · home city · Ghent · identity"},
		{"I like tea with Bob.", "I like tea with milk.", "user · likes · tea with milk · preference"},
		{"I don't like tea as much.", "I don't like tea.", "user · likes · tea · preference · negative"},
		{"I don't drink coffee at noon.", "I don't drink coffee.", "user · dietary restrictions · coffee · identity"},
		{"I don't drink coffee at 5pm.", "I never drink coffee.", "user · dietary restrictions · coffee · identity"},
		{"I don't drink coffee in the evening.", "I don't drink coffee at all.", "user · dietary restrictions · coffee · identity"},
		{"I'm vegan for a week.", "I've been vegan for a week.", "user · diet · vegan · identity · from 2024-05-08"},
		{"I'm off coffee today, my stomach is upset.", "As of today I'm vegan.", "user · diet · vegan · identity · from 2024-05-15"},
		{"我这两天嗓子疼，不能吃辣。", "我不能吃辣。", "user · dietary restrictions · 辣 · identity"},
		{"I'm vegan for Lent.", "I'm vegan.", "user · diet · vegan · identity"},
		{"I write with my left hand.", "I write Go and Python.", "user · programming languages · Go and Python · preference"},
		{"I'm 180 cm tall in heels.", "I'm 180 cm tall.", "user · height · 180 cm · identity"},
		{"I smoke now and then.", "I no longer eat meat.", "user · likes · meat · preference · negative"},
		{"I drink coffee only at night.", "I prefer coffee.", "user · preferred drink · coffee · preference"},
		{"I use Emacs at work.", "I use Emacs.", "user · editor · Emacs · preference"},
		{"I like carrots if they're roasted.", "I like roasted carrots.", "user · likes · roasted carrots · preference"},
		{"I like tea, but only green.", "I like green tea.", "user · likes · green tea · preference"},
		{"I don't like tea any more than coffee.", "I don't like tea any more.", "user · likes · tea · preference · negative"},
		{"I no longer play tennis on Sundays.", "I no longer play tennis.", "user · hobbies · tennis · identity · ended"},
		{"I stopped playing tennis at noon.", "I stopped playing tennis.", "user · hobbies · tennis · identity · ended"},
		{"I'm not allergic to nuts if they're roasted.", "I'm not allergic to nuts any more.", "user · allergies · nuts · identity · ended"},
		{"我周末不打网球。", "我不再打网球了。", "user · hobbies · 网球 · identity · ended"},
		{"I don't like tea, I love it.", "I don't like tea, I like coffee.", "user · likes · coffee · preference · displaces likes tea"},
		// The words belong to another clause, place or number.
		{"我住在青岛的朋友来了。", "我住在青岛。", "user · home city · 青岛 · identity"},
		{"我住在青岛的时候很开心。", "我住在青岛，很开心。", "user · home city · 青岛 · identity"},
		{"我在腾讯上班的老公喜欢茶。", "我老公在腾讯上班。", "老公 · employer · 腾讯 · identity"},
		{"我住在青岛路。", "我住在青岛市。", "user · home city · 青岛市 · identity"},
		{"我住在青岛对面。", "我住在苏州工业园区那边。", "user · home city · 苏州工业园区 · identity"},
		{"我住在青岛的酒店。", "我住在青岛的市南区。", "user · home city · 青岛 · identity"},
		{"I have a son.", "I have a son named Tom.", "user · sons · Tom · identity"},
		{"I have a daughter.", "I have two kids.", "user · number of children · two kids · identity"},
		{"I have two daughters.", "I have a son and a daughter.", "user · number of children · a son and a daughter · identity"},
		{"我有一个儿子。", "我有一个儿子和一个女儿。", "user · number of children · 一个儿子和一个女儿 · identity"},
		// Nobody knows who it is.
		{"My friend lives in Paris.", "My friend Ann lives in Paris.", "Ann · home city · Paris · identity"},
		{"My colleague lives in Paris.", "My colleague Ann lives in Paris.", "Ann · home city · Paris · identity"},
		{"My neighbour lives in Paris.", "Ann, my neighbour, lives in Paris.", "Ann · home city · Paris · identity"},
		{"My cousin lives in Paris.", "My sister lives in Paris.", "sister · home city · Paris · identity"},
		{"我朋友住在青岛。", "我朋友小王住在青岛。", "小王 · home city · 青岛 · identity"},
		{"我同事在腾讯上班。", "我同事小王在腾讯上班。", "小王 · employer · 腾讯 · identity"},
		{"我的朋友住在青岛。", "我的妹妹住在青岛。", "妹妹 · home city · 青岛 · identity"},
		{"The other one lives in Paris.", "Ann lives in Paris.", "Ann · home city · Paris · identity"},
		{"My old boss lives in Paris.", "My boss lives in Paris.", "boss · home city · Paris · identity"},
		// The value is none.
		{"My favourite colour is hard to say.", "My favourite colour is dark red.", "user · favourite colour · dark red · preference"},
		{"My favourite colour is a secret.", "My favourite film is Secret.", "user · favourite film · Secret · preference"},
		{"My favourite colour is wrong.", "My favourite editor is Vim.", "user · favourite editor · Vim · preference"},
		{"My favourite colour is on the wall.", "My favourite colour is red.", "user · favourite colour · red · preference"},
		{"My favourite colour is between red and green.", "My favourite colour is green.", "user · favourite colour · green · preference"},
		{"My favourite colour is red too.", "My favourite colour is still red.", "user · favourite colour · red · preference"},
		{"My favourite colour is red as a child.", "My favourite colour is red now.", "user · favourite colour · red · preference"},
		{"我最喜欢的颜色是秘密。", "我最喜欢的颜色是红色。", "user · favourite colour · 红色 · preference"},
		{"我最喜欢的颜色是红色的反面。", "我最喜欢的颜色是深红色。", "user · favourite colour · 深红色 · preference"},
		{"我最喜欢的颜色不是红色。", "我最喜欢的颜色是蓝色。", "user · favourite colour · 蓝色 · preference"},
		{"我不吃香菜以外的东西。", "我不吃香菜。", "user · dietary restrictions · 香菜 · identity"},
	} {
		t.Run(test.not, func(t *testing.T) {
			for text, want := range map[string]string{test.not: "-", test.but: test.want} {
				if got := describe(structure.Parse(structure.Input{Text: text, ObservedAt: observed})); got != want {
					t.Errorf("%s\n\tgot  %s\n\twant %s", text, got, want)
				}
			}
		})
	}
}
