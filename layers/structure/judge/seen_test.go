package judge_test

import (
	"os"
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
	for _, file := range []string{"../testdata/seen.jsonl", "../testdata/seen_more.jsonl", "../testdata/seen_hard.jsonl"} {
		report := judge.Run(labelled(t, file), structure.Parse)
		if len(report.ByLang) != 2 {
			t.Errorf("%s: judged %d languages, want 2", file, len(report.ByLang))
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
