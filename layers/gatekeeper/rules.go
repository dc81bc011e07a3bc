package gatekeeper

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/worth"
	"mcp-memory/storage"
)

// Rules decides without a model: the gate opens for a layer where a turn reaches
// its limit. Where it opens for none, what asks to be kept opens that of its
// likeliest layer. A zero limit stands for the judgement's own (worth.Limits.Gate).
func Rules(j *worth.Judgement, limits worth.Scores) Verdicts {
	out := make(Verdicts, len(Layers))
	open := false
	for i, layer := range worth.Layers {
		if limits[i] == 0 {
			limits[i] = j.Limits.Gate[i]
		}
		out[layer] = decide(j, layer, limits[i])
		open = open || out[layer].ShouldExtract
	}
	if open {
		return out
	}
	for _, layer := range worth.Layers {
		if s := toldOf(j, layer); s != nil {
			out[layer] = Verdict{true, fmt.Sprintf("turn %d asks to keep it: %s", s.Turn+1, excerpt(s.Words()))}
		}
	}
	return out
}

func decide(j *worth.Judgement, layer storage.Layer, limit float64) Verdict {
	turn, score := 0, 0.0
	for i := range j.Turns {
		if p := j.Turns[i].Scores.Of(layer); p > score {
			turn, score = i, p
		}
	}
	switch {
	case score == 0:
		return Verdict{false, "nothing is stated"}
	case score >= limit:
		how := fmt.Sprintf("%.2f", score)
		if language := j.ByMeaning(turn); language != "" {
			how = fmt.Sprintf("by meaning alone: %s is not read by rules", language)
		}
		return Verdict{true, fmt.Sprintf("turn %d, likely %s (%s): %s", turn+1, layer, how, excerpt(best(j, turn, layer)))}
	}
	return Verdict{false, fmt.Sprintf("no turn is likely %s (at most %.2f, %.2f is needed)", layer, score, limit)}
}

// toldOf returns the sentence that asks to be kept and is likest a layer, nil for
// none.
func toldOf(j *worth.Judgement, layer storage.Layer) *conversation.Sentence {
	for i := range j.Sentences {
		if !j.Sentences[i].Told {
			continue
		}
		if likest, _ := j.Sentences[i].Scores.Best(); likest == layer {
			return &j.Talk.Sentences[i]
		}
	}
	return nil
}

// best returns the words of the sentence of a turn that is likest a layer.
func best(j *worth.Judgement, turn int, layer storage.Layer) string {
	words, top := "", -1.0
	for i, s := range j.Talk.Sentences {
		if p := j.Sentences[i].Scores.Of(layer); s.Turn == turn && s.Kind == conversation.Stated && p > top {
			words, top = s.Words(), p
		}
	}
	return words
}

// excerptRunes bounds what a reason shows of a sentence.
const excerptRunes = 80

func excerpt(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > excerptRunes {
		s = string([]rune(s)[:excerptRunes-1]) + "…"
	}
	return "“" + s + "”"
}
