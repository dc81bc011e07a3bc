package worth_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/structure"
	"mcp-memory/layers/worth"
	"mcp-memory/storage"
)

func judge(o worth.Options, contents ...string) *worth.Judgement {
	var turns []conversation.Turn
	for _, c := range contents {
		turns = append(turns, conversation.Turn{Role: conversation.User, Content: c})
	}
	return worth.Judge(conversation.Read(turns, conversation.Options{}), o)
}

func TestJudge_ScoresTurns(t *testing.T) {
	for text, want := range map[string]int{
		"Remember that I'm allergic to lanolin.": worth.Told,
		"记住：我的目标是六月之前跑完半程马拉松。":                   worth.Told,
		"I prefer trains over planes.":           worth.Sure,
		"我住在厦门，在大学里教书。":                          worth.Sure,
		"How tall is K2?":                        worth.Nothing,
		"Thanks, bye!":                           worth.Nothing,
		"> I live in Leeds":                      worth.Nothing,
		"":                                       worth.Nothing,
	} {
		turn := judge(worth.Options{}, text).Turns[0]
		if turn.Score != want || turn.Why == "" {
			t.Errorf("%q scores %d (%s), want %d", text, turn.Score, turn.Why, want)
		}
	}
}

// What the structurer reads counts where it is a trait, a plan or asked to be kept,
// and where it changes what was said before.
func TestJudge_News(t *testing.T) {
	for _, c := range []struct {
		turns []string
		layer storage.Layer // that the last turn is surely of; empty: it is sure of none
	}{
		{[]string{"I don't work at Initech any more."}, storage.Identity},
		{[]string{"我不再在腾讯工作了。"}, storage.Identity},
		{[]string{"I'm getting married on 3 May 2031!"}, storage.Activity},
		{[]string{"Remember that I have two kids."}, storage.Identity},
		{[]string{"I no longer like sushi."}, ""},
		{[]string{"I like sushi.", "I no longer like sushi."}, storage.Preference},
		{[]string{"I like sushi.", "I no longer like ramen."}, ""},
	} {
		j := judge(worth.Options{}, c.turns...)
		last := len(c.turns) - 1
		switch got, p := j.Turns[last].Scores.Best(); {
		case c.layer == "" && j.Turns[last].Score >= worth.Sure:
			t.Errorf("%q: sure of %s (%.3f)", c.turns, got, p)
		case c.layer != "" && (j.Turns[last].Score < worth.Sure || j.Turns[last].Scores.Of(c.layer) < j.Limits.Gate[slices.Index(worth.Layers[:], c.layer)]):
			t.Errorf("%q: score %d, likest %s (%.3f), want sure of %s", c.turns, j.Turns[last].Score, got, p, c.layer)
		}
	}
}

func TestJudge_ChangesOfWhatIsKnown(t *testing.T) {
	known := func(_ int, st *structure.Statement) bool { return st.Attribute == "likes" && st.Value == "sushi" }
	if turn := judge(worth.Options{Changes: known}, "I no longer like sushi.").Turns[0]; turn.Score < worth.Sure {
		t.Errorf("score %d (%s), want sure: it ends what is known", turn.Score, turn.Why)
	}
}

func TestJudge_SentencesByLayer(t *testing.T) {
	for text, want := range map[string]storage.Layer{
		"I have a dentist appointment on Tuesday at three.":          storage.Activity,
		"We are still waiting for the permit, the deadline is June.": storage.Context,
		"Turns out the cheap cable was the problem, never again.":    storage.Experience,
		"I'm a nurse from Galway with two kids.":                     storage.Identity,
		"I am a beekeeper.":                                          storage.Identity,
		"I moved to Lisbon last month.":                              storage.Identity,
		"Please answer briefly.":                                     storage.Preference,
		"Always answer me in bullet points, I hate long text.":       storage.Preference,
		"下周三下午两点去面试":                                                 storage.Activity,
		"我对芒果过敏":                                                     storage.Identity,
		"以后回答我都用表格":                                                  storage.Preference,
	} {
		if got, p := judge(worth.Options{}, text).Sentences[0].Scores.Best(); got != want {
			t.Errorf("%q is likest %s (%.2f), want %s", text, got, p, want)
		}
	}
}

