package recall

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mcp-memory/internal/text"
	"mcp-memory/storage/keyword"
)

// talk is a session of turns in which two people take turns.
type talk struct {
	*keyword.Index
	turns []string
	alone bool // one speaker: turns lend each other nothing
}

func newTalk(turns ...string) *talk {
	t := &talk{Index: keyword.New(), turns: turns}
	for i, s := range turns {
		t.Add(uint32(i), text.Terms(s))
	}
	return t
}

func (t *talk) Beside(doc uint32, k int) (uint32, bool) {
	n := int(doc) + k
	return uint32(n), !t.alone && n >= 0 && n < len(t.turns)
}

func (t *talk) Asks(doc uint32) bool { return Traits(t.turns[doc])&Asks != 0 }

func TestScore_LendsToNeighboursOfASharedSession(t *testing.T) {
	c := newTalk("The zither is old.", "Where is it kept?", "In the attic.", "Nothing else.")
	score := func() []float64 {
		return slices.Clone(Score(c, c, []string{"zither"}, keyword.Weight, 4, &Scratch{}).Scores[:4])
	}
	got := score()
	own := c.IDF("zither") * keyword.Weight(1, c.Length(0))
	for i, share := range []float64{1, lendBefore, lendBefore * beforeFade, lendBefore * beforeFade * beforeFade} {
		if want := own * share; math.Abs(got[i]-want) > 1e-9 {
			t.Errorf("turn %d: %v, want %v", i, got[i], want)
		}
	}
	c.alone = true
	if got := score(); got[0] == 0 || got[1] != 0 {
		t.Errorf("one speaker: %v, want only the first to score", got)
	}
}

func TestOwnWords_IsTheScoreOfOneWhoStandsAlone(t *testing.T) {
	c := newTalk("The zither and the zither case are old.", "Where is the zither kept?", "In the attic.")
	terms := []string{"zither", "kept", "zither", "case"}
	c.alone = true
	for doc, want := range slices.Clone(Score(c, c, terms, keyword.Weight, 3, &Scratch{}).Scores[:3]) {
		if got := OwnWords(c, terms, keyword.Weight, uint32(doc)); math.Abs(got-want) > 1e-9 {
			t.Errorf("turn %d: %v, want %v", doc, got, want)
		}
	}
}

func TestScore_AnAnswerTakesMoreFromItsQuestion(t *testing.T) {
	c := newTalk("Where is the zither?", "In the attic.")
	s := Score(c, c, []string{"zither"}, keyword.Weight, 2, &Scratch{}).Scores
	if math.Abs(s[1]-answer*s[0]) > 1e-9 {
		t.Errorf("the answer scores %v beside %v, want %v of it", s[1], s[0], answer)
	}
}

func TestScore_ScratchLeavesNothingBehind(t *testing.T) {
	c := newTalk("The zither is old.", "A kettle sings.", "Rain falls.")
	scratch := &Scratch{}
	for _, q := range [][]string{{"zither", "kettl"}, {"rain"}, {}, {"zither"}} {
		got := Score(c, c, q, keyword.Weight, 3, scratch)
		want := Score(c, c, q, keyword.Weight, 3, &Scratch{})
		if !slices.Equal(got.Scores[:3], want.Scores[:3]) || !slices.Equal(got.Fit[:3], want.Fit[:3]) || got.Most != want.Most {
			t.Errorf("%v: %v, want %v", q, got.Scores[:3], want.Scores[:3])
		}
	}
}

// In a store of two a word that both hold must not weigh nothing beside one that
// neither does.
func TestScore_FitDoesNotHangOnTheSizeOfTheStore(t *testing.T) {
	small := newTalk("The weight log says 79.", "The weight log says 80.")
	small.alone = true
	fit := Score(small, small, []string{"weight", "log", "entri"}, keyword.Weight, 2, &Scratch{}).Fit[0]
	if fit < 0.2 || fit > 0.6 {
		t.Errorf("fit %v, want about a third", fit)
	}
}

func TestBest_IsTheStartOfTheWholeOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var cs []*Candidate
		for i := range rapid.IntRange(0, 40).Draw(t, "n") {
			cs = append(cs, &Candidate{
				ID: fmt.Sprintf("%02d", i), Raw: float64(rapid.IntRange(0, 3).Draw(t, "raw")),
				Time: int64(rapid.IntRange(0, 3).Draw(t, "time")), Identical: rapid.IntRange(0, 9).Draw(t, "same") == 0,
			})
		}
		k := rapid.IntRange(0, 45).Draw(t, "k")
		all := slices.Clone(cs)
		slices.SortFunc(all, before)
		got := Best(slices.Clone(cs), k)
		if want := all[:min(k, len(all))]; !slices.Equal(got, want) {
			t.Fatalf("got %d, want %d in the order of all", len(got), len(want))
		}
	})
}

func TestMentions_WholeWordsButAnyPlaceInHan(t *testing.T) {
	for _, tt := range []struct {
		text, name string
		want       bool
	}{
		{"where is ann's bike", "ann", true}, {"the annex is shut", "ann", false}, {"joanna rows", "anna", false},
		{"小李在哪里", "小李", true}, {"ask team red now", "team red", true}, {"x", "", false}, {"ann", "ann", true},
	} {
		if got := Mentions(tt.text, tt.name); got != tt.want {
			t.Errorf("%q in %q: %v, want %v", tt.name, tt.text, got, tt.want)
		}
	}
}

func TestTraits(t *testing.T) {
	for s, want := range map[string]Trait{
		"What is it?":                           Asks | ShortQuestion,
		"Is it? I think so.":                    Asks,
		"We met last week.":                     HasTime,
		"It was the other day.":                 HasTime,
		"In 1998 it rained.":                    HasTime,
		"You may march on.":                     0,
		"We saw Ann there.":                     HasName,
		"Yes. Then we left.":                    0,
		"昨天下雨了。":                                HasTime,
		"McDonald is here, said iPhone owners.": 0,
	} {
		if got := Traits(s); got != want {
			t.Errorf("%q: %04b, want %04b", s, got, want)
		}
	}
}

// nobody speaks in sessions.
type nobody struct{}

func (nobody) Named([]string) []string { return nil }
func (nobody) NameOnly(string) bool    { return false }

func TestUnderstand_Times(t *testing.T) {
	ref := time.Date(2024, 5, 15, 12, 0, 0, 0, time.UTC)
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, tt := range []struct {
		query, at string
		near      float64
	}{
		{"What did we decide yesterday?", "2024-05-14", 1},
		{"What did we decide yesterday?", "2024-05-01", 0},
		{"What did the board approve in May 2023?", "2023-05-16", 1},
		{"What did the board approve in May 2023?", "2023-06-05", 0.5},
		{"What did the board approve in May 2023?", "2022-05-16", 0},
		{"昨天决定了什么？", "2024-05-14", 1},
		{"rent paid since 2023", "2024-02-01", 1},
		{"rent paid since 2023", "2022-12-30", 0},
		{"rent paid before 2023", "2022-12-30", 1},
		{"rent paid before 2023", "2023-01-02", 0},
		{"rent paid after 2022", "2024-05-01", 1},
		{"rent paid after 2022", "2022-05-01", 0},
		{"rent paid until May 2023", "2022-05-01", 1},
		{"2023年以来的房租", "2024-02-01", 1},
		{"2023年之前的房租", "2022-02-01", 1},
		{"Where was he between August 11 and August 15 2023?", "2023-08-13", 1},
		{"What is on the table?", "2024-05-14", 0},
	} {
		q := Understand(tt.query, ref, []int{2022, 2023, 2024}, nobody{})
		if got := q.Near(day(tt.at).Add(9 * time.Hour)); got != tt.near {
			t.Errorf("%q at %s: %v, want %v", tt.query, tt.at, got, tt.near)
		}
	}
}

