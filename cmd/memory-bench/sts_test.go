package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// englishPairs are of STS-B's shape, written for these tests: from the same
// meaning down to none.
const englishPairs = `A man plays the violin.,A man is playing a violin.,5.0
"My sister lives in Bergen, by the harbour.",My sister's home is at Bergen's harbour.,4.4
A child eats an apple.,"A kid is eating some fruit, outside.",3.2
The train to Oslo is late.,The bus to Bergen was full.,1.6
"He said ""never"" and left.",Interest rates rose again in autumn.,0
`

func writeSTS(t *testing.T, name, content string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReadPairs_QuotesCommasTabs(t *testing.T) {
	got, err := readPairs(writeSTS(t, "stsb-en-test.csv", strings.ReplaceAll(englishPairs, "\n", "\r\n")), "en")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 5 || got[1] != (pair{"My sister lives in Bergen, by the harbour.", "My sister's home is at Bergen's harbour.", 4.4}) || got[4].A != `He said "never" and left.` {
		t.Errorf("read %+v", got)
	}
	got, err = readPairs(writeSTS(t, "cn-sts-b-test.txt", "他在跑步。\t他跑步。\t5\n猫睡了。\t股票涨了。\t0\n"), chineseSTS)
	want := []pair{{"他在跑步。", "他跑步。", 5}, {"猫睡了。", "股票涨了。", 0}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("the tab-separated set: %v, differs (-want +got):\n%s", err, diff)
	}
}

func TestReadPairs_SaysWhatIsWrong(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"no number", "a,b,high\n", `line 1: score "high"`},
		{"beyond the scale", "a,b,5\na,c,5.1\n", `line 2: score "5.1" is not a number from 0 to 5`},
		{"below the scale", "a,b,-1\n", `score "-1"`},
		{"not a number", "a,b,NaN\n", `score "NaN"`},
		{"two columns", "a,b\n", "wrong number of fields"},
		{"empty", "", "empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := readPairs(writeSTS(t, "stsb-en-test.csv", tt.content), "en"); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "stsb-en-test.csv") {
				t.Errorf("readPairs = %v, want an error with %q and the file's name", err, tt.want)
			}
		})
	}
	if _, err := readPairs(t.TempDir(), "en"); err == nil || !strings.Contains(err.Error(), "--data") {
		t.Errorf("a missing file gives %v, want an error that names --data", err)
	}
}

func TestSTS_RefusesWhatCannotBeMeasured(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"--langs", "en,xx"}, `"xx"; the languages are en, zh`},
		{[]string{"--langs", "en,en"}, "twice"},
		{[]string{"--langs", ""}, "--langs is empty"},
		{[]string{"--langs", "en", "--check"}, "--check needs language zh"},
		{[]string{"--langs", "en", "--data", "nowhere"}, "nowhere"},
	}
	for _, tt := range tests {
		err := run(t.Context(), append([]string{"sts"}, tt.args...), &bytes.Buffer{}, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: run = %v, want an error with %q", tt.args, err, tt.want)
		}
	}
}

// TestSTS_MeasuresTheEmbeddedModel takes the embedded model's own file for the
// full one: then both must order the pairs alike, and near as people do.
func TestSTS_MeasuresTheEmbeddedModel(t *testing.T) {
	file := filepath.Join("..", "..", "vector", "embed", "builtin", embeddedName)
	var out bytes.Buffer
	args := []string{"sts", "--json", "--langs", "en", "--data", writeSTS(t, "stsb-en-test.csv", englishPairs), "--full", file}
	if err := run(t.Context(), args, &out, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	var r stsReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 1 || r.Rows[0].Pairs != 5 || r.Rows[0].Ours != r.Rows[0].Full || r.Rows[0].Ours < 89 {
		t.Errorf("measured %+v, want five pairs, the same of both models, and at most two neighbours swapped (90)", r)
	}
	if r.Model == "" || r.Model != r.FullModel {
		t.Errorf("models %q and %q, want the same name", r.Model, r.FullModel)
	}
}

func TestSTS_NamesTheModelFileThatIsNone(t *testing.T) {
	dir := writeSTS(t, "stsb-en-test.csv", englishPairs)
	err := run(t.Context(), []string{"sts", "--langs", "en", "--data", dir, "--embed-file", filepath.Join(dir, "stsb-en-test.csv")}, &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "stsb-en-test.csv") || !strings.Contains(err.Error(), "mkmodel") {
		t.Errorf("run = %v, want an error that names the file and what makes one", err)
	}
}

func TestCheckSTS_EachLimitAtItsBound(t *testing.T) {
	tests := []struct {
		name   string
		row    stsRow
		broken string
	}{
		{"equal", stsRow{"en", 9, 84, 84}, ""},
		{"ours better", stsRow{"en", 9, 85, 84}, ""},
		{"inside", stsRow{"en", 9, 83.75, 84}, ""},
		{"too far below", stsRow{"en", 9, 83.6, 84}, "below the full model"},
		{"both broken alike", stsRow{"zh", 9, 50, 50}, "full model ≥ 78.3"},
		{"no published figure", stsRow{chineseSTS, 9, 50, 50}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, l := range checkSTS(&stsReport{Rows: []stsRow{tt.row}}) {
				if broken := tt.broken != "" && strings.Contains(l.Limit, tt.broken); l.Holds == broken {
					t.Errorf("%s: measured %s, holds = %v", l.Limit, l.Measured, l.Holds)
				}
			}
		})
	}
}

func TestSTSMarkdown_HasARowPerLanguage(t *testing.T) {
	r := stsReport{Model: "small/1", FullModel: "whole/1", Rows: []stsRow{{"de", 1379, 78.81, 79}, {"ru", 1379, 77.3, 77.2}}}
	r.Limits = checkSTS(&r)[:1]
	want := `STS-B test sets, Spearman ×100 of cosines and people's scores.
Ours: small/1. Full: whole/1.

| | pairs | ours | full | ours − full |
|---|---:|---:|---:|---:|
| de | 1379 | 78.81 | 79.00 | -0.19 |
| ru | 1379 | 77.30 | 77.20 | +0.10 |

| limit | measured | holds |
|---|---:|---|
| de: below the full model ≤ 0.3 | 0.19 | yes |
`
	if diff := cmp.Diff(want, r.markdown()); diff != "" {
		t.Errorf("markdown differs (-want +got):\n%s", diff)
	}
}
