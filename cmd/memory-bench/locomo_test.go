package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestLocomo_MeasuresAWholeTalk runs the command on a talk of five turns, with
// vectors and without.
func TestLocomo_MeasuresAWholeTalk(t *testing.T) {
	tests := []struct {
		name    string
		flags   []string
		rankers []string
	}{
		{"with vectors", nil, []string{"recall, min_score 0", "recall, default floor", "plain BM25", "vectors alone", "words alone, min_score 0", "words alone, default floor"}},
		{"words alone", []string{"--words"}, []string{"recall, min_score 0", "recall, default floor", "plain BM25"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := measureSmallTalks(t, tt.flags...)
			if r.Conversations != 1 || r.Turns != 5 || r.Questions != 3 || len(r.Rankers) != len(tt.rankers) {
				t.Fatalf("measured %d conversations, %d turns, %d questions, %d rankers", r.Conversations, r.Turns, r.Questions, len(r.Rankers))
			}
			for i, k := range r.Rankers {
				if got := k.turns("4 single-hop"); k.Name != tt.rankers[i] || got.Questions != 1 || got.Hit1 != 1 || got.NDCG != 1 {
					t.Errorf("%s: %+v, want %s, and the violin found first", k.Name, got, tt.rankers[i])
				}
				if got := k.sessions(rowAll); got.Questions != 3 || got.Hit5 != 1 {
					t.Errorf("%s: %+v, want all sessions among the first five", k.Name, got)
				}
			}
			if r.Floor.Nonsense != 85 || r.Floor.Answerable != 2 || r.Floor.FoundOpen != 2 {
				t.Errorf("floor: %+v", r.Floor)
			}
			if r.Golden.Compared != 1 || r.Golden.Agree != 0 || r.Golden.Others[0].Index != 0 {
				t.Errorf("golden: %+v, want one that differs", r.Golden)
			}
		})
	}
}

