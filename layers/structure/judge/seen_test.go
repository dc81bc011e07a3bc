package judge_test

import (
	"os"
	"strings"
	"testing"

	"mcp-memory/layers/structure"
	"mcp-memory/layers/structure/judge"
)

func labelled(t *testing.T, file string) []judge.Case {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases, err := judge.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// The floors of the issue; what is seen must do better than what is not.
const (
	precision = 0.97
	recall    = 0.80
)

func TestParse_OnTheSeenSentences(t *testing.T) {
	for _, file := range []string{"../testdata/seen.jsonl", "../testdata/seen_more.jsonl", "../testdata/seen_hard.jsonl", "../testdata/seen_ja.jsonl"} {
		report := judge.Run(labelled(t, file), structure.Parse)
		languages := 2
		if strings.HasSuffix(file, "_ja.jsonl") {
			languages = 1
		}
		if len(report.ByLang) != languages {
			t.Errorf("%s: judged %d languages, want %d", file, len(report.ByLang), languages)
		}
		for lang, tally := range report.ByLang {
			t.Logf("%s, %s: precision %.3f, recall %.3f, %+v", file, lang, tally.Precision(), tally.Recall(), tally)
			if tally.Precision() < precision || tally.Recall() < recall {
				t.Errorf("%s, %s: precision %.3f, recall %.3f", file, lang, tally.Precision(), tally.Recall())
			}
		}
		for _, m := range report.Mistakes {
			t.Logf("%s %q: %s (rule %q)", m.Case.ID, m.Case.Text, m.Why, m.Got.Rule)
		}
	}
}
