package worth

import "mcp-memory/layers/conversation"

// Limits among people. The classifier's limits are for talk with an assistant,
// half of which is tasks. People who write to each other tell of their lives: of
// LoCoMo's turns (Maharana and others, 2024) some two in three hold something of
// a layer, and with these limits nine in ten of those that later questions ask
// for get a record.
const (
	peopleGate = 0.5 // of the gate's limits
	peopleAny  = 0.2
)

// among returns the limits for a conversation: lower ones where two people or more
// speak under their names.
func (l Limits) among(talk *conversation.Talk) Limits {
	if !people(talk) {
		return l
	}
	for i := range l.Gate {
		l.Gate[i] *= peopleGate
	}
	l.Any = min(l.Any, peopleAny)
	return l
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
