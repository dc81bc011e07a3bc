package conversation_test

import (
	"strings"
	"testing"

	"mcp-memory/layers/conversation"
)

func TestJestOf(t *testing.T) {
	for words, want := range map[string]string{
		"Just kidding about the tiger.":                          "tiger",
		"I was joking earlier, I don't own a tiger.":             "tiger",
		"I was only joking when I said I had three wives.":       "three wives",
		"I don't really have a pet tiger, that was a joke.":      "pet tiger",
		"The tiger thing was just a joke.":                       "tiger",
		"That story about the tiger was a joke, by the way.":     "tiger",
		"Just kidding, I'm not a vegetarian.":                    "vegetarian",
		"I was joking. I have no tiger.":                         "tiger",
		"I live in Bonn, and I was only joking about the tiger.": "tiger",
		"I have to admit I was only joking about the tiger.":     "tiger",
		"Update: just kidding about the tiger.":                  "tiger",
		"I lied about my age.":                                   "age",
		"Just kidding, I eat meat.":                              "",
		"haha, I was joking earlier":                             "",
		"刚才说养老虎是开玩笑的。":                                           "老虎",
		"老虎的事是骗你的。":                                              "老虎",
		"我开玩笑的，我没有养老虎。":                                          "老虎",
		"开玩笑的，我住在成都。":                                            "",
		"さっきのトラの話は冗談です。":                                         "トラ",
		"冗談です。トラは飼っていません。":                                       "トラ",
	} {
		jest, ok := conversation.JestOf(words)
		if got := strings.Join(jest.About, " "); !ok || got != want {
			t.Errorf("JestOf(%q) = %q, %v, want %q", words, got, ok, want)
		}
	}
	for _, words := range []string{
		"I own a tiger, just kidding!", "I live in Leeds.", "My brother is always joking about my job.", "No joke, I live in Leeds.", "I'm kidding my brother about Leeds all the time.", "我没开玩笑，我真的住在成都。",
		"My boss was only joking about the budget.", "He said the tiger thing was a joke.", "Write a story in which someone says: I was joking, I don't own a tiger.",
		"他是开玩笑的。", "老板昨天是开玩笑的。", "我的同事只是开玩笑的。", "社長は冗談を言いました。",
		"I have a tiger, that was a joke about the tiger.", "他很喜欢开玩笑。", "I don't like jokes about work.", "彼は冗談が好きです。",
		"My car is a joke.", "That dog was a joke of nature.", "That is not true.", "彼の話は嘘だ。",
	} {
		if jest, ok := conversation.JestOf(words); ok {
			t.Errorf("JestOf(%q) = %q, want none", words, jest.About)
		}
	}
}

// What a joke was about may stand turns back; what else was said stands.
func TestRead_JestNamesWhatItIsAbout(t *testing.T) {
	for said, jest := range map[string]string{
		"I own a tiger. I live in Leeds.": "Just kidding about the tiger.",
		"我养了一只老虎。我住在成都。":                  "刚才说养老虎是开玩笑的。",
	} {
		talk := read(user(said, "OK.", jest)...)
		if a, b := talk.Sentences[0].Kind, talk.Sentences[1].Kind; a != conversation.Fiction || b != conversation.Stated {
			t.Errorf("%q before %q is %v and %v, want fiction and stated", said, jest, a, b)
		}
	}
}

// The words of a joke are words of what it was about, not letters in them.
func TestJest_OfWholeWords(t *testing.T) {
	for folded, want := range map[string]bool{"i'm 34. my age": true, "i speak three languages": false, "i manage a team": false, "ages ago": true} {
		if got := (&conversation.Jest{About: []string{"age"}}).Of(folded); got != want {
			t.Errorf("%q: %t", folded, got)
		}
	}
}

func FuzzJestOf_NamesWhatItSays(f *testing.F) {
	f.Add("Just kidding about the tiger.")
	f.Add("刚才说养老虎是开玩笑的。")
	f.Add("さっきのトラの話は冗談です。")
	f.Fuzz(func(t *testing.T, words string) {
		jest, ok := conversation.JestOf(words)
		if !ok && len(jest.About) > 0 || len(jest.About) > 5 {
			t.Fatalf("JestOf(%q) = %q, %v", words, jest.About, ok)
		}
		for _, w := range jest.About {
			if strings.TrimSpace(w) == "" {
				t.Fatalf("JestOf(%q) names nothing", words)
			}
		}
	})
}
