package layers_test

import (
	"slices"
	"testing"
	"time"

	"mcp-memory/layers"
)

// TestRemember_WhatIsSaidLaterTakesThePlaceOfWhatItIsAbout: the sentences of each case
// are told in order; those that hold after them are recalled, the others are history.
func TestRemember_WhatIsSaidLaterTakesThePlaceOfWhatItIsAbout(t *testing.T) {
	for name, c := range map[string]struct{ told, holds []string }{
		"the only choir":                 {[]string{"I sing in a church choir.", "I play chess.", "I quit the choir."}, []string{"I play chess."}},
		"one of two choirs":              {[]string{"I sing in a church choir.", "I sing in a gospel choir.", "I quit the choir."}, []string{"I sing in a church choir.", "I sing in a gospel choir."}},
		"the gym":                        {[]string{"I go to the gym three times a week.", "I stopped going to the gym."}, nil},
		"a club is not its game":         {[]string{"I joined a chess club.", "I play chess.", "I quit the chess club."}, []string{"I play chess."}},
		"what is learned":                {[]string{"I'm learning the piano.", "I gave up the piano."}, nil},
		"a diet":                         {[]string{"I'm vegan.", "I'm allergic to nuts.", "I eat fish again."}, []string{"I'm allergic to nuts.", "I eat fish again."}},
		"a diet that allows it":          {[]string{"I'm pescatarian.", "I eat fish again."}, []string{"I'm pescatarian.", "I eat fish again."}},
		"what was not eaten":             {[]string{"I don't eat fish.", "I don't eat pork.", "I eat fish again."}, []string{"I don't eat pork.", "I eat fish again."}},
		"not eaten again":                {[]string{"I eat fish again.", "I'm vegan."}, []string{"I'm vegan."}},
		"the only roommate":              {[]string{"My roommate is Jake.", "My new roommate is Leo."}, []string{"My new roommate is Leo."}},
		"one of several roommates":       {[]string{"My roommates are Ann and Bo.", "My new roommate is Leo."}, []string{"My new roommate is Leo.", "My roommates are Ann and Bo."}},
		"a boss by the way":              {[]string{"My boss, Priya, is great.", "My dentist is Dr. Lee.", "My new boss is Omar."}, []string{"My dentist is Dr. Lee.", "My new boss is Omar."}},
		"something unknown":              {[]string{"We decided to use Zorblat for queues.", "We switched from Zorblat to Quux."}, []string{"We switched from Zorblat to Quux."}},
		"something nobody spoke of":      {[]string{"We decided to use Blip for queues.", "We switched from Zorblat to Quux."}, []string{"We decided to use Blip for queues.", "We switched from Zorblat to Quux."}},
		"something liked stays liked":    {[]string{"I love Netflix.", "We switched from Netflix to Mubi."}, []string{"I love Netflix.", "We switched from Netflix to Mubi."}},
		"a colleague's change":           {[]string{"I use Vim.", "My colleague switched from Vim to Emacs.", "Anna switched from Vim to Nano."}, []string{"Anna switched from Vim to Nano.", "I use Vim.", "My colleague switched from Vim to Emacs."}},
		"another's job":                  {[]string{"I work at Acme.", "Anna moved from Acme to Globex."}, []string{"Anna moved from Acme to Globex.", "I work at Acme."}},
		"a bank, no job":                 {[]string{"I work at Chase.", "I switched from Chase to Ally for banking."}, []string{"I switched from Chase to Ally for banking.", "I work at Chase."}},
		"what a team replaces, no job":   {[]string{"I work at Chase.", "Our team replaced Chase with Ally in the slides."}, []string{"I work at Chase.", "Our team replaced Chase with Ally in the slides."}},
		"a flight, no home":              {[]string{"I live in Paris.", "I switched my flight from Paris to Lyon."}, []string{"I live in Paris.", "I switched my flight from Paris to Lyon."}},
		"a service, no dog":              {[]string{"My dog's name is Max.", "We switched from Max to Hulu."}, []string{"My dog's name is Max.", "We switched from Max to Hulu."}},
		"for good":                       {[]string{"We decided to use Zorblat for queues.", "We switched from Zorblat to Quux for good."}, []string{"We switched from Zorblat to Quux for good."}},
		"Chinese: a colleague's change":  {[]string{"我们决定用 Zorblat 做队列。", "小王从 Zorblat 换成了 Quux。"}, []string{"小王从 Zorblat 换成了 Quux。", "我们决定用 Zorblat 做队列。"}},
		"a payment service, no town":     {[]string{"We decided to use Stripe for payments.", "We moved from Stripe to Adyen."}, []string{"We moved from Stripe to Adyen."}},
		"a job, no town":                 {[]string{"I work at Acme.", "I moved from Acme to Globex."}, []string{"I moved from Acme to Globex."}},
		"a town":                         {[]string{"I live in Leeds.", "I work at Acme.", "I moved from Leeds to York."}, []string{"I moved from Leeds to York.", "I work at Acme."}},
		"for one thing only":             {[]string{"My dentist is Anna.", "I'm learning Spanish.", "We switched from Anna to Maria for the piano lessons.", "I switched from Spanish to Portuguese for the audio track."}, []string{"I switched from Spanish to Portuguese for the audio track.", "I'm learning Spanish.", "My dentist is Anna.", "We switched from Anna to Maria for the piano lessons."}},
		"of something else":              {[]string{"I live in Berlin.", "I moved the meeting from Berlin to Paris."}, []string{"I live in Berlin.", "I moved the meeting from Berlin to Paris."}},
		"no employer of one's own":       {[]string{"I work at Acme.", "We switched from Acme to Globex for the printers."}, []string{"I work at Acme.", "We switched from Acme to Globex for the printers."}},
		"another's bank":                 {[]string{"I bank with Monzo.", "My wife switched from Monzo to Revolut."}, []string{"I bank with Monzo.", "My wife switched from Monzo to Revolut."}},
		"one's own bank":                 {[]string{"I bank with Monzo.", "I switched my bank from Monzo to Chase."}, []string{"I switched my bank from Monzo to Chase."}},
		"no thing of its kind":           {[]string{"I use Chrome.", "I took the bus instead of Chrome.", "I used Firefox instead of Chrome today."}, []string{"I took the bus instead of Chrome.", "I use Chrome.", "I used Firefox instead of Chrome today."}},
		"a captain, no son":              {[]string{"My son is called Leo.", "Mia took over from Leo as captain of the team."}, []string{"Mia took over from Leo as captain of the team.", "My son is called Leo."}},
		"a deputy":                       {[]string{"My manager is Priya.", "Tom is replacing Priya while she is on leave."}, []string{"My manager is Priya.", "Tom is replacing Priya while she is on leave."}},
		"reports in another database":    {[]string{"We use Postgres.", "We use MySQL instead of Postgres for the reports."}, []string{"We use MySQL instead of Postgres for the reports.", "We use Postgres."}},
		"what only sounds like a food":   {[]string{"I'm vegan.", "I started drinking oat milk again.", "I eat vegan bacon now."}, []string{"I eat vegan bacon now.", "I started drinking oat milk again.", "I'm vegan."}},
		"Chinese: a flight":              {[]string{"我住在北京。", "我从北京转到上海的航班。"}, []string{"我从北京转到上海的航班。", "我住在北京。"}},
		"Chinese: a cloud, no job":       {[]string{"我在腾讯工作。", "我们把腾讯换成阿里了。"}, []string{"我们把腾讯换成阿里了。", "我在腾讯工作。"}},
		"Chinese: a choir, no job":       {[]string{"我在腾讯工作。", "我加入了合唱团。"}, []string{"我加入了合唱团。", "我在腾讯工作。"}},
		"Japanese: soy, no dairy":        {[]string{"私はヴィーガンです。", "また豆乳ヨーグルトを食べるようになりました。"}, []string{"また豆乳ヨーグルトを食べるようになりました。", "私はヴィーガンです。"}},
		"Japanese: at home only":         {[]string{"私はVimを使っています。", "家ではVimの代わりにEmacsを使っています。"}, []string{"家ではVimの代わりにEmacsを使っています。", "私はVimを使っています。"}},
		"Chinese: drunk again":           {[]string{"我不喝咖啡。", "我又开始喝咖啡了。"}, []string{"我又开始喝咖啡了。"}},
		"a look":                         {[]string{"We'll go with the blue logo.", "We're going with the green logo after all."}, []string{"We're going with the green logo after all."}},
		"another purpose":                {[]string{"We decided to use Postgres.", "We decided to use MongoDB for the logs.", "We decided to use DuckDB for dashboards."}, []string{"We decided to use DuckDB for dashboards.", "We decided to use MongoDB for the logs.", "We decided to use Postgres."}},
		"the same purpose":               {[]string{"We use Postgres for the app.", "We decided to use MongoDB for the logs.", "We moved from Postgres to MySQL."}, []string{"We decided to use MongoDB for the logs.", "We moved from Postgres to MySQL."}},
		"the logs move, the rest stays":  {[]string{"We decided to use Postgres.", "We moved our logs to MongoDB."}, []string{"We decided to use Postgres.", "We moved our logs to MongoDB."}},
		"Chinese: a choir":               {[]string{"我在教会的合唱团唱歌。", "退出了合唱团"}, nil},
		"Chinese: what is learned":       {[]string{"我在学钢琴。", "不再学钢琴了"}, nil},
		"Chinese: a diet":                {[]string{"我吃素。", "我又开始吃鱼了。"}, []string{"我又开始吃鱼了。"}},
		"Chinese: people":                {[]string{"我的老板李强人很好。", "我的牙医是陈医生。", "我的新老板叫王芳"}, []string{"我的新老板叫王芳", "我的牙医是陈医生。"}},
		"Chinese: something unknown":     {[]string{"我们决定用 Zorblat 做队列。", "我们从 Zorblat 换成了 Quux。"}, []string{"我们从 Zorblat 换成了 Quux。"}},
		"Chinese: my colleague's editor": {[]string{"我用 Vim。", "我同事从 Vim 换成了 Emacs。", "我老板把 Vim 换成了 Nano。"}, []string{"我同事从 Vim 换成了 Emacs。", "我用 Vim。", "我老板把 Vim 换成了 Nano。"}},
		"Chinese: my own editor":         {[]string{"我用 Vim。", "我把 Vim 换成了 Emacs。"}, []string{"我把 Vim 换成了 Emacs。"}},
		"Chinese: a look":                {[]string{"我们决定用蓝色的标志。", "我们最后还是用绿色的标志。"}, []string{"我们最后还是用绿色的标志。"}},
		"Japanese: a choir, not the job": {[]string{"アクメで働いています。", "合唱団に入っています。", "合唱団をやめた。"}, []string{"アクメで働いています。"}},
		"Japanese: what is not eaten":    {[]string{"私はビーガンです。", "また魚を食べるようになりました。"}, []string{"また魚を食べるようになりました。"}},
		"Japanese: people":               {[]string{"上司は佐藤さんです。", "新しい上司は田中さんです"}, []string{"新しい上司は田中さんです"}},
		"Japanese: something unknown":    {[]string{"キューには Zorblat を使うことにした。", "Zorblat から Quux に切り替えた。"}, []string{"Zorblat から Quux に切り替えた。"}},
		"Japanese: a look":               {[]string{"青いロゴにすることにしました。", "やっぱり緑のロゴにします。"}, []string{"やっぱり緑のロゴにします。"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			for _, text := range c.told {
				h.say(layers.Memorandum{Text: text})
				h.pass(time.Hour)
			}
			var got []string
			for _, m := range h.answers(layers.RecallInput{Limit: ptr(50)}).Matches {
				got = append(got, m.Text)
			}
			slices.Sort(got)
			if want := slices.Sorted(slices.Values(c.holds)); !slices.Equal(got, want) {
				t.Errorf("holds %q, want %q", got, want)
			}
		})
	}
}

// TestUndo_OfWhatTookAPlaceByName brings back what stood there.
func TestUndo_OfWhatTookAPlaceByName(t *testing.T) {
	h := open(t)
	was := h.say(layers.Memorandum{Text: "We decided to use Zorblat for queues."})
	h.pass(time.Hour)
	now := h.say(layers.Memorandum{Text: "We switched from Zorblat to Quux."})
	if !slices.Equal(now.Supersedes, []string{was.ID}) || now.Attribute != "message queue" || now.Value != "Quux" {
		t.Fatalf("told %+v, want what takes the place of %s", now, was.ID)
	}
	if _, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{now.ID}, Undo: true}); err != nil {
		t.Fatal(err)
	}
	if got := h.ask(layers.RecallInput{Entity: "project", Attribute: "message queue"}); !slices.Equal(got, []string{was.ID}) {
		t.Errorf("after undo %v holds, want %s", got, was.ID)
	}
}
