package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"
)

// TestSeed_ScenariosAnswerTheirQuestions: each question's words were said by the
// user, and not only in the last turns before it.
func TestSeed_ScenariosAnswerTheirQuestions(t *testing.T) {
	for _, name := range seedScenarios {
		for _, language := range seedLanguages {
			lines, err := readScenario(seedFiles, name, language)
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			questions, turns := 0, 0
			for i := range lines {
				l := &lines[i]
				switch {
				case l.Document != "":
					raw, err := seedFiles.ReadFile("testdata/seed/" + l.Document)
					if err != nil {
						t.Fatal(err)
					}
					said = append(said, paragraphsOf(string(raw))...)
				case l.User != "" || l.Assistant != "":
					turns++
					said = append(said, l.User)
				case l.Ask != "":
					questions++
					if before := said[:max(0, len(said)-2)]; !l.answered(strings.Join(before, "\n")) {
						t.Errorf("%s %s: nothing said answers %q with %v", name, language, l.Ask, l.Wants)
					}
				}
			}
			if questions < 10 || name == "task" && turns < 50 {
				t.Errorf("%s %s: %d questions, %d turns", name, language, questions, turns)
			}
		}
	}
}

// writeChats makes a folder of chats of about a number of characters.
func writeChats(t *testing.T, characters int) string {
	t.Helper()
	dir := t.TempDir()
	put := func(path string, v any) {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	type m = map[string]any
	put("evercore-chats/team_chat_en.json", m{"conversation_list": []m{{"sender_name": "Ana", "content": "Is the demo ready?"}}})
	var day []m
	for size := 0; size < characters; size += 100 {
		day = append(day, m{"query": strings.Repeat("tell me more ", 4), "response": strings.Repeat("as you wish ", 4)})
	}
	put("memorybank/memory_bank_en.json", m{"Bo": m{"history": m{"20230501": day}}})
	return dir
}

func TestReadDocument_FillsTheReportUp(t *testing.T) {
	got, err := readDocument("report.en.txt", "en", writeChats(t, documentSize))
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.Join(got, "")
	if n := utf8.RuneCountInString(whole); n < documentSize || n > documentSize+1000 {
		t.Errorf("%d characters", n)
	}
	chat := slices.IndexFunc(got, func(p string) bool { return strings.HasPrefix(p, "Ana: Is the demo ready?") })
	if chat != 4 || strings.Contains(whole, documentBreak) || !strings.HasPrefix(got[len(got)-1], "The last chapter") {
		t.Errorf("the chats begin at paragraph %d; the last is %q", chat, got[len(got)-1])
	}
}

func TestReadDocument_SaysWhatIsMissing(t *testing.T) {
	for name, tt := range map[string]struct{ data, want string }{
		"no chats":      {t.TempDir(), "--data"},
		"too few chats": {writeChats(t, 1000), "short of a document of 50000"},
	} {
		if _, err := readDocument("report.en.txt", "en", tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, tt.want)
		}
	}
}

func TestReadScenario_SaysWhichLineIsWrong(t *testing.T) {
	const begin = `{"session":"s","at":"2026-01-02T03:04:05Z"}` + "\n"
	for name, tt := range map[string]struct{ content, want string }{
		"no session":        {`{"user":"hello"}`, "line 1: the first line begins a session"},
		"two kinds":         {begin + `{"user":"hello","ask":"who?"}`, "line 2: want one of"},
		"no wants":          {begin + `{"user":"hello"}{"ask":"who?"}`, "line 3: a question needs wants"},
		"no time":           {`{"session":"s"}`, "line 1: a session needs at"},
		"an unknown member": {begin + `{"usr":"hello"}`, `line 2: json: unknown field "usr"`},
	} {
		files := fstest.MapFS{"testdata/seed/task.en.jsonl": {Data: []byte(tt.content)}}
		if _, err := readScenario(files, "task", "en"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, tt.want)
		}
	}
}

func TestSeedLine_AnswersNeedAllWords(t *testing.T) {
	l := seedLine{Wants: []string{"2 June|June 2", "21,500"}, Stale: []string{"18,000"}}
	for given, want := range map[string]bool{
		"on june 2 with  21,500 euros": true, "on 2 June": false, "21,500 euros on 12 May": false, "": false,
	} {
		if l.answered(given) != want {
			t.Errorf("answered(%q) is %v", given, !want)
		}
	}
	if !l.outdated("18,000") || l.outdated("21,500") || (&seedLine{}).outdated("anything") {
		t.Error("what held before is not told apart")
	}
}

