package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// TestTongues_ManyScripts: closeness to the C engine is promised for at least 40
// texts in at least 15 scripts.
func TestTongues_ManyScripts(t *testing.T) {
	texts := tonguesTexts()
	scripts, distinct := map[string]bool{}, map[string]bool{}
	for _, text := range texts {
		distinct[text] = true
		for _, r := range text {
			for name, table := range unicode.Scripts {
				if unicode.Is(table, r) {
					scripts[name] = true
				}
			}
		}
	}
	delete(scripts, "Common")
	delete(scripts, "Inherited")
	if len(distinct) != len(texts) || len(texts) < 40 || len(scripts) < 15 {
		t.Errorf("%d texts, %d distinct, %d scripts: %v", len(texts), len(distinct), len(scripts), scripts)
	}
}

func TestTimedText_HasItsTokens(t *testing.T) {
	for _, l := range lengths {
		seen := map[string]bool{}
		for i := range l.texts {
			text := timedText(l.tokens, i)
			seen[text] = true
			if got := len(strings.Fields(text)) + queryOverhead; got != l.tokens {
				t.Errorf("text %d of %d tokens has %d", i, l.tokens, got)
			}
		}
		if len(seen) != l.texts {
			t.Errorf("%d of %d texts of %d tokens are distinct", len(seen), l.texts, l.tokens)
		}
	}
}

func TestMixedTexts_AreDistinctAndOfAllLanguages(t *testing.T) {
	dir := t.TempDir()
	for _, l := range stsLanguages {
		content := l + " one," + l + " two,3\n" + l + " one," + l + " three,1\n"
		if err := os.WriteFile(filepath.Join(dir, "stsb-"+l+"-test.csv"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := len(tonguesTexts()) + 3*len(stsLanguages)
	texts, err := mixedTexts(dir, all)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, text := range texts {
		seen[text] = true
	}
	if len(texts) != all || len(seen) != all || !seen["ru three"] {
		t.Errorf("%d texts, %d distinct, want %d", len(texts), len(seen), all)
	}
	if _, err := mixedTexts(dir, all+1); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("more than there are: %v, want an error that names the folder", err)
	}
}