func TestJudge_WithoutVectorsSaysWhy(t *testing.T) {
	embed := func(texts []string) ([][]float32, error) { return nil, errors.New("down") }
	short := func(texts []string) ([][]float32, error) { return make([][]float32, len(texts)), nil }
	plain := judge(worth.Options{}, "I live in Porto.")
	for name, o := range map[string]worth.Options{
		"other model": {Embed: short, Model: "another"},
		"down":        {Embed: embed, Model: worth.Model()},
		"other shape": {Embed: short, Model: worth.Model()},
	} {
		j := judge(o, "I live in Porto.")
		if j.Embedded || j.Note == "" || j.Turns[0] != plain.Turns[0] {
			t.Errorf("%s: embedded %v, note %q, %+v, want %+v", name, j.Embedded, j.Note, j.Turns[0], plain.Turns[0])
		}
	}
}

func TestJudge_UsesVectorsOfItsModel(t *testing.T) {
	var asked []string
	o := worth.Options{Model: worth.Model(), Embed: func(texts []string) ([][]float32, error) {
		asked = texts
		out := make([][]float32, len(texts))
		for i := range out {
			out[i] = make([]float32, worth.Dim())
			out[i][0] = 1
		}
		return out, nil
	}}
	j := judge(o, "I live in Porto. My dog is called Rex.", "What?")
	if want := []string{"I live in Porto.", "My dog is called Rex.", "I live in Porto. My dog is called Rex."}; !j.Embedded || !slices.Equal(asked, want) {
		t.Errorf("embedded %v, asked for %q, want %q", j.Embedded, asked, want)
	}
}

func TestJudge_AmongPeopleTurnsGoAlongWithWhatIsSure(t *testing.T) {
	read := func(names []string, contents ...string) *worth.Judgement {
		var turns []conversation.Turn
		for i, c := range contents {
			turns = append(turns, conversation.Turn{Role: conversation.User, Name: names[i%len(names)], Content: c})
		}
		return worth.Judge(conversation.Read(turns, conversation.Options{}), worth.Options{})
	}
	sure, aside := "I'm a nurse from Galway and I love rowing.", "The lighthouse keeper's old boat went to the museum people."
	if j := read([]string{"Ann", "Ben"}, sure, aside); j.Limits.Beside == 0 || !j.GoesAlong(0) {
		t.Errorf("beside a sure turn the limit is %g", j.Limits.Beside)
	}
	for name, j := range map[string]*worth.Judgement{
		"one speaker":     read([]string{"Ann"}, sure, aside),
		"nameless":        read([]string{""}, sure, aside),
		"nothing is sure": read([]string{"Ann", "Ben"}, "Hello!", "What a day."),
	} {
		if j.Limits.Beside != 0 || j.GoesAlong(0) || j.GoesAlong(1) {
			t.Errorf("%s: turns go along from %g on", name, j.Limits.Beside)
		}
	}
}

