package extract

import (
	"fmt"

	"mcp-memory/layers/worth"
	"mcp-memory/storage"
)

// Router holds the scores, 1 to 5, from which on something is kept. The zero value
// stands for DefaultRouter.
type Router struct {
	Episodic int // a turn is passed on, a record kept as it was said
	Semantic int // a record is kept for long
}

// DefaultRouter has the thresholds by default: below 2 is dropped, 2 and 3 are episodic, 4 and 5
// semantic.
var DefaultRouter = Router{Episodic: 2, Semantic: 4}

func (r Router) orDefault() Router {
	if r.Episodic == 0 {
		r.Episodic = DefaultRouter.Episodic
	}
	if r.Semantic == 0 {
		r.Semantic = DefaultRouter.Semantic
	}
	return r
}

// Turns returns the indexes of the turns that are passed on to gate and
// extractors, and the others with the reason. Turns of which nothing is the
// user's, such as the assistant's, are neither.
func (r Router) Turns(j *worth.Judgement) (passed []int, dropped []Drop) {
	r = r.orDefault()
	for i := range j.Turns {
		switch {
		case j.Turns[i].Score >= r.Episodic:
			passed = append(passed, i)
		case j.Talk.Turns[i].Role == "user":
			dropped = append(dropped, Drop{Text: clip(j.Talk.Turns[i].Content), Reason: j.Turns[i].Why, Turns: []int{i}})
		}
	}
	return passed, dropped
}

// Record returns the tier that a memory is kept in, or false and the reason it is
// dropped.
func (r Router) Record(m *Memory) (tier storage.Tier, reason string, ok bool) {
	r = r.orDefault()
	switch {
	case m.Importance < r.Episodic:
		return "", fmt.Sprintf("importance %d is below %d", m.Importance, r.Episodic), false
	case m.Importance < r.Semantic:
		return storage.Episodic, "", true
	}
	return storage.Semantic, "", true
}

// clipRunes bounds what a drop shows of a text.
const clipRunes = 200

func clip(s string) string {
	if r := []rune(s); len(r) > clipRunes {
		return string(r[:clipRunes-1]) + "…"
	}
	return s
}
