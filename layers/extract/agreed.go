package extract

import (
	"cmp"
	"slices"

	"mcp-memory/layers/conversation"
	"mcp-memory/storage"
)

// agrees reports whether a sentence agrees to a proposal, which it says along.
func (e *extraction) agrees(i int) bool { return e.Talk.Sentences[i].Matter == conversation.Consent }

// agreed puts each of some sentences of a turn that agrees to a proposal by itself,
// the others together: what else a turn says has nothing to do with the proposal.
func (e *extraction) agreed(stated, chosen []int) (groups [][]int) {
	var others []int
	for _, n := range chosen {
		if e.agrees(stated[n]) {
			groups = append(groups, []int{n})
		} else {
			others = append(others, n)
		}
	}
	if len(others) > 0 {
		groups = append(groups, others)
	}
	return groups
}

// likeliest keeps of several groups the one with the likeliest sentence of a layer.
func (e *extraction) likeliest(stated []int, groups [][]int, layer storage.Layer) [][]int {
	if len(groups) < 2 {
		return groups
	}
	top := func(group []int) (best float64) {
		for _, n := range group {
			best = max(best, e.Sentences[stated[n]].Scores.Of(layer))
		}
		return best
	}
	best := slices.MaxFunc(groups, func(a, b []int) int { return cmp.Compare(top(a), top(b)) })
	return [][]int{best}
}
