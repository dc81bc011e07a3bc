package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-memory/internal/text"
)

func TestFold(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"case and white space", "  Hello\t\n World ", "hello world"},
		{"full width", "ＡＢＣ　１２３！", "abc 123!"},
		{"half-width kana", "ｶﾞｷﾞ", "ガギ"},
		{"ligatures and sharp s", "ﬁne Straße GROẞ", "fine strasse gross"},
		{"dotted and dotless i", "İstanbul ılık", "istanbul ilik"},
		{"accents, composed or not", "Café cafe\u0301 Łódź Søren", "cafe cafe lodz soren"},
		{"Vietnamese", "Tiếng Việt", "tieng viet"},
		{"Greek with final sigma", "Άσος ΆΣΟΣ", "ασοσ ασοσ"},
		{"Russian keeps й", "Ёлка мой", "елка мой"},
		{"Hebrew points", "שָׁלוֹם", "שלום"},
		{"Arabic marks, tatweel, hamza", "مُحَمَّد كتـــاب أحمد مدرسة", "محمد كتاب احمد مدرسه"},
		{"Persian letters", "کتابی", "كتابي"},
		{"traditional Han", "臺灣體育館", "台湾体育馆"},
		{"dakuten are letters", "がぎぐ", "がぎぐ"},
		{"Hindi vowel signs stay", "हिन्दी फ़ोन", "हिन्दी फोन"},
		{"typographic signs", "“it’s”—well‑known", "\"it's\"—well-known"},
		{"invisible characters", "pass\u00ADword\u200D \uFEFFx", "password x"},
		{"trade mark", "Spotify™ app", "spotify app"},
		{"empty", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := text.Fold(test.in); got != test.want {
				t.Errorf("Fold(%q) = %q, want %q", test.in, got, test.want)
			}
			if folded, _ := text.FoldAt(test.in); strings.Join(strings.Fields(folded), " ") != test.want {
				t.Errorf("FoldAt(%q) = %q, want %q", test.in, folded, test.want)
			}
		})
	}
}

// Each byte of the folded text leads to the letter that it was made of.
func TestFoldAt_LeadsBack(t *testing.T) {
	const s = "Cafe\u0301 Straße 臺北 ﬁne"
	folded, at := text.FoldAt(s)
	for word, want := range map[string]string{"caf": "Caf", "e ": "e\u0301 ", "ss": "ß", "台": "臺", "北": "北", "fi": "ﬁ", "ne": "ne"} {
		i := strings.Index(folded, word)
		if i < 0 {
			t.Fatalf("%q is not in %q", word, folded)
		}
		if got := s[at[i]:at[i+len(word)]]; got != want {
			t.Errorf("%q comes from %q, want %q", word, got, want)
		}
	}
}

func FuzzFoldAt(f *testing.F) {
	for _, seed := range []string{"Cafe\u0301", "ß臺", "\xff\x00", "ﷺ", "か\u3099", "각", "😀\u200d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded, at := text.FoldAt(s)
		if len(at) != len(folded)+1 || at[len(folded)] != len(s) {
			t.Fatalf("FoldAt(%q): %d places for %d bytes, the last %d", s, len(at), len(folded), at[len(at)-1])
		}
		for i, from := range at {
			if from < 0 || i > 0 && from < at[i-1] || from < len(s) && utf8.ValidString(s) && !utf8.RuneStart(s[from]) {
				t.Errorf("FoldAt(%q): byte %d comes from %d", s, i, from)
			}
		}
	})
}

func TestFold_OfEachRuneTwiceIsOnce(t *testing.T) {
	for r := rune(0); r < 0x32000; r++ {
		once := text.Fold("a" + string(r) + "b")
		if twice := text.Fold(once); twice != once {
			t.Errorf("Fold of %U is %q, folded again %q", r, once, twice)
		}
	}
}

func FuzzFold_TwiceIsOnce(f *testing.F) {
	for _, seed := range []string{"İ", "cafe\u0301", "ǅ", "臺灣", "\xff\x00", "薴", "ẛ̣", "ﷺ", "か\u3099", "各"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := text.Fold(s)
		if !utf8.ValidString(once) {
			t.Errorf("Fold(%q) = %q is no UTF-8", s, once)
		}
		if twice := text.Fold(once); twice != once {
			t.Errorf("Fold(%q) = %q, folded again %q", s, once, twice)
		}
	})
}
