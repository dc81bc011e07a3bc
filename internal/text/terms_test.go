package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/text"
)

func TestTerms(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"stop words, stems, irregular forms", "The children went running", "child go run"},
		{"contractions leave no whole", "I'm sure Ann's dog didn't bark", "sure ann dog bark"},
		{"words that Danish leaves out", "I have a dog named Rex.", "dog name rex"},
		{"words that Romanian leaves out", "I have a cat named Mochi.", "cat name mochi"},
		{"backticks for apostrophes", "It`s Ann`s dog", "ann dog"},
		{"hyphenated words need no whole", "well-known", "well know"},
		{"a code whole and in part", "ADR-086", "adr 086 adr-086"},
		{"a version", "v1.8", "v1 8 v1.8"},
		{"a file", "see GOALS.md.", "see goal md goals.md"},
		{"a name with an apostrophe", "O’Brien", "brien o'brien"},
		{"a library", "node.js", "node js node.js"},
		{"names of languages", "C++, C# or F#", "c++ c# f#"},
		{"an address", "user@host", "user host user@host"},
		{"snake case", "foo_bar", "foo bar foo_bar"},
		{"camel case", "getUserName", "get user name getusername"},
		{"names with capitals inside stay", "iPhone YouTube", "iphon youtub"},
		{"an IPv4 address", "10.0.0.1", "10 0 0 1 10.0.0.1"},
		{"a time", "02:00", "02 00 02:00"},
		{"thousands", "1,000 euros", "1 000 1000 euro"},
		{"an acronym", "U.S.A.", "usa"},
		{"a lost letter", "e-mail R&D", "mail e-mail r&d"},
		{"single digits", "Step 1, box 7", "step 1 box 7"},
		{"a letter by itself", "vitamin C", "vitamin c"},
		{"a missing space is no code", "home.Then", "home"},
		{"a path", "src/main.go", "src main go main.go"},
		{"a hash tag", "#winning", "win"},
		{"Han without stop characters", "我喜欢茶", "喜 欢 茶 我喜 喜欢 欢茶"},
		{"traditional Han", "臺灣", "台 湾 台湾"},
		{"Han and Latin", "用Go写", "用 go 写"},
		{"kana with Han", "東京タワー", "东 京 タ ワ 东京 京タ タワ ワー"},
		{"Hangul with a particle", "커피를", "커 피 커피 피를"},
		{"Thai by clusters", "กาแฟ", "ก า แ ฟ กา าแ แฟ"},
		{"emoji without skin tone", "👍🏽 ok 👍", "👍 ok 👍"},
		{"German word and stem", "Ich wohne in den Häusern und die Katzen auch",
			"wohn hausern haus katzen katz"},
		{"Ali is no stop word, as على is", "اجتماع مع عليّ على الرف", "اجتماع علي عل الرف"},
		{"Russian word and stem", "книги", "книги книг"},
		{"NUL and invalid UTF-8", "tea\x00cup\xff\xfe", "tea cup"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := strings.Join(text.Terms(test.in), " ")
			if got != test.want {
				t.Errorf("Terms(%q)\n got %s\nwant %s", test.in, got, test.want)
			}
		})
	}
}

func TestTerms_OfNothingIsEmpty(t *testing.T) {
	for _, in := range []string{"", "  ", "the and of", "—?!", "\u200D\uFE0F"} {
		if got := text.Terms(in); len(got) != 0 {
			t.Errorf("Terms(%q) = %q, want none", in, got)
		}
	}
}

func TestQueryTerms_KeepsStopWordsWhenNothingElseIsLeft(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"the who", []string{"the", "who"}},
		{"who is Ann", []string{"ann"}},
		{"他", []string{"他"}},
		{"", []string{}},
	} {
		if diff := cmp.Diff(test.want, text.QueryTerms(test.in)); diff != "" {
			t.Errorf("QueryTerms(%q): %s", test.in, diff)
		}
	}
}

func FuzzTerms(f *testing.F) {
	for _, seed := range []string{
		"The ADR-086 of O'Brien", "我喜欢C++和v1.8", "👨‍👩‍👧👍🏽", "a\u0300\u0301", "\xff\x00\xc3", "ก\u0E31น",
		strings.Repeat("x", 200), strings.Repeat("é", 100), "fooBar_baz.Qux", "ה\"ה", "1,000.5:3", "ßßß",
		"Ich heiße und wohne in den Häusern", "أنا في الصباح", "ve ile bir kitapların",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, term := range text.QueryTerms(s) {
			if term == "" || len(term) > 64 || !utf8.ValidString(term) {
				t.Errorf("QueryTerms(%q) holds %q", s, term)
			}
		}
		if diff := cmp.Diff(text.Terms(s), text.Terms(s)); diff != "" {
			t.Errorf("Terms(%q) differ: %s", s, diff)
		}
		text.Language(s)
	})
}

func BenchmarkTerms(b *testing.B) {
	for name, s := range map[string]string{
		"english": strings.Repeat("I moved to Lisbon last spring because the winters in Oslo were too long. ", 2),
		"chinese": strings.Repeat("他上个月从上海搬到了成都，现在住在武侯区。", 3),
		"german":  strings.Repeat("Ich bin im Frühling nach Lissabon gezogen, weil die Winter zu lang waren. ", 2),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				text.Terms(s)
			}
		})
	}
}
