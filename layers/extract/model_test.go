package extract_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/extract"
	"mcp-memory/layers/llm"
	"mcp-memory/storage"
)

// modelStub answers with its replies in turn, the last one for ever.
type modelStub struct {
	replies []string
	fail    func(r llm.Request) error
	asked   []llm.Request
}

func (s *modelStub) Model() string { return "layer-1" }

func (s *modelStub) Call(_ context.Context, r llm.Request) (llm.Response, error) {
	s.asked = append(s.asked, r)
	if s.fail != nil {
		if err := s.fail(r); err != nil {
			return llm.Response{}, err
		}
	}
	return llm.Response{Text: s.replies[min(len(s.asked), len(s.replies))-1]}, nil
}

// march5 is a Tuesday, at ten in Berlin.
var march5 = time.Date(2024, 3, 5, 10, 1, 0, 0, time.FixedZone("", 3600))

// modelTalk is a conversation of turns "role: text" or "role/name: text".
func modelTalk(turns ...string) conversation.Talk {
	talk := conversation.Talk{Language: "en"}
	for i, t := range turns {
		who, text, _ := strings.Cut(t, ": ")
		role, name, _ := strings.Cut(who, "/")
		talk.Turns = append(talk.Turns, conversation.Turn{ID: fmt.Sprint("m", i), Role: role, Name: name, Content: text, Time: march5})
	}
	return talk
}

func modelIn(turns ...string) extract.ModelInput {
	return extract.ModelInput{Talk: modelTalk(turns...), ObservedAt: march5, Trace: "t"}
}

// answered is an answer with these memories.
func answered(memories ...string) string { return `{"memories":[` + strings.Join(memories, ",") + `]}` }