func TestUnderstand_DatesAreNoTermsAndSeasonsAre(t *testing.T) {
	q := Understand("Where was Jolene in summer 2022?", time.Now(), []int{2022}, nobody{})
	if slices.Contains(q.Terms, "2022") || !slices.Contains(q.Terms, "summer") {
		t.Errorf("terms %v", q.Terms)
	}
}

func TestAbove_NonsenseShowsNothingAndAHitShowsTheRest(t *testing.T) {
	low, hit := &Candidate{Worded: Floor - 0.01, Score: Floor - 0.01}, &Candidate{Worded: Floor, Score: Floor}
	if got := Above([]*Candidate{low}, 1000); len(got) != 0 {
		t.Errorf("below the floor: %d shown", len(got))
	}
	if got := Above([]*Candidate{low, hit, {Score: FloorRest / 2}}, 1000); len(got) != 2 {
		t.Errorf("beside a hit: %d shown, want 2", len(got))
	}
	if got := Above([]*Candidate{{Worded: 0.01, Cover: FloorCover}}, 1000); len(got) != 1 {
		t.Error("a long text that holds the words is not shown")
	}
}

func TestContext_CutsWhatIsTooLongRatherThanGivingNothing(t *testing.T) {
	lines := []Line{{Text: strings.Repeat("long 长 ", 400)}, {Text: "short"}}
	s, used := Context(lines, 120)
	if used == 0 || Tokens(s) > 121 || !strings.Contains(s, "long 长") {
		t.Errorf("used %d, %d tokens: %q", used, Tokens(s), s)
	}
}

func TestContext_StaysInItsBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines []Line
		for range rapid.IntRange(0, 20).Draw(t, "lines") {
			lines = append(lines, Line{Text: rapid.StringN(0, 80, -1).Draw(t, "text"), Date: "2024-05-01"})
		}
		most := rapid.IntRange(1, 400).Draw(t, "tokens")
		s, used := Context(lines, most)
		if n := Tokens(s); n > most+1 { // two texts may round up where one does
			t.Fatalf("%d tokens of %d", n, most)
		}
		if used > 0 != (s != "") || strings.Count(s, "</memories") > 1 {
			t.Fatalf("used %d: %q", used, s)
		}
	})
}

func TestAround_KeepsTheHitAndTheBorders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		left, right := rapid.StringN(0, 300, -1).Draw(t, "left"), rapid.StringN(0, 300, -1).Draw(t, "right")
		limit := rapid.IntRange(40, 200).Draw(t, "limit")
		s := strings.ToLower(left) + " zither " + strings.ToLower(right)
		got, cut := Around(s, []string{"zither"}, limit)
		if len(got) > limit || !utf8.ValidString(got) && utf8.ValidString(s) || cut != (len(s) > limit) {
			t.Fatalf("%d bytes of %d, cut %v", len(got), limit, cut)
		}
		if strings.Count(s, "zither") == 1 && !strings.Contains(got, "zither") {
			t.Fatalf("the hit is not in %q", got)
		}
	})
}

// The hit is found as the search found it: folded, whatever the text looks like.
func TestAround_FindsWhatIsWrittenOtherwise(t *testing.T) {
	pad := strings.Repeat("Die üblichen Bemerkungen über Farbe. 常见的意见。 ", 60)
	for query, needle := range map[string]string{
		"ozturk":             "Frau Öztürk hat ihn.",
		"Öztürk":             "Frau O\u0308ztu\u0308rk hat ihn.",
		"strasse 12":         "Haus in der Straße 12.",
		"ISTANBUL":           "İstanbul'a gitti.",
		"ABC商会":              "ＡＢＣ商會搬走了。",
		"会议记录":               "會議記錄放在這裡。",
		"會議記錄":               "会议记录放在这里。",
		"データベース":             "ﾃﾞｰﾀﾍﾞｰｽは重い。",
		"موعد":               "مُوعِد الطبيب",
		"كتاب":               "الكتاب هنا",
		"ёлка":               "ЕЛКА стоит",
		"שלום":               "שָׁלוֹם עולם",
		"office":             "The oﬃce is shut.",
		"reunions at nine":   "Les réunions at nine.",
		"kühlschrank defekt": "KÜHLSCHRANK DEFEKT!",
	} {
		whole := pad + needle + " " + pad
		got, cut := Around(whole, text.QueryTerms(query), 2048)
		if !cut || len(got) > 2048 || !strings.Contains(got, needle) {
			t.Errorf("%q: %d bytes without %q", query, len(got), needle)
		}
	}
}

