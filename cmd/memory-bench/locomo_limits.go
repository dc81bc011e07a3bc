package main

import (
	"fmt"
	"math"
)

// bound is the least that a figure of a ranker must reach, 0 to 1.
type bound struct {
	of    string
	value func(k *rankerReport) float64
	least float64
}

// What words alone must reach, and what words and vectors must reach together.
var (
	wordBounds = []bound{
		{"macro NDCG@10", macroNDCG, 0.56},
		{"macro NDCG@10, conversations 5–9", lateNDCG, 0.545},
		{"session hit@1", sessionHit1, 0.75},
		{"session hit@5", sessionHit5, 0.93},
	}
	hybridBounds = []bound{
		{"macro NDCG@10", macroNDCG, 0.585},
		{"macro NDCG@10, conversations 5–9", lateNDCG, 0.565},
		{"macro R@10", func(k *rankerReport) float64 { return k.turns(rowMacro).R }, 0.71},
		{"categories 1–4 together, R@10", func(k *rankerReport) float64 { return k.turns(rowAnswerable).R }, 0.78},
		{"categories 1–4 together, hit@1", func(k *rankerReport) float64 { return k.turns(rowAnswerable).Hit1 }, 0.55},
		{"session hit@1", sessionHit1, 0.79},
		{"session hit@5", sessionHit5, 0.95},
	}
)

const (
	minGolden    = 0.95
	maxNonsense  = 0.05
	maxFloorLoss = 0.005 // that the default floor takes from any bounded figure
)

// wordsAt is where a report with vectors has words alone, with min_score 0 and
// behind it with the default floor. Recall itself is at 0 in every report.
const wordsAt = 4

func macroNDCG(k *rankerReport) float64   { return k.turns(rowMacro).NDCG }
func lateNDCG(k *rankerReport) float64    { return k.turns(rowMacroLate).NDCG }
func sessionHit1(k *rankerReport) float64 { return k.sessions(rowAll).Hit1 }
func sessionHit5(k *rankerReport) float64 { return k.sessions(rowAll).Hit5 }

// checkLocomo compares a report with the limits: recall with those of vectors or,
// where there are none, of words. In a report with vectors words alone are held
// to their own beside it.
func checkLocomo(r *locomoReport) []verdict {
	if r.WordsFloor == nil {
		return append(checkWords("", r.Rankers, r), nonsenseVerdict("", r.Floor))
	}
	recall, worded := &r.Rankers[0], r.Rankers[wordsAt:]
	var out []verdict
	for _, b := range hybridBounds {
		out = append(out, b.verdict("", recall))
	}
	out = append(out, floorVerdict(recall, &r.Rankers[1]), categoriesVerdict(recall, &worded[0]), nonsenseVerdict("", r.Floor))
	out = append(out, checkWords("words alone: ", worded, r)...)
	return append(out, nonsenseVerdict("words alone: ", *r.WordsFloor))
}

// checkWords holds words to their limits with min_score 0 and with the default
// floor, the first two of the rankers: the lower figure counts.
func checkWords(prefix string, k []rankerReport, r *locomoReport) []verdict {
	var out []verdict
	for _, b := range wordBounds {
		out = append(out, b.verdict(prefix, &k[0], &k[1]))
	}
	return append(out, atLeast(prefix+"golden rankings that agree", ratio(r.Golden.Agree, r.Golden.Compared), minGolden))
}

// verdict is about the lowest of the rankers' figures.
func (b bound) verdict(prefix string, of ...*rankerReport) verdict {
	least := math.Inf(1)
	for _, k := range of {
		least = min(least, b.value(k))
	}
	return atLeast(prefix+b.of, least, b.least)
}

// floorVerdict is about the figure that the default floor takes most from.
func floorVerdict(open, floored *rankerReport) verdict {
	most, of := math.Inf(-1), ""
	for _, b := range hybridBounds {
		if loss := b.value(open) - b.value(floored); loss > most {
			most, of = loss, b.of
		}
	}
	return verdict{
		fmt.Sprintf("loss by the default floor ≤ %v", maxFloorLoss), fmt.Sprintf("%.4f (%s)", most, of), most <= maxFloorLoss,
	}
}

// categoriesVerdict is about the category that vectors help least.
func categoriesVerdict(recall, words *rankerReport) verdict {
	least, of := math.Inf(1), "no question"
	for n := 1; n <= categories; n++ {
		with, without := recall.turns(categoryName(n)), words.turns(categoryName(n))
		if gain := with.NDCG - without.NDCG; with.Questions > 0 && gain < least {
			least, of = gain, with.Of
		}
	}
	return verdict{
		"NDCG@10 of every category, over words alone ≥ 0", fmt.Sprintf("%+.4f (%s)", least, of), least >= 0,
	}
}

func nonsenseVerdict(prefix string, f floorFigures) verdict {
	passed := ratio(f.NonsenseAnswered, f.Nonsense)
	return verdict{
		fmt.Sprintf("%snonsense questions that get a match ≤ %v", prefix, maxNonsense), fmt.Sprintf("%.4f", passed), passed <= maxNonsense,
	}
}

func atLeast(what string, measured, least float64) verdict {
	return verdict{fmt.Sprintf("%s ≥ %v", what, least), fmt.Sprintf("%.4f", measured), measured >= least}
}

// turns is the row of that name, the zero one if there is none.
func (k *rankerReport) turns(of string) (out turnRow) {
	for _, row := range k.Turns {
		if row.Of == of {
			out = row
		}
	}
	return out
}

// sessions is the row of that name, the zero one if there is none.
func (k *rankerReport) sessions(of string) (out sessionRow) {
	for _, row := range k.Sessions {
		if row.Of == of {
			out = row
		}
	}
	return out
}