func byModel(t *testing.T, layer storage.Layer, in extract.ModelInput, answer string) extract.ModelResult {
	t.Helper()
	got, _, err := extract.ByModel(t.Context(), &modelStub{replies: []string{answer}}, layer, in)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// oneMemory is the only memory of an answer with one.
func oneMemory(t *testing.T, layer storage.Layer, in extract.ModelInput, memory string) extract.Memory {
	t.Helper()
	got := byModel(t, layer, in, answered(memory))
	if len(got.Memories) != 1 {
		t.Fatalf("%d memories, drops %+v", len(got.Memories), got.Drops)
	}
	return got.Memories[0]
}

func TestByModel_ChecksAndFillsAMemory(t *testing.T) {
	in := modelIn("assistant: And you?", "user: I am a beekeeper in Freiburg.")
	stub := &modelStub{replies: []string{answered(`{"text":" The user is a\n beekeeper in Freiburg. ","entity":"I","attribute":"occupation","value":"beekeeper","category":"Fact","reason":"asked",` +
		`"importance":"9","confidence":"90%","quote":"“i am a  Beekeeper in Freiburg.”","turn":1,"tags":["bees",5,"bees",""],"layer":"fact","role":"system","trust":"user_stated",` +
		`"detail":{"description":"keeps bees","type":"Professional","colour":"blue","role":7,"since":null}}`)}}
	got, calls, err := extract.ByModel(t.Context(), stub, storage.Identity, in)
	if err != nil || len(got.Drops) != 0 || len(got.Memories) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	m := got.Memories[0]
	if m.Layer != storage.Identity || m.Entity != "user" || m.Attribute != "occupation" || m.Value != "beekeeper" || m.Category != "fact" || m.Reason != "asked" ||
		m.Text != "The user is a beekeeper in Freiburg." || m.Importance != 5 || m.Confidence != .9 || m.Language != "en" {
		t.Errorf("%+v", m)
	}
	if !slices.Equal(m.Turns, []int{1}) || m.Speaker != "user" || m.Trust != storage.UserStated || m.Quote == "" || !slices.Equal(m.Tags, []string{"bees", "5"}) {
		t.Errorf("%+v", m)
	}
	if want := `{"description":"keeps bees","role":"7","type":"professional"}`; string(m.Detail) != want {
		t.Errorf("detail %s, want %s", m.Detail, want)
	}
	if len(calls) != 1 || calls[0].Role != llm.Identity || calls[0].Prompt != "frame/1+identity/1" || calls[0].ParentTrace != "t" {
		t.Errorf("calls %+v", calls)
	}
}

func TestByModel_DefaultsWhereTheModelSaysNothing(t *testing.T) {
	m := oneMemory(t, storage.Preference, modelIn("user: I like tea."), `"The user likes tea."`)
	if m.Importance != 4 || m.Confidence != .8 || m.Trust != storage.Inferred || m.Entity != "user" || m.Quote != "" || m.Detail != nil || !slices.Equal(m.Turns, []int{0}) {
		t.Errorf("%+v", m)
	}
	clamped := oneMemory(t, storage.Preference, modelIn("user: I like tea."), `{"text":"The user likes tea.","importance":-3,"confidence":-1,"quote":"I like tea"}`)
	if clamped.Importance != 1 || clamped.Confidence != 0 {
		t.Errorf("%+v", clamped)
	}
	beyond := oneMemory(t, storage.Preference, modelIn("user: I like tea."), `{"text":"The user likes tea.","importance":1e999,"confidence":-1e400,"turn":1e300,"x":[1e400],"quote":"I like tea"}`)
	if beyond.Importance != 5 || beyond.Confidence != 0 || beyond.Trust != storage.UserStated {
		t.Errorf("%+v", beyond)
	}
}

func TestByModel_DropsWithAReason(t *testing.T) {
	talk := modelIn("user: I am a beekeeper.", "assistant: You like jazz.", "tool: disk full", "user: My sister Ines moved to Porto.", "user/Bob: I hate cats, says Bob.", "user: I moved in 2019.")
	for _, c := range []struct{ name, memory, want string }{
		{"a number", `5`, "is no object"},
		{"no text", `{"value":"x"}`, "has no text"},
		{"blank", `{"text":" … "}`, "has no text"},
		{"a book", `{"text":"` + strings.Repeat("long ", 500) + `"}`, "a statement has 2000 at most"},
		{"a refusal", `{"text":"I'm sorry, but I can't help with that.","quote":"I am a beekeeper"}`, "is the model's refusal"},
		{"a refusal in Chinese", `{"text":"抱歉，我无法处理该请求"}`, "is the model's refusal"},
		{"the assistant's word", `{"text":"The user likes jazz.","quote":"You like jazz"}`, `rests on what the role "assistant" said`},
		{"a tool's word", `{"text":"The user's disk is full.","quote":"disk full"}`, `rests on what the role "tool" said`},
		{"the assistant's turn", `{"text":"The user likes jazz.","turn":1}`, "no turn of a person says it"},
		{"another's word of himself", `{"text":"The user hates cats.","entity":"user","quote":"I hate cats"}`, "puts down to the user what Bob says of himself"},
		{"nobody", `{"text":"Somebody is a beekeeper.","entity":"…","quote":"I am a beekeeper"}`, "is about nobody"},
		{"they", `{"text":"They moved to Porto.","entity":"Ines","quote":"moved to Porto"}`, "does not stand alone"},
		{"a number for a text", `{"text":5,"quote":"I am a beekeeper"}`, "where it should be stands a number"},
		{"a boolean for a text", `{"text":true}`, "where it should be stands a boolean"},
		{"texts", `{"text":["The user is a beekeeper.","and more"]}`, "where it should be stands a list"},
		{"an object for a text", `{"text":{"en":"The user is a beekeeper."}}`, "where it should be stands an object"},
		{"a text of digits", `{"text":"42."}`, "has no text"},
		{"an entity that is true", `{"text":"The user is a beekeeper.","entity":true,"quote":"I am a beekeeper"}`, "where its entity should be stands a boolean"},
		{"entities", `{"text":"The user is a beekeeper.","entity":["Ines","Bob"],"quote":"I am a beekeeper"}`, "where its entity should be stands a list"},
		{"another layer", `{"text":"The user is a beekeeper.","layer":"Preference","quote":"I am a beekeeper"}`, "the model puts it into the layer preference; it was asked for identity"},
		{"two texts", `{"text":"The user is a beekeeper.","text":"The user is a baker.","quote":"I am a beekeeper"}`, `gives "text" twice`},
		{"a quote made up", `{"text":"The user is a millionaire.","quote":"I am very rich"}`, "its quote stands in no turn, and no turn says what it says"},
		{"a quote of one word", `{"text":"The user is a millionaire.","quote":"I"}`, "its quote stands in no turn, and"},
		{"a quote within a word", `{"text":"The user owns a pub.","quote":"keep"}`, "its quote stands in no turn, and"},
		{"no quote, and never said", `{"text":"The user lives in Bonn."}`, "it has no quote, and no turn says anything of it"},
		{"only the assistant says it", `{"text":"The user likes jazz."}`, "it has no quote, and no turn says anything of it"},
		{"the assistant's, and what follows is no agreement", `{"text":"The user likes jazz.","quote":"I like jazz"}`, "its quote stands in no turn, and"},
		{"not known, nor spoken of", `{"text":"The user's employer is unknown.","quote":"I am a beekeeper"}`, "says that there is nothing to remember"},
		{"the prompt's example", `{"text":"The user wants short summaries.","attribute":"summary style","value":"short"}`, "is an example of what the model was told"},
		{"the prompt's example with its quote", `{"text":"Ines, the user's sister, is a vet.","entity":"Ines","quote":"My sister Ines, who is a vet, moved to Porto."}`, "is an example of what the model was told"},
		{"the prompt's words", `{"text":"One sentence that stands alone.","quote":"the words of that turn"}`, "its quote stands in no turn, and"},
		{"not known", `{"text":"The user's home city is not specified.","quote":"I am a beekeeper"}`, "says that there is nothing to remember"},
		{"not known, in Chinese", `{"text":"用户的居住城市未知。","quote":"I am a beekeeper"}`, "says that there is nothing to remember"},
		{"a date made up", `{"text":"Ines moved to Porto on 1 July 2023.","entity":"Ines","quote":"My sister Ines moved to Porto"}`, "its text holds a time that no turn says: 1 July 2023"},
		{"a day made up of a year", `{"text":"The user moved on 12 May 2019.","quote":"I moved in 2019"}`, "its text holds a time that no turn says: 12 May 2019"},
		{"a day that is none", `{"text":"The user moved on 30 February 2019.","quote":"I moved in 2019"}`, "a day that no calendar has: 30 February 2019"},
		{"a day that is none, in digits", `{"text":"The user moved on 2019-02-30.","quote":"I moved in 2019"}`, "a day that no calendar has: 2019-02-30"},
		{"a day that is none, in Chinese", `{"text":"用户2019年2月30日搬家。","quote":"I moved in 2019"}`, "a day that no calendar has: 2019年2月30日"},
		{"a year long ago", `{"text":"Ines moved to Porto in 1871.","entity":"Ines","quote":"My sister Ines moved to Porto"}`, "a year that no turn says: 1871"},
		{"a year in wide digits", `{"text":"Ines moved to Porto (２０１９).","entity":"Ines","quote":"My sister Ines moved to Porto"}`, "a year that no turn says: 2019"},
		{"a year in Chinese", `{"text":"Ines 1871年搬到了波尔图。","entity":"Ines","quote":"My sister Ines moved to Porto"}`, "a year that no turn says: 1871"},
		{"a year made up", `{"text":"Ines moved to Porto (2019).","entity":"Ines","quote":"My sister Ines moved to Porto"}`, "no turn says"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := byModel(t, storage.Identity, talk, answered(c.memory))
			if len(got.Memories) != 0 || len(got.Drops) != 1 || !strings.Contains(got.Drops[0].Reason, c.want) {
				t.Errorf("%+v, want a drop for %q", got, c.want)
			}
		})
	}
}

