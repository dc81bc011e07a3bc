package dates

// A cue is what a word says about the tense of its sentence.
type cue int

const (
	cueNeutral cue = iota // seems a cue and is none
	cuePast
	cueFuture
	cueHabit   // of no single time: "never", 总是
	cuePerfect // past that lasts: "have lived"
	cueUnclear // no cue, or cues against each other
)

var cueNames = [...]string{"neutral", "past", "future", "habit", "perfect"}

// tense gives past, future, habit or unclear for the sentence around an
// expression.
func (s *scene) tense(e *expression) cue {
	seen := s.cues(e)
	switch {
	case seen[cueHabit]:
		return cueHabit
	case (seen[cuePast] || seen[cuePerfect]) && !seen[cueFuture]:
		return cuePast
	case seen[cueFuture] && !seen[cuePast] && !seen[cuePerfect]:
		return cueFuture
	}
	return cueUnclear
}

// lasts reports whether what is said up to an expression has begun and still
// holds: "I've lived here for three years".
func (s *scene) lasts(e *expression) bool {
	return s.cuesIn(s.sentenceStart(e.open), e.open)[cuePerfect]
}

// cues gives which cues stand in the sentence of an expression, outside it.
func (s *scene) cues(e *expression) [cueUnclear]bool {
	seen := s.cuesIn(s.sentenceStart(e.open), e.open)
	for c, there := range s.cuesIn(e.close, s.sentenceEnd(e.close)) {
		seen[c] = seen[c] || there
	}
	return seen
}

// cuesIn gives which cues begin in tokens [i, end).
func (s *scene) cuesIn(i, end int) (seen [cueUnclear]bool) {
	for i < end {
		hits := s.book.cues.match(s.tokens, i)
		if len(hits) == 0 || !s.fitsStart(i) || !s.fitsEnd(hits[0].end) {
			i++
			continue
		}
		seen[hits[0].rule.cue] = true
		i = hits[0].end
	}
	return seen
}

// sentenceTokens bounds how far a cue is looked for, to either side, so that a
// text without full stops costs no more than its length.
const sentenceTokens = 60

func (s *scene) sentenceStart(open int) int {
	i := open
	for i > max(0, open-sentenceTokens) && !s.endsSentence(i-1) && s.tokens[i].gap != broken {
		i--
	}
	return i
}

func (s *scene) sentenceEnd(i int) int {
	end := min(len(s.tokens), i+sentenceTokens)
	for i < end && !s.endsSentence(i) && s.tokens[i].gap != broken {
		i++
	}
	return i
}

// endsSentence reports whether tokens[i] is the mark that ends a sentence.
func (s *scene) endsSentence(i int) bool {
	switch s.tokens[i].low {
	case "!", "?", ";", "。":
		return true
	case ".":
		return i+1 >= len(s.tokens) || s.tokens[i+1].gap != glued
	}
	return false
}
