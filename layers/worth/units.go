package worth

import (
	"strings"

	"mcp-memory/layers/conversation"
)

// unit is a text that is scored: a sentence, or all that a turn states.
type unit struct {
	turn     int
	sentence int // -1: the turn's
	text     string
}

// maxTogether bounds what of a turn is scored as one, in bytes: of more the classifier
// looks at the first 400 words only, and a vector of it all is of nothing any more.
const maxTogether = 8 << 10

// unitsOf returns the units of a conversation. A turn of one sentence has one.
func unitsOf(talk *conversation.Talk) []unit {
	var out []unit
	var all []string // what the turn at hand states
	size := 0        // of all
	for i := range talk.Sentences {
		s := &talk.Sentences[i]
		if s.Kind == conversation.Stated {
			if size += len(s.Words()); size <= maxTogether {
				all = append(all, s.Words())
			}
			out = append(out, unit{turn: s.Turn, sentence: i, text: s.Words()})
		}
		if i+1 == len(talk.Sentences) || talk.Sentences[i+1].Turn != s.Turn {
			if len(all) > 1 {
				out = append(out, unit{turn: s.Turn, sentence: -1, text: strings.Join(all, " ")})
			}
			all, size = nil, 0
		}
	}
	return out
}

// turnsOf counts the turns that units are of.
func turnsOf(units []unit) int {
	n := 0
	for i := range units {
		if i == 0 || units[i].turn != units[i-1].turn {
			n++
		}
	}
	return n
}

// TurnText is all that a turn states by itself, as it is scored; empty where it
// states nothing.
func TurnText(talk *conversation.Talk, turn int) string {
	var all []string
	for _, s := range talk.Of(turn) {
		if s.Kind == conversation.Stated {
			all = append(all, s.Words())
		}
	}
	return strings.Join(all, " ")
}
