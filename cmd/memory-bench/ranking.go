package main

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// hit is one place of a ranking.
type hit struct {
	ID    string
	Score float64
}

// depth is how much of a ranking is judged by turn; sessionDepth how many
// turns a session's score is made of; sessionsShown how many sessions are
// looked at.
const (
	depth         = 10
	sessionDepth  = 100
	sessionsShown = 5
)

// turnFigures judge a ranking of turns, 0 to 1 each.
type turnFigures struct {
	NDCG float64 `json:"ndcg_at_10"`
	R    float64 `json:"r_at_10"` // share of the evidence among the first ten
	Hit1 float64 `json:"hit_at_1"`
}

// sessionFigures judge a ranking of sessions, 0 to 1 each.
type sessionFigures struct {
	Hit1 float64 `json:"hit_at_1"`
	Hit5 float64 `json:"hit_at_5"` // any session of the evidence among the first five
	All5 float64 `json:"all_at_5"` // all of them
	MRR  float64 `json:"mrr"`
}

// judgeTurns compares a ranking with the truth, which is not empty. NDCG is
// that of Järvelin and Kekäläinen (2002) with gains of 0 and 1 and the
// logarithm to base 2.
func judgeTurns(ranked []hit, truth map[string]bool) turnFigures {
	ranked = ranked[:min(len(ranked), depth)]
	gained, ideal, found := 0.0, 0.0, 0
	for i, h := range ranked {
		if truth[h.ID] {
			gained += discount(i)
			found++
		}
	}
	for i := range min(len(truth), depth) {
		ideal += discount(i)
	}
	f := turnFigures{NDCG: gained / ideal, R: float64(found) / float64(len(truth))}
	if len(ranked) > 0 && truth[ranked[0].ID] {
		f.Hit1 = 1
	}
	return f
}

// discount is the gain of place i, from 0 on.
func discount(i int) float64 { return 1 / math.Log2(float64(i+2)) }

// rankSessions ranks sessions by their best turns among the first hundred:
// best + ½·second + ¼·third. Of equal ones that with the better turn leads.
func rankSessions(turns []hit) []hit {
	best := map[string][]float64{}
	order := map[string]int{}
	for i, h := range turns[:min(len(turns), sessionDepth)] {
		s := sittingOf(h.ID)
		if len(best[s]) == 0 {
			order[s] = i
		}
		best[s] = append(best[s], h.Score)
	}
	out := make([]hit, 0, len(best))
	for s := range maps.Keys(best) {
		out = append(out, hit{s, sessionScore(best[s])})
	}
	slices.SortFunc(out, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(order[a.ID], order[b.ID]))
	})
	return out
}

// sessionScore sums up the scores of one session's turns, the best first.
func sessionScore(scores []float64) float64 {
	sum, weight := 0.0, 1.0
	for _, s := range scores[:min(len(scores), 3)] {
		sum += weight * s
		weight /= 2
	}
	return sum
}

// judgeSessions compares a ranking of sessions with the truth, which is not
// empty.
func judgeSessions(ranked []hit, truth map[string]bool) sessionFigures {
	var f sessionFigures
	found := 0
	for i, h := range ranked {
		if !truth[h.ID] {
			continue
		}
		if found++; found == 1 {
			f.MRR = 1 / float64(i+1)
			f.Hit1, f.Hit5 = share(i == 0), share(i < sessionsShown)
		}
		if found == len(truth) {
			f.All5 = share(i < sessionsShown)
		}
	}
	return f
}

func share(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