// Beside its text a memory says no time either that nobody said.
func TestByModel_LeavesOutTimesThatNobodySaid(t *testing.T) {
	in := modelIn("user: I keep bees since 2019, and turn forty next Tuesday.")
	m := oneMemory(t, storage.Identity, in, `{"text":"The user keeps bees.","quote":"I keep bees","attribute":"birthday","value":"1984-05-05","reason":"since 4 May 2001","detail":{"since":"May 2001","description":"since 1999 a beekeeper","role":"beekeeper since 2019"}}`)
	if m.Attribute != "" || m.Value != "" || m.Reason != "" || string(m.Detail) != `{"role":"beekeeper since 2019"}` || len(m.Notes) != 4 {
		t.Errorf("%+v, detail %s", m, m.Detail)
	}
	m = oneMemory(t, storage.Identity, in, `{"text":"The user turns forty on 12 March 2024.","quote":"turn forty next Tuesday","attribute":"fortieth birthday","value":"2024-03-12","reason":"it is next week"}`)
	if m.Value != "2024-03-12" || m.Reason == "" || len(m.Notes) != 0 {
		t.Errorf("%+v", m)
	}
}

// What a field holds that is of another kind than its own is told, or read as what it
// surely means.
func TestByModel_ReadsFieldsOfOtherKinds(t *testing.T) {
	in := modelIn("user: I keep bees.")
	m := oneMemory(t, storage.Identity, in, `{"text":["The user\u0000keeps\u0007bees."],"quote":["I keep bees"],"turn":"0","confidence":"high","importance":{"of":5},"tags":"bees, honey；#wax"}`)
	if m.Text != "The user keeps bees." || m.Trust != storage.UserStated || m.Confidence != .8 || m.Importance != 4 || !slices.Equal(m.Tags, []string{"bees", "honey", "wax"}) ||
		!slices.Equal(m.Notes, []string{"importance is no number and is left out", "confidence is no number and is left out"}) {
		t.Errorf("%+v", m)
	}
	for given, want := range map[string]int{"0": 1, "11": 5, `"5"`: 5, "null": 4, `[2]`: 2, `"NaN"`: 4, "2.6": 3} {
		if m := oneMemory(t, storage.Identity, in, `{"text":"The user keeps bees.","quote":"I keep bees","importance":`+given+`}`); m.Importance != want {
			t.Errorf("importance %s: %d, want %d", given, m.Importance, want)
		}
	}
}

