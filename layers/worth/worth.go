package worth

import (
	"strings"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/structure"
	"mcp-memory/storage"
)

// Layers are the five that are judged, in the order of Scores.
var Layers = [...]storage.Layer{storage.Activity, storage.Context, storage.Experience, storage.Identity, storage.Preference}

// Scores are probabilities, 0 to 1, one for each of Layers.
type Scores [len(Layers)]float64

// Of returns the score of a layer; 0 for one that is not judged.
func (s Scores) Of(layer storage.Layer) float64 {
	for i, l := range Layers {
		if l == layer {
			return s[i]
		}
	}
	return 0
}

// Best returns the layer with the highest score; of equal ones the first.
func (s Scores) Best() (storage.Layer, float64) {
	best := 0
	for i := range s {
		if s[i] > s[best] {
			best = i
		}
	}
	return Layers[best], s[best]
}

// Any is the probability that any layer holds, were they independent.
func (s Scores) Any() float64 {
	none := 1.0
	for _, p := range s {
		none *= 1 - p
	}
	return 1 - none
}

// or takes the higher of each score.
func (s Scores) or(t Scores) Scores {
	for i := range s {
		s[i] = max(s[i], t[i])
	}
	return s
}

// Options are what Judge may use beside the conversation. The zero value judges
// by words and cues.
type Options struct {
	// Embed returns a vector of unit length for each text, as the embedder that
	// Model names makes them for passages.
	Embed func(texts []string) ([][]float32, error)
	Model string
	// UserNames are names of the user, beside "user".
	UserNames []string
	// Changes reports whether a statement of a sentence ends what is known from before
	// the conversation, or gives it another value; nil: nothing is known.
	Changes func(sentence int, st *structure.Statement) bool
	// Working says that people are known to be at work together from what was kept of
	// their conversation so far.
	Working bool
}

// Sentence is what one sentence of the Talk is worth.
type Sentence struct {
	Scores Scores
	// Told says that the speaker asked to keep it: "remember that", 记住.
	Told bool
	// Settled says that its score rests on what it settles of a work that people do
	// together.
	Settled bool
	// Meant is, of a sentence in a language without rules, the probability of its
	// likeliest layer by meaning alone, where that is likely enough; else 0.
	Meant float64
	// Plain says that words of such a language say its layer plainly (sure/).
	Plain bool
}

// Turn is what a turn is worth.
type Turn struct {
	Scores Scores // the highest of its sentences, and of all of them together
	Score  int    // 1 to 5
	Why    string // of the score, for people
}

// Judgement is what a conversation is worth.
type Judgement struct {
	Talk      *conversation.Talk
	Reader    *structure.Reader // of its sentences
	Sentences []Sentence        // one for each of the Talk's
	Turns     []Turn            // one for each of the Talk's
	Limits    Limits            // those that the scores are to be held against
	// Embedded says that the scores rest on vectors too. Note says why not where an
	// embedder was given.
	Embedded bool
	Note     string
}

// Judge scores a conversation. It does not fail: where no vectors are to be had
// it says so in Note and judges by words.
func Judge(talk *conversation.Talk, o Options) *Judgement {
	units := unitsOf(talk)
	j := &Judgement{Talk: talk, Reader: &structure.Reader{}, Sentences: make([]Sentence, len(talk.Sentences)), Turns: make([]Turn, len(talk.Turns))}
	w := weights()
	vectors := j.vectors(w, units, o)
	set := &w.words
	if j.Embedded = vectors != nil; j.Embedded {
		set = &w.both
	}
	j.Limits = set.limits.of(turnsOf(units))
	j.told()
	fresh := news{j, &o, map[subject][]structure.Statement{}, map[claim]bool{}}
	work := j.workOf(w, units, vectors, o)
	said := scored{set: set}
	for i, u := range units {
		var vector []float32
		if j.Embedded {
			vector = vectors[i]
		}
		if language := foreignIn(j.Talk, u); language != "" {
			j.add(u, j.byMeaning(u, language, vector))
			continue
		}
		scores := said.score(u, vector)
		if u.sentence >= 0 {
			scores = fresh.raise(u.sentence, scores)
			scores = j.settled(u, work.settles(i, u, scores), scores)
		}
		scores = j.unread(u, scores, vector)
		j.add(u, scores)
	}
	j.among()
	for i := range j.Turns {
		j.Turns[i].Score, j.Turns[i].Why = j.rate(i)
	}
	return j
}

// scored scores units by their text and its vector, each text once.
type scored struct {
	set *classifier
	of  map[string]Scores // of sentences
}

func (s *scored) score(u unit, vector []float32) Scores {
	if u.sentence < 0 {
		return s.fresh(u, vector)
	}
	z, ok := s.of[u.text]
	if !ok {
		z = s.fresh(u, vector)
		if s.of == nil {
			s.of = map[string]Scores{}
		}
		s.of[u.text] = z
	}
	return z
}

func (s *scored) fresh(u unit, vector []float32) Scores {
	words := spelled(u.text)
	return plain(words).raise(words, u.doubted(s.set.score(words, vector)))
}

// vectors returns a vector for each unit, or nil and says why.
func (j *Judgement) vectors(w *weightFile, units []unit, o Options) [][]float32 {
	switch {
	case o.Embed == nil || len(units) == 0:
		return nil
	case o.Model != w.model:
		j.Note = "judged by words: the classifier was trained with " + w.model + ", not with " + o.Model
		return nil
	}
	texts := make([]string, len(units))
	for i, u := range units {
		texts[i] = u.text
	}
	vectors, err := o.Embed(texts)
	if err != nil || len(vectors) != len(units) {
		j.Note = "judged by words: the embedder gave no vectors"
		return nil
	}
	for _, v := range vectors {
		if len(v) != len(w.mean) {
			j.Note = "judged by words: the embedder's vectors have another length"
			return nil
		}
	}
	return vectors
}

// add counts a unit's scores for its sentence and its turn.
func (j *Judgement) add(u unit, s Scores) {
	if u.sentence >= 0 {
		j.Sentences[u.sentence].Scores = s
	}
	t := &j.Turns[u.turn]
	t.Scores = t.Scores.or(s)
}

// told marks the sentences that ask to be kept, what follows a bare "remember this:"
// in the same turn, and what stands there before a bare "remember that."
func (j *Judgement) told() {
	turn, open, last := -1, false, -1 // last: the sentence stated before
	for i, s := range j.Talk.Sentences {
		if s.Turn != turn {
			turn, open, last = s.Turn, false, -1
		}
		if s.Kind == conversation.Asked && last >= 0 && conversation.AsksToKeepBefore(s.Text) {
			j.Sentences[last].Told = true
		}
		if s.Kind != conversation.Stated || s.Speaker == conversation.Assistant {
			continue
		}
		last = i
		asks := conversation.AsksToKeep(s.Text)
		j.Sentences[i].Told = asks || open
		open = asks && strings.HasSuffix(strings.TrimRight(s.Text, " "), ":") || asks && strings.HasSuffix(s.Text, "：")
	}
}
