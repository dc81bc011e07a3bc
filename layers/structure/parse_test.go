package structure_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/layers/structure"
	"mcp-memory/storage"
)

func TestParse_SpeakerIsTheSubject(t *testing.T) {
	for _, test := range []struct{ name, text, speaker, want string }{
		{"the user", "I live in Ghent.", "", "user"},
		{"somebody else", "I live in Ghent.", "Caroline", "Caroline"},
		{"the user by his name", "I live in Ghent.", "Robin", "user"},
		{"the user by his name, as a third party", "Robin lives in Ghent.", "Caroline", "user"},
		{"a pattern without subject", "Please reply in German.", "Caroline", "Caroline"},
		{"of somebody else's kin", "My sister Ana lives in Ghent.", "Caroline", "Ana"},
		{"Chinese", "我住在厦门。", "小林", "小林"},
		{"Japanese", "京都に住んでいます。", "小林", "小林"},
	} {
		t.Run(test.name, func(t *testing.T) {
			st, ok := structure.Parse(structure.Input{
				Text: test.text, ObservedAt: observed, Speaker: test.speaker, UserNames: []string{"Robin"},
			})
			if !ok || st.Entity != test.want {
				t.Errorf("entity %q, %v; want %q", st.Entity, ok, test.want)
			}
		})
	}
}

func TestParse_OneTextIsOneStatement(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a city that is a word", "I live in Nice.", "user · home city · Nice · identity"},
		{"a word that is a city", "I live in nice weather.", "-"},
		{"its elaboration", "I live in Ghent. It rains a lot.", "user · home city · Ghent · identity"},
		{"a question beside it", "I live in Ghent. And you?", "user · home city · Ghent · identity"},
		{"said twice", "I live in Ghent. Yes, I live in Ghent.", "user · home city · Ghent · identity"},
		{"two slots", "I live in Ghent. I work at Initech.", "-"},
		{"two slots, one sentence", "I live in Ghent, I work at Initech.", "-"},
		{"two slots, joined", "I live in Ghent and I work at Initech.", "-"},
		{"two slots in Chinese", "我住在厦门，我在美团上班。", "-"},
		{"an ending and what follows", "I no longer like sushi. Now I like ramen.", "user · likes · ramen · preference · displaces likes sushi"},
		{"a move in Chinese", "我原来住在沈阳，去年搬到了长春。", "user · home city · 长春 · identity · from 2023-01-01 · displaces home city 沈阳"},
		{"a liking, a dislike", "I like sushi. I hate ramen.", "-"},
		{"a slot and an event", "I work at Initech. Yesterday I bought a tent.", "user · employer · Initech · identity"},
		{"a joke in another sentence", "I live in Ghent. Haha, just kidding.", "-"},
		{"a pronoun needs another sentence", "Tom is nice. He lives in Ghent.", "-"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := describe(structure.Parse(structure.Input{Text: test.text, ObservedAt: observed})); got != test.want {
				t.Errorf("%s\n\tgot  %s\n\twant %s", test.text, got, test.want)
			}
		})
	}
}