func TestJudge_GateRisesWithTheTurns(t *testing.T) {
	few, many := judge(worth.Options{}, "I'm home.").Limits, judge(worth.Options{}, slices.Repeat([]string{"I'm home."}, 9)...).Limits
	for i := range few.Gate {
		if many.Gate[i] <= few.Gate[i] || many.Gate[i] > many.Any {
			t.Errorf("%s: the limit is %.2f for one turn, %.2f for nine", worth.Layers[i], few.Gate[i], many.Gate[i])
		}
	}
	if many.Any != few.Any {
		t.Errorf("records from %.2f on, and from %.2f on in nine turns", few.Any, many.Any)
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string][]storage.Layer{
		"I prefer the smaller tent.":                                        {storage.Preference},
		"And always start an analysis with the result":                      {storage.Preference},
		"每次分析请先给出核心结论。":                                                     {storage.Preference},
		"I'm allergic to nuts.":                                             {storage.Identity},
		"I work night shifts, so please don't suggest early calls.":         {storage.Identity, storage.Preference},
		"I'm left-handed.":                                                  {storage.Identity},
		"I use Vim for everything.":                                         {storage.Preference},
		"I use it":                                                          nil,
		"我平时用Vim写代码。":                                                       {storage.Preference},
		"My goal is to read forty books.":                                   {storage.Context},
		"My preference is short answers.":                                   {storage.Preference},
		"my goal: learn Finnish this year":                                  {storage.Context},
		"Goal for this year: learn Finnish":                                 {storage.Context},
		"😊 I prefer the smaller tent.":                                      {storage.Preference},
		"从现在开始用英文回答我。":                                                      {storage.Preference},
		"从今天起每次都先给结论。":                                                      {storage.Preference},
		"从今天起我在家办公":                                                         nil,
		"目标是明年考上研究生。":                                                       {storage.Context},
		"今年的目标是减重五公斤。":                                                      {storage.Context},
		"这个函数的目标是返回列表。":                                                     nil,
		"目标是返回列表":                                                           nil,
		"I like the second version":                                         nil,
		"I love this answer":                                                nil,
		"我喜欢第一版":                                                            nil,
		"我喜欢那张海报，就它了":                                                       nil,
		"Bruno usually prefers the train":                                   {storage.Preference},
		"He prefers tea":                                                    nil,
		"On long flights I always want a window seat":                       {storage.Preference},
		"I never want to see that film again":                               nil,
		"Please contact me by text message":                                 {storage.Preference},
		"Text me the address":                                               nil,
		"出差我总是要高楼层的房间":                                                      {storage.Preference},
		"我还讨厌排队":                                                            {storage.Preference},
		"我总是要加班":                                                            nil,
		"We tried induction hobs in spring and learned that the fuses blow": {storage.Experience},
		"I tried to call you":                                               nil,
		"去年我们试过电子签到，结果发现老人都不会用":                                             {storage.Experience},
		"我试过了，没发现问题":                                                        nil,
		"I no longer eat meat.":                                             {storage.Preference},
		"I don't drink coffee any more":                                     {storage.Preference},
		"我已经不再吃肉了。":                                                         {storage.Preference},
		"I stopped eating when it got cold and ran":                         nil,
	} {
		if got := worth.Plain(text); !slices.Equal(got, want) {
			t.Errorf("%q says plainly %v, want %v", text, got, want)
		}
	}
}

func TestFile_RoundTrip(t *testing.T) {
	row := func(f float64) worth.Scores { return worth.Scores{f, -f, f / 2, 0, f} }
	f := &worth.File{Model: "m", Mean: []float32{0.5, -1}, Grams: []uint32{3, 9},
		Words: worth.Set{Bias: row(1), Grams: []worth.Scores{row(2), row(-1)}, Cues: []worth.Scores{row(0.5)}, Limits: worth.Limits{Any: 0.9}},
		Both:  worth.Set{Bias: row(2), Grams: []worth.Scores{row(1), row(3)}, Cues: []worth.Scores{row(1)}, Vector: []worth.Scores{row(4), row(-4)}}}
	b, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := worth.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if got.Model != "m" || !slices.Equal(got.Grams, f.Grams) || !slices.Equal(got.Mean, f.Mean) || got.Words.Limits != f.Words.Limits || got.Both.Bias != f.Both.Bias {
		t.Errorf("read back %+v", got)
	}
	for i, want := range f.Both.Vector {
		for l := range want {
			if d := math.Abs(got.Both.Vector[i][l] - want[l]); d > 4.0/127/2+1e-9 {
				t.Errorf("vector weight %d of layer %d is off by %g", i, l, d)
			}
		}
	}
	for cut := range len(b) {
		if _, err := worth.Decode(b[:cut]); err == nil {
			t.Fatalf("%d of %d bytes are read without an error", cut, len(b))
		}
	}
}

func FuzzGrams(f *testing.F) {
	f.Add("I live in Porto, 上海 2024!")
	f.Fuzz(func(t *testing.T, s string) {
		grams := worth.Grams(s)
		if !slices.IsSorted(grams) || len(slices.Compact(slices.Clone(grams))) != len(grams) {
			t.Fatalf("grams of %q are not sorted and distinct", s)
		}
		for _, c := range worth.Cues(s) {
			if c < 0 || c >= worth.CueCount() {
				t.Fatalf("cue %d of %d", c, worth.CueCount())
			}
		}
		judge(worth.Options{}, s)
	})
}
