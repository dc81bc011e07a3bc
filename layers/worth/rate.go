package worth

import (
	"fmt"

	"mcp-memory/layers/conversation"
)

// The scores of a turn.
const (
	Nothing = 1 // not passed on
	Little  = 2 // below the gate, yet not nothing; or goes along with its talk
	Likely  = 3 // the gate opens for a layer
	Sure    = 4 // a record may be made of it
	Told    = 5 // the speaker asked to keep it, or said how it is always to be
)

// littleShare is the part of a gate's limit from which on a turn is passed on: a
// model may see more in it than the classifier does.
const littleShare = 0.4

// rate gives a turn its score, with the reason.
func (j *Judgement) rate(turn int) (int, string) {
	stated, asked := false, ""
	from, to := j.Talk.Range(turn)
	for i := from; i < to; i++ {
		s := &j.Talk.Sentences[i]
		if s.Kind != conversation.Stated {
			if asked == "" {
				asked = s.Why
			}
			continue
		}
		stated = true
		if j.Sentences[i].Told {
			return Told, "asked to be kept"
		}
	}
	if !stated {
		if asked == "" {
			asked = "says nothing"
		}
		return Nothing, asked
	}
	score, why := j.rateScores(j.Turns[turn].Scores)
	if language := j.ByMeaning(turn); language != "" {
		why += ", by meaning alone: " + language + " is not read by rules"
	}
	if score < Little && j.GoesAlong(turn) {
		return Little, "goes along with its talk"
	}
	return score, why
}

func (j *Judgement) rateScores(s Scores) (int, string) {
	best, share := 0, 0.0 // the layer that comes nearest to its limit
	for i := range s {
		if r := s[i] / j.Limits.Gate[i]; r > share {
			best, share = i, r
		}
	}
	why := fmt.Sprintf("%s %.2f", Layers[best], s[best])
	switch {
	case s.Any() >= j.Limits.Any && share >= 1:
		return Sure, why
	case share >= 1:
		return Likely, why
	case share >= littleShare:
		return Little, why
	}
	return Nothing, "states nothing lasting (" + why + ")"
}