func TestParse_CuesDecideWhatEnds(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"I like tea.", "user · likes · tea · preference"},
		{"I like tea too.", "user · likes · tea · preference"},
		{"I prefer tea.", "user · preferred drink · tea · preference"},
		{"I prefer tea now.", "user · preferred drink · tea · preference · closes drink"},
		{"I prefer tea now too.", "-"},
		{"I use Vim.", "user · editor · Vim · preference"},
		{"I also use Vim.", "-"},
		{"I also work at Initech.", "-"},
		{"My brother works at Initech. I work at Acme too.", "brother · employer · Initech · identity"},
		{"My brother works at Acme. I work at Acme too.", "-"}, // one record has one slot
		{"我喜欢喝茶。", "user · likes · 茶 · preference"},
		{"我也喜欢喝茶。", "user · likes · 茶 · preference"},
		{"我其实更爱喝茶。", "user · preferred drink · 茶 · preference · closes drink"},
		{"我也更爱喝茶。", "-"},
		{"I like tea and coffee.", "-"},
		{"I like opera and ballet.", "user · likes · opera and ballet · preference"},
		{"I speak Thai and Lao.", "user · languages · Thai and Lao · identity"},
	} {
		t.Run(test.text, func(t *testing.T) {
			if got := describe(structure.Parse(structure.Input{Text: test.text, ObservedAt: observed})); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestParse_TimesAreThoseOfTheSpeaker(t *testing.T) {
	text := "I moved to Halifax yesterday."
	late := time.Date(2024, 5, 15, 23, 30, 0, 0, time.FixedZone("", -5*3600))
	st, ok := structure.Parse(structure.Input{Text: text, ObservedAt: late})
	if want := time.Date(2024, 5, 14, 0, 0, 0, 0, late.Location()); !ok || !st.ValidFrom.Equal(want) {
		t.Errorf("valid from %v, %v; want %v", st.ValidFrom, ok, want)
	}
	st, ok = structure.Parse(structure.Input{Text: text, ObservedAt: late.UTC()})
	if want := time.Date(2024, 5, 15, 0, 0, 0, 0, time.UTC); !ok || !st.ValidFrom.Equal(want) {
		t.Errorf("in UTC valid from %v, %v; want %v", st.ValidFrom, ok, want)
	}
}

func TestParse_FillsAllFields(t *testing.T) {
	got, ok := structure.Parse(structure.Input{
		Text: "From next Monday I prefer tea instead, because of my stomach.", ObservedAt: observed,
	})
	want := structure.Statement{
		Entity: "user", Attribute: "preferred drink", Value: "tea",
		Layer: storage.Preference, Category: "preference", Reason: "my stomach", Confidence: 0.85,
		ValidFrom: time.Date(2024, 5, 20, 0, 0, 0, 0, observed.Location()),
		Closes:    []string{"drink"}, Rule: "prefers",
	}
	if !ok {
		t.Fatal("abstained")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestParse_AbstainsOnWhatIsNoSentence(t *testing.T) {
	long := "I live in Ghent. "
	for len(long) < 1000 {
		long += "The minutes continue with the usual remarks on paint. "
	}
	for name, text := range map[string]string{
		"empty": "", "blank": " \n\t", "signs": "?!…", "emoji": "😀", "a word": "tea", "a Han character": "茶",
		"invalid UTF-8": "I live in \xff\xfe.", "NUL": "I live in \x00.", "another script": "Я живу в Генте.",
		"Korean": "저는 겐트에 살아요.", "German": "Ich wohne in Gent.", "long": long,
		"a fence": "```\nI live in Ghent\n```", "a log": "[INFO] server is listening on port 8080",
	} {
		t.Run(name, func(t *testing.T) {
			if got := describe(structure.Parse(structure.Input{Text: text, ObservedAt: observed})); got != "-" {
				t.Errorf("%q: got %s", text, got)
			}
		})
	}
}

func ExampleParse() {
	st, ok := structure.Parse(structure.Input{
		Text:       "Actually I prefer tea now",
		ObservedAt: time.Date(2024, 5, 15, 10, 0, 0, 0, time.UTC),
	})
	fmt.Println(ok, st.Entity, "|", st.Attribute, "|", st.Value, "| closes", st.Closes)
	// Output: true user | preferred drink | tea | closes [drink]
}

func BenchmarkParse(b *testing.B) {
	for name, text := range map[string]string{
		"read":      "Actually I prefer green tea these days, not coffee.",
		"abstained": "It's been a crazy couple of weeks, but painting really helps me unwind a little.",
		"chinese":   "从下个月起我在青岛上班。",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				structure.Parse(structure.Input{Text: text, ObservedAt: observed})
			}
		})
	}
}