// What is said in short bears out what a model writes for it, and no more than that.
func TestByModel_KnowsTimesSaidInShort(t *testing.T) {
	for _, c := range []struct {
		said, text string
		want       int
	}{
		{"My birthday is 5/4.", "The user's birthday is May 4.", 1},
		{"My birthday is 5/4.", "The user's birthday is 5 April.", 1},
		{"My birthday is 5/4.", "The user's birthday is 6 April.", 0},
		{"I was born in '85.", "The user was born in 1985.", 1},
		{"I was born in '85.", "The user was born in May 1985.", 0},
		{"Let's meet on the 3rd.", "The user meets on 3 April 2024.", 1},
		{"Let's meet on the 3rd.", "The user meets on 4 April 2024.", 0},
		{"I fly home at Christmas.", "The user flies home on December 25.", 1},
		{"The lease runs until the end of the year.", "The lease runs until 31 December 2024.", 1},
		{"The lease runs until the end of the year.", "The lease runs until 12 May 2024.", 0},
		{"我下个月初入职。", "用户2024年4月1日入职。", 1},
		{"我下个月初入职。", "用户2024年4月15日入职。", 0},
	} {
		got := byModel(t, storage.Identity, modelIn("user: "+c.said), answered(fmt.Sprintf(`{"text":%q,"quote":%q}`, c.text, c.said)))
		if len(got.Memories) != c.want {
			t.Errorf("%s: %s is kept %d times, want %d: %+v", c.said, c.text, len(got.Memories), c.want, got.Drops)
		}
	}
}

// A text in another language than the turns cannot be held against their words, and a
// word that answers a question is a quote.
func TestByModel_KeepsWhatCannotBeHeldAgainstTheTurns(t *testing.T) {
	for _, c := range []struct {
		turns  []string
		memory string
		trust  storage.Trust
	}{
		{[]string{"user: I keep bees."}, `{"text":"用户养蜂。","quote":"我养蜂"}`, storage.Inferred},
		{[]string{"user: I keep bees."}, `{"text":"The user is a beekeeper.","quote":"I am keeping bees"}`, storage.Inferred},
		{[]string{"assistant: Do you eat meat?", "user: No."}, `{"text":"The user eats no meat.","quote":"No"}`, storage.UserStated},
		{[]string{"assistant: You like jazz?", "user: Yes!"}, `{"text":"The user likes jazz."}`, storage.Inferred},
		{[]string{"assistant: Do you live in Lisbon?", "user: Yes, since 2019 in fact, with my wife and our two kids."}, `{"text":"The user lives in Lisbon."}`, storage.Inferred},
		{[]string{"assistant: 你住在里斯本吗？", "user: 是的，二〇一九年起就和妻子孩子一起了，非常满意。"}, `{"text":"用户住在里斯本。"}`, storage.Inferred},
		{[]string{"user: Please help me with my essay.", "user: Ich bin Imker und wohne seit vielen Jahren in Bonn."}, `{"text":"The user is a beekeeper."}`, storage.Inferred},
		{[]string{"user: My manager is away in July."}, `{"text":"The user's manager is not available during July.","quote":"My manager is away in July"}`, storage.UserStated},
		{[]string{"user: I don't know who my father is."}, `{"text":"The user's father is unknown.","quote":"I don't know who my father is"}`, storage.UserStated},
		{[]string{"user: 我的生父是谁至今不明。"}, `{"text":"用户的生父不明。","quote":"我的生父是谁至今不明"}`, storage.UserStated},
		{[]string{"user: 我在弗莱堡养蜂。"}, `{"text":"用户在弗莱堡养蜂。","quote":"我在弗莱堡养蜜蜂"}`, storage.Inferred},
		{[]string{"user: 我在弗莱堡养蜂。"}, `{"text":"用户养蜂。","quote":"养蜂"}`, storage.UserStated},
	} {
		if m := oneMemory(t, storage.Identity, modelIn(c.turns...), c.memory); m.Trust != c.trust {
			t.Errorf("%s: trust %s, want %s", c.memory, m.Trust, c.trust)
		}
	}
}

