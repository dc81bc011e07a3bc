package worth

import (
	"slices"

	"mcp-memory/internal/lazy"
	"mcp-memory/layers/conversation"
	"mcp-memory/storage"
)

// settledProbability is what a sentence that settles something of a common work is
// worth: a record is made of it, in its own words.
const settledProbability = 0.98

// People are at work together where a sentence plainly settles something, or most
// likely does, or so many turns likely do. Then a sentence counts from a lower
// probability on. Left out of the training, of 306 conversations and 1,186 single
// turns that hold nothing none reaches the limit for a sentence alone, and one has
// two turns that likely settle something.
const (
	aloneLimit   = 0.95
	workingTurns = 2
	workingLimit = 0.45
	workLimit    = 0.3
	knownLimit   = 0.8  // where that they are at work is known from what was kept alone
	plainLimit   = 0.3  // of a sentence that plainly settles something, to tell that they are at work
	vetoLimit    = 0.15 // of such a sentence, to be kept
)

// work is what the sentences of a conversation settle.
type work struct {
	talk   *conversation.Talk
	units  []unit
	likely []float64 // by unit, that it settles something; nil: the rules decide alone
	on     bool      // its people are at work together
	plain  bool      // only what plainly settles something counts
	known  bool      // that they are at work is known from what was kept alone
}

// workOf looks at the units of a conversation, and where neither these tell nor what
// was kept of it, at what went before it.
func (j *Judgement) workOf(f *weightFile, units []unit, vectors [][]float32, o Options) *work {
	// Of turns among people, what is worth little goes along anyway.
	w := &work{talk: j.Talk, units: units, likely: f.likely(j.Talk, units, vectors), plain: people(j.Talk)}
	turns := w.turns(workingLimit)
	w.on = w.tells() || turns >= workingTurns
	if before := j.Talk.Before; before != nil && !w.on {
		b := &work{talk: before, units: unitsOf(before)}
		b.likely = f.likely(before, b.units, j.vectors(f, b.units, o))
		w.on = b.tells() || turns+b.turns(workingLimit) >= workingTurns
	}
	w.known = !w.on && o.Working
	w.on = w.on || w.known
	return w
}

// tells reports whether a sentence alone tells that people are at work together: it
// plainly settles something of it, or most likely.
func (w *work) tells() bool {
	for i, u := range w.units {
		if u.sentence < 0 {
			continue
		}
		s := &w.talk.Sentences[u.sentence]
		switch {
		case s.Matter.Plain() && (w.likely == nil || w.likely[i] >= plainLimit):
			return true
		case w.likely != nil && !s.Open && w.likely[i] >= aloneLimit:
			return true
		}
	}
	return false
}

// turns counts the turns that settle something with a probability from a limit on.
func (w *work) turns(limit float64) int {
	turns := map[int]bool{}
	for i, u := range w.units {
		if w.likely != nil && u.sentence >= 0 && !w.talk.Sentences[u.sentence].Open && w.likely[i] >= limit {
			turns[u.turn] = true
		}
	}
	return len(turns)
}

// likely returns for each unit the probability that it settles something; nil
// without vectors of the head's model.
func (f *weightFile) likely(talk *conversation.Talk, units []unit, vectors [][]float32) []float64 {
	if vectors == nil || head().Model != f.model {
		return nil
	}
	out := make([]float64, len(units))
	seen := map[string]float64{} // by text: equal ones have equal vectors
	for i, u := range units {
		if foreignIn(talk, u) != "" { // its cues are of languages with rules
			continue
		}
		p, ok := seen[u.text]
		if !ok {
			p = head().score(u.text, vectors[i], f.mean)
			seen[u.text] = p
		}
		out[i] = p
	}
	return out
}

// limit is the probability from which on a sentence counts that does not plainly
// settle something: the higher the longer ago it is that one told they are at work.
func (w *work) limit() float64 {
	if w.known {
		return knownLimit
	}
	return workLimit
}

// instead matches a decision that names what it decides against: the classifier does
// not unmake that.
var instead = lazy.MustCompile(`(?i)\b(?:decided|agreed|chose|chosen|settled|voted)\b.* (?:instead of|rather than|in place of) \S|(?:决定|商量好|敲定|选定|定下来).*(?:代替|替代|取代|替换|而不是)`)

// settles returns the layer of what the i-th unit settles, "" for nothing.
func (w *work) settles(i int, u unit, z Scores) storage.Layer {
	if u.sentence < 0 {
		return ""
	}
	s := &w.talk.Sentences[u.sentence]
	switch {
	case s.Matter.Plain() && w.on && (w.likely == nil || w.likely[i] >= vetoLimit || s.Matter == conversation.Decision && instead.MatchString(s.Text)):
		if s.Matter == conversation.Day {
			return storage.Activity
		}
		return storage.Context
	case s.Matter == conversation.Answer || s.Matter == conversation.Consent:
		return storage.Context
	case !w.on || w.plain || w.likely == nil || s.Open || w.likely[i] < w.limit():
		return ""
	case z.Of(storage.Activity) > z.Of(storage.Context):
		return storage.Activity
	}
	return storage.Context
}

// settled lifts the score of the layer that what a unit settles is of; where the
// gate opens for another, it lifts that one, and opens no further layer.
func (j *Judgement) settled(u unit, layer storage.Layer, z Scores) Scores {
	at := slices.Index(Layers[:], layer)
	if at < 0 {
		return z
	}
	share := 1.0
	for i := range z {
		if r := z[i] / j.Limits.Gate[i]; r >= share {
			at, share = i, r
		}
	}
	if z[at] < settledProbability {
		z[at] = settledProbability
		j.Sentences[u.sentence].Settled = true
	}
	return z
}
