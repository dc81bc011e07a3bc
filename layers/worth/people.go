package worth

import "mcp-memory/layers/conversation"

// besideLimit is the probability of any layer from which on a turn goes along with
// what a talk among people holds. People who write to each other tell of their
// lives: of LoCoMo's turns (Maharana and others, 2024) some two in three hold
// something of a layer, and with this limit more than nine in ten of those that
// later questions ask for.
const besideLimit = 0.12

// A talk among people holds something where one turn reaches the limit for
// records, or so many are likelier than not to.
const (
	tellingTurns = 2
	tellingLimit = 0.5
)

// among sets the limit for what goes along, where two people or more speak under
// their names and their talk holds something. Else they chat, and nothing of that
// is kept.
func (j *Judgement) among() {
	telling, sure := 0, false
	for i := range j.Turns {
		any := j.Turns[i].Scores.Any()
		sure = sure || any >= j.Limits.Any
		if any >= tellingLimit {
			telling++
		}
	}
	if (sure || telling >= tellingTurns) && people(j.Talk) {
		j.Limits.Beside = min(j.Limits.Any, besideLimit)
	}
}

// GoesAlong reports whether a turn is kept as it was said, beside what its talk
// surely holds.
func (j *Judgement) GoesAlong(turn int) bool {
	return j.Limits.Beside > 0 && j.Turns[turn].Scores.Any() >= j.Limits.Beside
}

// people reports whether two or more named people speak.
func people(talk *conversation.Talk) bool {
	first := ""
	for _, t := range talk.Turns {
		switch {
		case t.Role != conversation.User || t.Name == "":
		case first == "":
			first = t.Name
		case t.Name != first:
			return true
		}
	}
	return false
}