// Models leave the list out around what they were asked for, write one object a line, or
// put an object of their own around it.
func TestByModel_TakesOtherShapes(t *testing.T) {
	const bees, goats = `{"text":"The user keeps bees.","quote":"I keep bees"}`, `{"text":"The user keeps goats.","quote":"and goats"}`
	for answer, want := range map[string]int{
		bees:                        1,
		bees + "\n" + goats:         2,
		`{"memories":` + bees + `}`: 1,
		`{"result":[` + bees + `,` + goats + `]}`:                          2,
		`{"result":` + answered(bees) + `}`:                                1,
		`{"data":{"result":` + answered() + `}}`:                           0,
		answered(bees) + "\nand\n" + answered(goats):                       2,
		`[{"text":"The user keeps bees </think>.","quote":"I keep bees"}]`: 1,
		"[" + bees + "]\n[" + goats + "]":                                  2,
		fmt.Sprintf(`{"memories":%q}`, "["+bees+"]"):                       1,
		fmt.Sprintf("%q", answered(bees)):                                  1,
		`{"memories":[` + bees + `,],}`:                                    1,
		strings.ReplaceAll(answered(bees), `"`, "'"):                       1,
		`{memories: [ /* one */ ` + bees + "] // done\n}":                  1,
		`{"Memories":[` + bees + `]} {"note":`:                             1,
		answered(bees, goats) + " [1] {see above}":                         2,
	} {
		stub := &modelStub{replies: []string{answer}}
		got, calls, err := extract.ByModel(t.Context(), stub, storage.Identity, modelIn("user: I keep bees and goats."))
		if err != nil || len(got.Memories) != want || len(got.Drops) != 0 || len(calls) != 1 {
			t.Errorf("%s: %+v, %d calls, %v; want %d memories", answer, got, len(calls), err, want)
		}
	}
	for _, answer := range []string{`{"things":[]}`, `{"memories":5}`, `{"memories":{"a":1}}`, `{"text":"x"} {"text":`, answered(bees)[:60], `{"facts":["bees"]}`} {
		if got, _, err := extract.ByModel(t.Context(), &modelStub{replies: []string{answer}}, storage.Identity, modelIn("user: I keep bees.")); !errors.Is(err, llm.ErrInvalid) {
			t.Errorf("%s: %+v, %v", answer, got, err)
		}
	}
}

