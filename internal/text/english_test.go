package text

import (
	"os"
	"strings"
	"testing"
)

// testdata/english.tsv is what snowballstemmer 3.1.1 (PyPI) makes of the rules'
// own examples, of all exceptions and of a sample of English words.
func TestEnglishStem_IsSnowballs(t *testing.T) {
	content, err := os.ReadFile("testdata/english.tsv")
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	for line := range strings.Lines(string(content)) {
		word, want, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if got := englishStem(word); got != want {
			t.Errorf("englishStem(%s) = %s, want %s", word, got, want)
		}
		words++
	}
	if words < 800 {
		t.Errorf("checked %d words, want 800 and more", words)
	}
}

func TestStemEnglish_BringsIrregularFormsToTheirBase(t *testing.T) {
	for form, want := range map[string]string{"went": "go", "children": "child", "bought": "buy", "wives": "wife"} {
		if got := stemEnglish(form); got != want {
			t.Errorf("stemEnglish(%s) = %s, want %s", form, got, want)
		}
	}
}

func FuzzEnglishStem(f *testing.F) {
	for _, seed := range []string{"organizations", "dying", "yyyy", "past", "s", "ing", "eed", "l"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, word string) {
		stem := englishStem(word)
		if len(stem) > len(word)+1 {
			t.Errorf("englishStem(%q) = %q grew by more than an e", word, stem)
		}
	})
}