// measureSmallTalks runs the command on smallTalks and returns its report.
func measureSmallTalks(t *testing.T, flags ...string) (r locomoReport) {
	t.Helper()
	data := write(t, "talks.json", smallTalks)
	golden := write(t, "golden.jsonl", `{"conv": "talk-1", "qa_index": 0, "top": [["D10:1", 9.5]]}`)
	var out, log bytes.Buffer
	args := append([]string{"locomo", "--data", data, "--golden", golden, "--json"}, flags...)
	if err := run(t.Context(), args, &out, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestLocomo_CheckFailsOnAGoldenFileThatDisagrees(t *testing.T) {
	data := write(t, "talks.json", smallTalks)
	golden := write(t, "golden.jsonl", `{"conv": "talk-1", "qa_index": 0, "top": [["D10:1", 9.5]]}`)
	var out bytes.Buffer
	err := run(t.Context(), []string{"locomo", "--data", data, "--golden", golden, "--words", "--check", "--verbose"}, &out, &bytes.Buffer{})
	if !errors.Is(err, errLimits) {
		t.Errorf("run = %v, want %v", err, errLimits)
	}
	for _, want := range []string{"golden rankings that agree ≥ 0.95 | 0.0000 | **no**", "talk-1 question 0: What broke", "want D10:1 9.5000"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

// atBounds is a ranker that reaches each bound and no more.
func atBounds(bounds []bound) rankerReport {
	least := map[string]float64{}
	for _, b := range bounds {
		least[b.of] = b.least
	}
	k := rankerReport{
		Turns: []turnRow{
			{Of: rowMacro, turnFigures: turnFigures{NDCG: least["macro NDCG@10"], R: least["macro R@10"]}},
			{Of: rowMacroLate, turnFigures: turnFigures{NDCG: least["macro NDCG@10, conversations 5–9"]}},
			{Of: rowAnswerable, turnFigures: turnFigures{R: least["categories 1–4 together, R@10"], Hit1: least["categories 1–4 together, hit@1"]}},
		},
		Sessions: []sessionRow{{Of: rowAll, sessionFigures: sessionFigures{Hit1: least["session hit@1"], Hit5: least["session hit@5"]}}},
	}
	for n := 1; n <= categories; n++ {
		k.Turns = append(k.Turns, turnRow{Of: categoryName(n), Questions: 1, turnFigures: turnFigures{NDCG: 0.5}})
	}
	return k
}

// goodLocomo is a report of words alone at all bounds.
func goodLocomo() *locomoReport {
	return &locomoReport{
		Rankers: []rankerReport{atBounds(wordBounds), atBounds(wordBounds), {}},
		Golden:  goldenFigures{Compared: 20, Agree: 19},
		Floor:   floorFigures{Nonsense: 100, NonsenseAnswered: 5},
	}
}

// goodHybrid is a report with vectors at all bounds.
func goodHybrid() *locomoReport {
	r := goodLocomo()
	r.Rankers = []rankerReport{atBounds(hybridBounds), atBounds(hybridBounds), {}, {}, atBounds(wordBounds), atBounds(wordBounds)}
	r.WordsFloor = &floorFigures{Nonsense: 100, NonsenseAnswered: 5}
	return r
}

// limitTest changes a report that is at all bounds; broken begins the limit that
// does not hold any more, and is empty where all hold.
type limitTest struct {
	name   string
	change func(r *locomoReport)
	broken string
}

func testLimits(t *testing.T, good func() *locomoReport, tests []limitTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, found := good(), tt.broken == ""
			tt.change(r)
			for _, l := range checkLocomo(r) {
				broken := tt.broken != "" && strings.HasPrefix(l.Limit, tt.broken)
				found = found || broken
				if l.Holds == broken {
					t.Errorf("%s: measured %s, holds = %v", l.Limit, l.Measured, l.Holds)
				}
			}
			if !found {
				t.Errorf("no limit is called %q", tt.broken)
			}
		})
	}
}

func TestCheckLocomo_WordsAtTheirBounds(t *testing.T) {
	testLimits(t, goodLocomo, []limitTest{
		{"all at their bounds", func(*locomoReport) {}, ""},
		{"macro with min_score 0", func(r *locomoReport) { r.Rankers[0].Turns[0].NDCG = 0.5599 }, "macro NDCG@10 ≥ 0.56"},
		{"macro with the default floor", func(r *locomoReport) { r.Rankers[1].Turns[0].NDCG = 0.5599 }, "macro NDCG@10 ≥ 0.56"},
		{"late conversations", func(r *locomoReport) { r.Rankers[1].Turns[1].NDCG = 0.54 }, "macro NDCG@10, conversations 5–9"},
		{"hit@1", func(r *locomoReport) { r.Rankers[1].Sessions[0].Hit1 = 0.74 }, "session hit@1"},
		{"hit@5", func(r *locomoReport) { r.Rankers[0].Sessions[0].Hit5 = 0.92 }, "session hit@5"},
		{"golden", func(r *locomoReport) { r.Golden.Agree = 18 }, "golden"},
		{"no golden at all", func(r *locomoReport) { r.Golden = goldenFigures{} }, "golden"},
		{"nonsense", func(r *locomoReport) { r.Floor.NonsenseAnswered = 6 }, "nonsense"},
	})
}

func TestCheckLocomo_HybridAtItsBounds(t *testing.T) {
	testLimits(t, goodHybrid, []limitTest{
		{"all at their bounds", func(*locomoReport) {}, ""},
		{"macro", func(r *locomoReport) { eachFloor(r, func(k *rankerReport) { k.Turns[0].NDCG = 0.5849 }) }, "macro NDCG@10 ≥ 0.585"},
		{"late conversations", func(r *locomoReport) { eachFloor(r, func(k *rankerReport) { k.Turns[1].NDCG = 0.56 }) }, "macro NDCG@10, conversations 5–9"},
		{"R@10", func(r *locomoReport) { eachFloor(r, func(k *rankerReport) { k.Turns[0].R = 0.7 }) }, "macro R@10"},
		{"R@10 of what has an answer", func(r *locomoReport) { eachFloor(r, func(k *rankerReport) { k.Turns[2].R = 0.77 }) }, "categories 1–4 together, R@10"},
		{"hit@1 of what has an answer", func(r *locomoReport) { eachFloor(r, func(k *rankerReport) { k.Turns[2].Hit1 = 0.54 }) }, "categories 1–4 together, hit@1"},
		{"session hit@1", func(r *locomoReport) { eachFloor(r, func(k *rankerReport) { k.Sessions[0].Hit1 = 0.78 }) }, "session hit@1"},
		{"session hit@5", func(r *locomoReport) { eachFloor(r, func(k *rankerReport) { k.Sessions[0].Hit5 = 0.94 }) }, "session hit@5"},
		{"the default floor may take a little", func(r *locomoReport) { r.Rankers[1].Sessions[0].Hit5 -= 0.0049 }, ""},
		{"the default floor takes much", func(r *locomoReport) { r.Rankers[1].Sessions[0].Hit5 -= 0.0051 }, "loss by the default floor"},
		{"a category that vectors hurt", func(r *locomoReport) { r.Rankers[0].Turns[4].NDCG = 0.499 }, "NDCG@10 of every category"},
		{"nonsense", func(r *locomoReport) { r.Floor.NonsenseAnswered = 6 }, "nonsense"},
		{"nonsense by words", func(r *locomoReport) { r.WordsFloor.NonsenseAnswered = 6 }, "words alone: nonsense"},
		{"macro of words", func(r *locomoReport) { r.Rankers[5].Turns[0].NDCG = 0.55 }, "words alone: macro NDCG@10 ≥ 0.56"},
		{"golden", func(r *locomoReport) { r.Golden.Agree = 18 }, "words alone: golden"},
	})
}

// eachFloor changes recall with min_score 0 and with the default floor alike.
func eachFloor(r *locomoReport, change func(k *rankerReport)) {
	change(&r.Rankers[0])
	change(&r.Rankers[1])
}

func TestLocomo_CheckNeedsTheGoldenFile(t *testing.T) {
	err := run(t.Context(), []string{"locomo", "--golden", "", "--check"}, &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "--golden") {
		t.Errorf("run = %v, want an error that names --golden", err)
	}
}