// An answer of many megabytes costs little: what is over the limits is not looked at.
func TestByModel_TakesLittleOfALongAnswer(t *testing.T) {
	long := strings.Repeat("bees ", 1<<17)
	got := byModel(t, storage.Identity, modelIn("user: I keep bees."), answered(
		`{"text":"`+long+`"}`, `{"text":"The user keeps bees.","quote":"I keep bees","reason":"`+long+`","tags":["`+long+`"],"detail":{"description":"`+long+`","role":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`}}`))
	if len(got.Memories) != 1 || len(got.Memories[0].Reason) > 1010 || len(got.Memories[0].Detail) > 1100 || len(got.Memories[0].Tags) != 0 || len(got.Drops) != 1 || len(got.Drops[0].Text) > 210 {
		t.Errorf("%d memories, %d drops", len(got.Memories), len(got.Drops))
	}
}

func TestByModel_OneBadMemoryHarmsNoOther(t *testing.T) {
	got := byModel(t, storage.Identity, modelIn("user: I am a beekeeper. I am Ada."),
		answered(`{"text":"The user is a beekeeper.","quote":"I am a beekeeper"}`, `null`, `{"text":""}`, `{"text":"The user is called Ada.","entity":"user","attribute":"name","value":"Ada","quote":"I am Ada"}`))
	if len(got.Memories) != 2 || len(got.Drops) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestByModel_DropsWhatIsSaidTwice(t *testing.T) {
	got := byModel(t, storage.Identity, modelIn("user: I am Ada."),
		answered(`{"text":"The user is called Ada.","entity":"user","attribute":"name","value":"Ada","quote":"I am Ada"}`,
			`{"text":"the user is called ADA.","quote":"I am Ada"}`,
			`{"text":"The name of the user is Ada.","entity":"the user","attribute":"Name","value":"ada","quote":"I am Ada"}`))
	if len(got.Memories) != 1 || len(got.Drops) != 2 || got.Drops[0].Reason != "says the same as another one of this answer" {
		t.Errorf("%+v", got)
	}
}

func TestByModel_DropsKnownRecordsThatNobodySaid(t *testing.T) {
	in := modelIn("user: Hello, what is new?")
	in.Known = []extract.Known{{Layer: storage.Identity, Entity: "user", Attribute: "name", Value: "Ada", Text: "The user is called Ada."}}
	got := byModel(t, storage.Identity, in, answered(`{"text":"The user is called Ada."}`, `{"text":"Ada is the name.","entity":"user","attribute":"name","value":"Ada"}`))
	if len(got.Memories) != 0 || len(got.Drops) != 2 {
		t.Errorf("%+v", got)
	}
	in.Talk = modelTalk("user: Yes, I am Ada.")
	if m := oneMemory(t, storage.Identity, in, `{"text":"The user is called Ada.","quote":"I am Ada"}`); m.Trust != storage.UserStated {
		t.Errorf("said anew: %+v", m)
	}
}

func TestByModel_TrustsByWhoSaysWhat(t *testing.T) {
	talk := modelIn("user/Ada: My sister Ines is a vet. I keep bees.", "user/Bob: I keep goats.")
	talk.UserNames = []string{"Ada"}
	for _, c := range []struct {
		memory, entity, speaker string
		trust                   storage.Trust
	}{
		{`{"text":"Ines is a vet.","entity":"Ines","quote":"My sister Ines is a vet"}`, "Ines", "user", storage.ThirdParty},
		{`{"text":"Ada keeps bees.","entity":"Ada","quote":"I keep bees"}`, "user", "user", storage.UserStated},
		{`{"text":"Bob keeps goats.","entity":"Bob","quote":"I keep goats"}`, "Bob", "Bob", storage.ThirdParty},
		{`{"text":"Bob keeps goats.","quote":"I keep goats"}`, "Bob", "Bob", storage.ThirdParty},
		{`{"text":"Ines is a vet.","entity":"Ines","quote":"Ines works as a vet"}`, "Ines", "Bob", storage.Inferred},
	} {
		m := oneMemory(t, storage.Identity, talk, c.memory)
		if m.Entity != c.entity || m.Speaker != c.speaker || m.Trust != c.trust {
			t.Errorf("%s: %q by %q, %s", c.memory, m.Entity, m.Speaker, m.Trust)
		}
	}
}

// A quote that nobody said leaves the memory, which is then inferred, and is not kept.
func TestByModel_InventedQuoteIsLeftOut(t *testing.T) {
	m := oneMemory(t, storage.Identity, modelIn("user: I keep bees."), `{"text":"The user keeps bees.","quote":"I have kept bees all my life"}`)
	if m.Quote != "" || m.Trust != storage.Inferred || len(m.Notes) != 1 {
		t.Errorf("%+v", m)
	}
}

// What is left out of a memory is told, as a memory that is dropped is.
func TestByModel_TellsWhatIsLeftOutOfAMemory(t *testing.T) {
	got := byModel(t, storage.Identity, modelIn("user: I keep bees."), answered(`{"text":"The user keeps bees.","quote":"I keep bees","valid_from":"2011-04-01"}`))
	if len(got.Memories) != 1 || len(got.Drops) != 1 || got.Drops[0].Text != "The user keeps bees." || !strings.Contains(got.Drops[0].Reason, "valid_from") {
		t.Errorf("%+v", got)
	}
}

// A plan comes up when it falls due, also where the model gave no time for it.
func TestByModel_AnActivityGetsTheTimeItsWordsTell(t *testing.T) {
	for _, memory := range []string{
		`{"text":"The user travels to Rome tomorrow.","quote":"I travel to Rome tomorrow"}`,
		`{"text":"The user travels to Rome.","quote":"I travel to Rome tomorrow","detail":{"locations":["Rome"]}}`,
	} {
		m := oneMemory(t, storage.Activity, modelIn("user: I travel to Rome tomorrow."), memory)
		var d struct {
			Status string    `json:"status"`
			Starts time.Time `json:"starts_at"`
		}
		if err := json.Unmarshal(m.Detail, &d); err != nil || d.Status != "planned" || d.Starts.Sub(march5) > 48*time.Hour || !d.Starts.After(march5) {
			t.Errorf("%s: detail %s, %v", memory, m.Detail, err)
		}
	}
}

// What was read as no statement is none, whatever a model makes of it.
func TestByModel_KeepsToWhatIsNoStatement(t *testing.T) {
	talk := modelTalk("user: She said: I hate jazz. I love opera. Keep it to yourself that I am ill. Do you know Ines, my sister?")
	for text, kind := range map[string]conversation.Kind{
		"She said: I hate jazz.": conversation.Quoted, "I love opera.": conversation.Stated,
		"Keep it to yourself that I am ill.": conversation.Confidential, "Do you know Ines, my sister?": conversation.Asked,
	} {
		start := strings.Index(talk.Turns[0].Content, text)
		talk.Sentences = append(talk.Sentences, conversation.Sentence{Start: start, End: start + len(text), Text: text, Kind: kind, Why: "because", Speaker: "user"})
	}
	for quote, want := range map[string]string{
		"I hate jazz": "quoted from another: because", "that I am ill": "asked not to be remembered", "I love opera": "", "Ines, my sister": "",
	} {
		got := byModel(t, storage.Preference, extract.ModelInput{Talk: talk, ObservedAt: march5}, answered(fmt.Sprintf(`{"text":"The user said so.","quote":%q}`, quote)))
		if (want == "") != (len(got.Memories) == 1) || want != "" && !strings.Contains(got.Drops[0].Reason, want) {
			t.Errorf("%q: %+v, want %q", quote, got, want)
		}
	}
}

func TestByModel_SlotNeedsAllItsParts(t *testing.T) {
	in := modelIn("user: I left Acme and my cat is gone.")
	for _, c := range []struct{ fields, entity, attribute, value string }{
		{`"entity":"user","attribute":"employer","value":"none"`, "user", "employer", "none"},
		{`"entity":"user","attribute":"pets","value":"没有了"`, "user", "pets", "none"},
		{`"entity":"user","attribute":"employer"`, "user", "", ""},
		{`"value":"Acme"`, "user", "", ""},
		{`"attribute":"employer","value":"Acme"`, "user", "employer", "Acme"},
		{`"attribute":"…","value":"Acme"`, "user", "", ""},
		{`"attribute":"employer","value":"` + strings.Repeat("x", 1500) + `"`, "user", "", ""},
		{`"attribute":"employer","value":null`, "user", "", ""},
		{`"attribute":"employer","value":"unknown"`, "user", "", ""},
		{`"attribute":"employer","value":"not specified"`, "user", "", ""},
		{`"attribute":7,"value":"Acme"`, "user", "", ""},
		{`"attribute":"employer","value":{"name":"Acme"}`, "user", "", ""},
		{`"attribute":"employers","value":["Acme","Bolt"]`, "user", "", ""},
		{`"attribute":["employer"],"value":["Acme"]`, "user", "employer", "Acme"},
		{`"attribute":"years at Acme","value":7`, "user", "years at Acme", "7"},
	} {
		m := oneMemory(t, storage.Identity, in, `{"text":"The user left Acme.","quote":"I left Acme",`+c.fields+`}`)
		if m.Entity != c.entity || m.Attribute != c.attribute || m.Value != c.value {
			t.Errorf("%.80s: %q %q %q", c.fields, m.Entity, m.Attribute, m.Value)
		}
	}
}

func TestByModel_PutsNamesForPronouns(t *testing.T) {
	in := modelIn("user: My brother Tom lives in Oslo. I keep bees.")
	for _, c := range []struct{ memory, want string }{
		{`{"text":"He lives in Oslo.","entity":"Tom","quote":"My brother Tom lives in Oslo"}`, "Tom lives in Oslo."},
		{`{"text":"His home is Oslo.","entity":"Tom","quote":"My brother Tom lives in Oslo"}`, "Tom's home is Oslo."},
		{`{"text":"She keeps bees.","entity":"user","quote":"I keep bees"}`, "The user keeps bees."},
		{`{"text":"他住在奥斯陆。","entity":"汤姆","quote":"My brother Tom lives in Oslo"}`, "汤姆住在奥斯陆。"},
	} {
		if m := oneMemory(t, storage.Identity, in, c.memory); m.Text != c.want {
			t.Errorf("%q, want %q", m.Text, c.want)
		}
	}
}

func TestByModel_ErrorsAreTheLayers(t *testing.T) {
	in := modelIn("user: I keep bees.")
	for name, c := range map[string]struct {
		stub  *modelStub
		want  error
		calls int
	}{
		"prose":              {&modelStub{replies: []string{"none"}}, llm.ErrInvalid, 2},
		"a word for a list":  {&modelStub{replies: []string{`{"memories":"none"}`}}, llm.ErrInvalid, 2},
		"a list of words":    {&modelStub{replies: []string{`["bees"]`}}, llm.ErrInvalid, 2},
		"a list cut off":     {&modelStub{replies: []string{`[{"text":"x"}`}}, llm.ErrInvalid, 2},
		"the list missing":   {&modelStub{replies: []string{`{}`}}, llm.ErrInvalid, 2},
		"a refusal":          {&modelStub{replies: []string{"I'm sorry, I can't assist with that request."}}, llm.ErrRefused, 1},
		"a dead server":      {&modelStub{replies: []string{""}, fail: func(llm.Request) error { return llm.ErrUnavailable }}, llm.ErrUnavailable, 1},
		"too large for ever": {&modelStub{replies: []string{""}, fail: func(llm.Request) error { return llm.ErrTooLarge }}, llm.ErrTooLarge, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got, calls, err := extract.ByModel(t.Context(), c.stub, storage.Identity, in)
			if !errors.Is(err, c.want) || len(got.Memories)+len(got.Drops) != 0 || len(calls) != c.calls || !strings.HasPrefix(err.Error(), "extract identity by layer-1: ") {
				t.Errorf("%+v, %v, %d calls", got, err, len(calls))
			}
		})
	}
}

func TestByModel_RepairsOnce(t *testing.T) {
	stub := &modelStub{replies: []string{`{"memories":"none"}`, answered(`{"text":"The user keeps bees.","quote":"I keep bees"}`)}}
	got, calls, err := extract.ByModel(t.Context(), stub, storage.Identity, modelIn("user: I keep bees."))
	if err != nil || len(got.Memories) != 1 || len(calls) != 2 || !strings.Contains(stub.asked[1].Prompt, "memories cannot be a string") {
		t.Errorf("%+v, %v", got, err)
	}
}

// Local models leave the object around the list out.
func TestByModel_TakesABareList(t *testing.T) {
	const bees = `{"text":"The user keeps bees.","quote":"I keep bees"}`
	for answer, want := range map[string]int{
		`[]`:             0,
		`[` + bees + `]`: 1,
		"Here they are:\n```json\n[" + bees + "]\n```\nAnything else?": 1,
		"<think>[maybe]</think>[" + bees + "]":                         1,
		`[` + answered(bees) + `]`:                                     1,
		"I found [none]. " + answered(bees):                            1,
		`[] ` + answered(bees):                                         1,
	} {
		if got := byModel(t, storage.Identity, modelIn("user: I keep bees."), answer); len(got.Memories) != want {
			t.Errorf("%s: %d memories, want %d; drops %+v", answer, len(got.Memories), want, got.Drops)
		}
	}
}

func TestByModel_RefusesALayerWithoutAnExtractor(t *testing.T) {
	_, calls, err := extract.ByModel(t.Context(), &modelStub{replies: []string{answered()}}, storage.Fact, modelIn("user: I keep bees."))
	if err == nil || len(calls) != 0 || !strings.Contains(err.Error(), `extract "fact": there is no such extractor; give one of [activity`) {
		t.Errorf("%v, %d calls", err, len(calls))
	}
}

func TestByModel_OfNothingAsksNobody(t *testing.T) {
	for _, in := range []extract.ModelInput{{}, modelIn("user:  "), {Talk: modelTalk("user: I keep bees."), Pick: []int{}}, {Talk: modelTalk("user: I keep bees."), Pick: []int{7}}} {
		stub := &modelStub{replies: []string{"x"}}
		if got, calls, err := extract.ByModel(t.Context(), stub, storage.Identity, in); err != nil || len(got.Memories)+len(calls)+len(stub.asked) != 0 {
			t.Errorf("%+v, %v, %d calls", got, err, len(calls))
		}
	}
}

func TestByModel_AnswerWithoutEndIsCut(t *testing.T) {
	many := make([]string, 80)
	for i := range many {
		many[i] = fmt.Sprintf(`{"text":"The user keeps hive %d.","quote":"I keep bees"}`, i)
	}
	got := byModel(t, storage.Identity, modelIn("user: I keep bees."), answered(many...))
	if len(got.Memories) != 50 || len(got.Drops) != 1 {
		t.Errorf("%d memories, drops %+v", len(got.Memories), got.Drops)
	}
}

// Whatever a model answers, what is kept fits the limits and rests on a turn.
func FuzzByModel(f *testing.F) {
	f.Add(answered(`{"text":"The user keeps bees.","quote":"I keep bees","valid_from":"2024-03-12","detail":{"status":"planned","starts_at":"2024-03-12T15:00:00Z","strength":5}}`))
	f.Add(answered(`{"text":"tomorrow, next week and in 2019","turn":-1,"tags":"x","detail":[]}`, `[]`, `"x"`))
	f.Add(answered(`{"text":"He and 他","entity":"\u0000","attribute":"a","value":"b","importance":1e300,"confidence":"NaN","turn":1e99}`))
	f.Add("[" + `{"text":"The user keeps bees.","quote":"I keep bees"}` + "]")
	in := modelIn("user: I keep bees. Next Tuesday at 3pm I fly to Oslo.", "assistant: Good!")
	f.Fuzz(func(t *testing.T, answer string) {
		for _, layer := range []storage.Layer{storage.Activity, storage.Preference} {
			got, _, err := extract.ByModel(t.Context(), &modelStub{replies: []string{answer}}, layer, in)
			if err != nil {
				continue
			}
			for _, m := range got.Memories {
				checkMemory(t, &m, layer)
			}
			for _, d := range got.Drops {
				if d.Reason == "" {
					t.Errorf("a drop without a reason: %+v", d)
				}
			}
		}
	})
}

func checkMemory(t *testing.T, m *extract.Memory, layer storage.Layer) {
	t.Helper()
	if m.Layer != layer || m.Entity == "" || m.Text == "" || len(m.Text) > 2100 || m.Importance < 1 || m.Importance > 5 || !(m.Confidence >= 0 && m.Confidence <= 1) ||
		!slices.Equal(m.Turns, []int{0}) || m.Trust == "" || (m.Attribute == "") != (m.Value == "") {
		t.Errorf("%+v", m)
	}
	if m.Detail != nil && !json.Valid(m.Detail) {
		t.Errorf("detail %s", m.Detail)
	}
	if m.Quote == "" && m.Trust != storage.Inferred {
		t.Errorf("trust %s without a quote", m.Trust)
	}
}