func TestNearestToMiddle_KeepsTheirOrder(t *testing.T) {
	vectors := [][]float32{{1, 0}, {0.9, 0.1}, {-1, 0}, {1, 0.2}}
	if got := nearestToMiddle(vectors, 2); !slices.Equal(got, []int{0, 3}) {
		t.Errorf("nearest are %v", got)
	}
	if got := nearestToMiddle(vectors[:1], 3); !slices.Equal(got, []int{0}) {
		t.Errorf("of one: %v", got)
	}
}

// runSeed runs the command and decodes its report.
func runSeed(t *testing.T, args ...string) (r seedReport, err error) {
	t.Helper()
	var out bytes.Buffer
	if err = run(t.Context(), append([]string{"seed", "--json"}, args...), &out, &bytes.Buffer{}); err != nil {
		return r, err
	}
	return r, json.Unmarshal(out.Bytes(), &r)
}

// TestSeed_ComparesTheSchemes runs a scenario with a model behind a real socket.
func TestSeed_ComparesTheSchemes(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"model":"m","choices":[{"message":{"role":"assistant","content":"An aisle seat, and green tea."}}]}`))
	}))
	defer server.Close()
	r, err := runSeed(t, "--scenarios", "preferences", "--languages", "en", "--base-url", server.URL, "--model", "m")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 3 || r.Model != "m" {
		t.Fatalf("report %+v", r)
	}
	for i, name := range []string{"A", "B", "C"} {
		row := r.Rows[i]
		if row.Scheme != name || row.Questions != 14 || row.Answered < 8 || row.Kept < row.Answered || row.TokensGiven > 600+5*60 || row.ModelAnswered != 2 {
			t.Errorf("%s: %+v", name, row)
		}
	}
	if r.Rows[0].Calls != 0 || r.Rows[1].Calls != r.Rows[1].Turns/summaryTurns || r.Rows[2].Calls != 0 || r.Rows[2].WouldCall == 0 {
		t.Errorf("calls %+v", r.Rows)
	}
	if want := 3*14 + r.Rows[1].Calls; asked != want {
		t.Errorf("the model was asked %d times, want %d", asked, want)
	}
}

func TestSeed_RefusesWhatItCannotMeasure(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--scenarios", "chess"}, "chess"},
		{[]string{"--languages", "fr"}, "fr"},
		{[]string{"--top", "0"}, "--top"},
		{[]string{"--check", "--languages", "en"}, "every scenario in every language"},
		{[]string{"--model", "m"}, "--base-url and --model"},
		{[]string{"--base-url", "http://127.0.0.1:1"}, "--base-url and --model"},
		{[]string{"--base-url", "ftp://x", "--model", "m"}, "--base-url"},
	} {
		if _, err := runSeed(t, tt.args...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want an error with %q", tt.args, err, tt.want)
		}
	}
}

func TestSeed_SaysWhereOursDoesNotLead(t *testing.T) {
	var r seedReport
	for _, scenario := range seedScenarios {
		for _, language := range seedLanguages {
			for scheme, tokens := range map[string]int{"A": 1000, "B": 900, "C": 800} {
				row := seedRow{Scenario: scenario, Language: language, Scheme: scheme, Questions: 10, Kept: 9, Answered: 8, tokens: tokens}
				r.Rows = append(r.Rows, row.finish())
			}
		}
	}
	if r.Limits = checkSeed(&r); len(r.Limits) != 6 || slices.ContainsFunc(r.Limits, func(v verdict) bool { return !v.Holds }) {
		t.Errorf("limits %+v", r.Limits)
	}
	if out := r.markdown(); strings.Contains(out, "extract kept") {
		t.Errorf("ours leads everywhere, and yet:\n%s", out)
	}
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Scheme == "C" && row.Scenario == "document" {
			row.PerThousand = 1
		}
	}
	if r.Limits = checkSeed(&r); r.Limits[0].Holds || r.Limits[1].Holds || !r.Limits[2].Holds {
		t.Errorf("limits %+v", r.Limits)
	}
	if err := (&printing{}).print(&bytes.Buffer{}, &r); !errors.Is(err, errLimits) {
		t.Errorf("print = %v, want %v", err, errLimits)
	}
	if out := r.markdown(); !strings.Contains(out, "document, en: C gives 1.00 answers by 1,000 tokens, B 8.89. Of 10 answers extract kept 9, of which recall gave 8") {
		t.Errorf("it does not say where ours is behind:\n%s", out)
	}
}
