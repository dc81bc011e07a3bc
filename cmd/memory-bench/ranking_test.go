package main

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// ranked makes hits of "id=score" words; without a score, falling ones.
func ranked(ids string) (out []hit) {
	for i, id := range strings.Fields(ids) {
		out = append(out, hit{id, float64(100 - i)})
	}
	return out
}

func setOf(ids ...string) map[string]bool {
	out := map[string]bool{}
	for _, id := range ids {
		out[id] = true
	}
	return out
}

func TestJudgeTurns(t *testing.T) {
	second := 1 / math.Log2(3)
	tests := []struct {
		name   string
		ranked string
		truth  map[string]bool
		want   turnFigures
	}{
		{"the one turn comes first", "D1:1 D1:2", setOf("D1:1"), turnFigures{1, 1, 1}},
		{"it comes second", "D1:2 D1:1", setOf("D1:1"), turnFigures{second, 1, 0}},
		{"one of two comes first", "D1:1 D1:3", setOf("D1:1", "D1:2"), turnFigures{1 / (1 + second), 0.5, 1}},
		{"both come first in any order", "D1:2 D1:1", setOf("D1:1", "D1:2"), turnFigures{1, 1, 1}},
		{"the eleventh place is not seen", "D1:2 D1:3 D1:4 D1:5 D1:6 D1:7 D1:8 D1:9 D2:1 D2:2 D1:1", setOf("D1:1"), turnFigures{}},
		{"nothing found", "", setOf("D1:1"), turnFigures{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := judgeTurns(ranked(tt.ranked), tt.truth); got != tt.want {
				t.Errorf("judgeTurns = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestJudgeTurns_FiguresLieBetweenNothingAndAll(t *testing.T) {
	ids := strings.Fields("D1:1 D1:2 D2:1 D2:2 D3:1 D3:2 D4:1 D4:2 D5:1 D5:2 D6:1 D6:2")
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.Permutation(ids).Draw(t, "order")
		truth := setOf(rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 1, 12, rapid.ID[string]).Draw(t, "truth")...)
		f := judgeTurns(ranked(strings.Join(order, " ")), truth)
		if f.NDCG < 0 || f.NDCG > 1+1e-12 || f.R < 0 || f.R > 1 || f.Hit1 > 0 && f.NDCG == 0 {
			t.Fatalf("%+v", f)
		}
	})
}

func TestRankSessions_AddsAHalfAndAQuarter(t *testing.T) {
	turns := []hit{{"D1:1", 8}, {"D2:1", 7}, {"D2:2", 4}, {"D2:3", 4}, {"D2:4", 3}, {"D3:1", 1}}
	want := []hit{{"D2", 7 + 2 + 1}, {"D1", 8}, {"D3", 1}}
	if diff := cmp.Diff(want, rankSessions(turns)); diff != "" {
		t.Errorf("sessions differ (-want +got):\n%s", diff)
	}
}

func TestRankSessions_OfEqualOnesTheBetterTurnLeads(t *testing.T) {
	for range 20 { // maps have no order
		got := rankSessions([]hit{{"D4:1", 5}, {"D1:1", 5}, {"D3:1", 5}})
		if diff := cmp.Diff([]hit{{"D4", 5}, {"D1", 5}, {"D3", 5}}, got); diff != "" {
			t.Fatalf("sessions differ (-want +got):\n%s", diff)
		}
	}
}

func TestRankSessions_LooksAtAHundredTurns(t *testing.T) {
	var turns []hit
	for range sessionDepth {
		turns = append(turns, hit{"D1:1", 2})
	}
	if got := rankSessions(append(turns, hit{"D2:1", 1})); len(got) != 1 {
		t.Errorf("ranked %v, want D1 alone", got)
	}
}

func TestJudgeSessions(t *testing.T) {
	tests := []struct {
		name   string
		ranked string
		truth  map[string]bool
		want   sessionFigures
	}{
		{"first", "D1 D2", setOf("D1"), sessionFigures{1, 1, 1, 1}},
		{"fifth", "D2 D3 D4 D5 D1", setOf("D1"), sessionFigures{0, 1, 1, 0.2}},
		{"sixth", "D2 D3 D4 D5 D6 D1", setOf("D1"), sessionFigures{0, 0, 0, 1.0 / 6}},
		{"one of two among five", "D1 D2 D3 D4 D5 D6", setOf("D1", "D6"), sessionFigures{1, 1, 0, 1}},
		{"one of two found at all", "D3 D1", setOf("D1", "D6"), sessionFigures{0, 1, 0, 0.5}},
		{"none", "D2", setOf("D1"), sessionFigures{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := judgeSessions(ranked(tt.ranked), tt.truth); got != tt.want {
				t.Errorf("judgeSessions = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestRanker_MacroCountsCategoriesAlike(t *testing.T) {
	r := ranker{outcomes: []outcome{
		{talk: 0, category: 1, turns: turnFigures{NDCG: 1}, sessions: sessionFigures{Hit1: 1}},
		{talk: 0, category: 4, turns: turnFigures{NDCG: 0.5}},
		{talk: 7, category: 4, turns: turnFigures{NDCG: 0.1}},
		{talk: 7, category: 4, turns: turnFigures{NDCG: 0}, sessions: sessionFigures{Hit1: 1}},
		{talk: 7, category: 5, turns: turnFigures{NDCG: 0.3}},
	}}
	report := r.report()
	for of, want := range map[string]turnRow{
		"4 single-hop":             {Questions: 3, turnFigures: turnFigures{NDCG: 0.2}},
		"3 open-domain":            {},
		rowMacro:                   {Questions: 5, turnFigures: turnFigures{NDCG: 0.5}},
		"macro, conversations 0–4": {Questions: 2, turnFigures: turnFigures{NDCG: 0.75}},
		rowMacroLate:               {Questions: 3, turnFigures: turnFigures{NDCG: 0.175}},
		"categories 1–4 together":  {Questions: 4, turnFigures: turnFigures{NDCG: 0.4}},
	} {
		if got := report.turns(of); got.Questions != want.Questions || math.Abs(got.NDCG-want.NDCG) > 1e-12 {
			t.Errorf("%s: %d questions, NDCG %v; want %d, %v", of, got.Questions, got.NDCG, want.Questions, want.NDCG)
		}
	}
	if got := report.sessions(rowAll); got.Questions != 5 || got.Hit1 != 0.4 {
		t.Errorf("sessions: %+v, want 5 questions and hit@1 0.4", got)
	}
}
