package main

import "fmt"

// The limits of LoCoMo's figures, 0 to 1.
const (
	minMacro     = 0.56
	minMacroLate = 0.545
	minHit1      = 0.75
	minHit5      = 0.93
	minGolden    = 0.95
	maxNonsense  = 0.05
)

// checkLocomo compares a report with the limits. Rankings are held to them with
// min_score 0 and with the default floor: the lower figure counts.
func checkLocomo(r *locomoReport) []verdict {
	macro, macroLate, hit1, hit5 := 1.0, 1.0, 1.0, 1.0
	for _, k := range r.Rankers[:2] {
		macro, macroLate = min(macro, k.turns(rowMacro).NDCG), min(macroLate, k.turns(rowMacroLate).NDCG)
		sessions := k.sessions(rowAll)
		hit1, hit5 = min(hit1, sessions.Hit1), min(hit5, sessions.Hit5)
	}
	nonsense := ratio(r.Floor.NonsenseAnswered, r.Floor.Nonsense)
	return []verdict{
		atLeast("macro NDCG@10", macro, minMacro),
		atLeast("macro NDCG@10, conversations 5–9", macroLate, minMacroLate),
		atLeast("session hit@1", hit1, minHit1),
		atLeast("session hit@5", hit5, minHit5),
		atLeast("golden rankings that agree", ratio(r.Golden.Agree, r.Golden.Compared), minGolden),
		{fmt.Sprintf("nonsense questions that get a match ≤ %v", maxNonsense), fmt.Sprintf("%.4f", nonsense), nonsense <= maxNonsense},
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