// One word of the question alone decides nothing where the others stand together.
func TestAround_PrefersWhereMostStands(t *testing.T) {
	pad := strings.Repeat("Nothing of note was said here. ", 100)
	whole := "The samovars were shown. " + pad + "Olena got one samovar as a gift. " + pad
	if got, _ := Around(whole, text.QueryTerms("which gift did Olena get, a samovar?"), 600); !strings.Contains(got, "Olena got one samovar as a gift.") {
		t.Errorf("got %q", got)
	}
	if got, _ := Around(whole, text.QueryTerms("nothing like it"), 600); !strings.HasPrefix(got, "The samovars") && !strings.Contains(got, "Nothing") {
		t.Errorf("got %q", got)
	}
}

func TestContext_GivesALineOnce(t *testing.T) {
	lines := []Line{
		{Text: "I play the violin.", Date: "2024-05-01", Layer: "identity"},
		{Text: "I play the violin.", Date: "2024-05-01", Layer: "activity"},
		{Text: "I play the violin.", Date: "2024-06-01"},
	}
	got, used := Context(lines, 0)
	if n := strings.Count(got, "violin"); n != 2 || used != 3 {
		t.Errorf("%d of the lines are given, %d used:\n%s", n, used, got)
	}
}

func TestContext_GivesWhatATurnSaysOnce(t *testing.T) {
	const whole = "The kiln reaches 1,260 degrees. It needs nine hours to cool."
	lines := []Line{
		{ID: "a", Text: "The kiln reaches 1,260 degrees.", Date: "2025-02-01", Turn: "7"},
		{ID: "b", Text: "窑炉要冷却九个小时。", Date: "2025-02-01", Turn: "8"},
		{ID: "c", Text: whole, Date: "2025-02-03", Turn: "7"},
		{ID: "d", Text: "窑炉要冷却九个小时。釉料用灰釉。", Date: "2025-02-01", Turn: "8"},
		{ID: "e", Text: "The kiln reaches 1,260 degrees.", Date: "2025-03-01", Turn: "9"}, // said again
		{ID: "f", Text: "The kiln", Date: "2025-02-05", Turn: ""},                         // of no turn
	}
	got, used := Context(lines, 0)
	want := contextHead + "- [2025-02-01] " + whole + "\n- [2025-02-01] 窑炉要冷却九个小时。釉料用灰釉。\n" +
		"- [2025-03-01] The kiln reaches 1,260 degrees.\n- [2025-02-05] The kiln\n" + contextFoot
	if got != want || used != len(lines) {
		t.Errorf("%d used:\n%s", used, got)
	}
	if sum, n := Summary(lines, 0); n != len(lines) || strings.Count(sum, "1,260") != 2 || !strings.Contains(sum, "[c][a]") {
		t.Errorf("%d used in the summary:\n%s", n, sum)
	}
	// Where the whole turn does not fit, the sentence that was found does.
	got, used = Context(lines, Tokens(contextHead)+Tokens(contextFoot)+Tokens("- [2025-02-01] The kiln reaches 1,260 degrees.\n"))
	if used != 1 || !strings.Contains(got, "- [2025-02-01] The kiln reaches 1,260 degrees.\n") {
		t.Errorf("%d used in a small budget:\n%s", used, got)
	}
}
