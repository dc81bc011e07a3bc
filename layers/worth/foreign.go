package worth

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"mcp-memory/layers/conversation"
)

// Foreign is the classifier of sentences in languages that are not read by rules: a
// logistic regression for each layer over the vectors of Model alone. It learns from
// the English and Chinese sentences, less the directions in which languages differ,
// and so holds for the others.
type Foreign struct {
	Model  string
	Bias   Scores
	Vector []Scores
}

//go:embed foreign.json
var foreignBytes []byte

var foreign = sync.OnceValue(func() *Foreign {
	f, err := DecodeForeign(foreignBytes)
	if err != nil {
		panic(fmt.Errorf("foreign.json: %w", err))
	}
	return f
})

// Encode writes the classifier.
func (f *Foreign) Encode() ([]byte, error) {
	round := func(s Scores) Scores {
		for i := range s {
			s[i] = rounded(s[i])
		}
		return s
	}
	out := Foreign{Model: f.Model, Bias: round(f.Bias)}
	for _, w := range f.Vector {
		out.Vector = append(out.Vector, round(w))
	}
	return json.Marshal(out)
}

// DecodeForeign reads a classifier that Encode wrote.
func DecodeForeign(b []byte) (*Foreign, error) {
	f := &Foreign{}
	if err := json.Unmarshal(b, f); err != nil {
		return nil, fmt.Errorf("read a classifier: %w", err)
	}
	return f, nil
}

// score returns the probabilities for the vector of a text in a language.
func (f *Foreign) score(language string, vector []float32) Scores {
	z := f.Bias
	for i := range z {
		z[i] += foreignShift[language]
	}
	for i := range min(len(vector), len(f.Vector)) {
		z.addTimes(&f.Vector[i], float64(vector[i]))
	}
	return z.probabilities()
}

// The limits of what is told by meaning alone: of a layer, in the order of Layers, and
// of any layer. They are chosen on seen_lang.jsonl and seen_lang_2.jsonl of
// ../gatekeeper/testdata, of whose 330 talks that hold nothing none leaves a record with
// them, that of strange languages on seen_lang_3.jsonl too. What is said plainly (sure/)
// is not held against them.
var foreignGate = Scores{0.3, 0.3, 0.25, 0.45, 0.35}

const (
	foreignLimit = 0.78
	// strangeLimit is that of a language of which not even words are known: what only
	// supposes, or asks for a text, is not told apart there.
	strangeLimit = 0.93
	// unmadeLimit is that of what has words that take back what is said plainly.
	unmadeLimit = 0.85
	// promisedLimit is that where words promise something lasting ("ich wohne").
	promisedLimit = 0.55
)

// foreignShift is added to the log-odds of each layer in a language whose sentences the
// embedder tells less apart: those that hold something and those that do not both get
// lower ones.
var foreignShift = map[string]float64{"pt": 1.0}

func foreignLimitOf(language string) float64 {
	if conversation.KnowsWords(language) {
		return foreignLimit
	}
	return strangeLimit
}

// read are the languages that have rules.
var read = map[string]bool{"": true, "en": true, "zh": true, "ja": true}

// foreignIn returns the language of a unit of a talk if it is one without rules, else
// "". All that a turn states is in the language of its first sentence.
func foreignIn(talk *conversation.Talk, u unit) string {
	language := ""
	switch {
	case u.sentence >= 0:
		language = talk.Sentences[u.sentence].Language
	default:
		for _, s := range talk.Of(u.turn) {
			if s.Kind == conversation.Stated {
				language = s.Language
				break
			}
		}
	}
	if read[language] {
		return ""
	}
	return language
}

// byMeaning returns the scores of a unit in a language without rules. One that is
// likely enough, and that speaks of the speaker, is lifted above the limits of the
// talk; any other stays below them.
func (j *Judgement) byMeaning(u unit, language string, vector []float32) Scores {
	var out Scores
	if plain, ok := j.saysPlainly(u, language); ok {
		j.Sentences[u.sentence].Plain = true
		return plain
	}
	if len(vector) == 0 || u.sentence < 0 && j.plainIn(u.turn) {
		return out // what is said plainly needs no weighing of all together
	}
	z := foreign().score(language, vector)
	personal, telling := j.says(u)
	limit := foreignLimitOf(language)
	switch {
	case unmade(u.text, language):
		limit = max(limit, unmadeLimit)
	case telling:
		limit = min(limit, promisedLimit)
	}
	sure := personal && z.Any() >= limit
	for i := range z {
		switch {
		case sure && z[i] >= foreignGate[i]:
			out[i] = max(z[i], j.Limits.Any, j.Limits.Gate[i])
		default:
			out[i] = min(z[i], j.Limits.Gate[i]*belowGate)
		}
	}
	if sure {
		j.meant(u, z)
	}
	return out
}

// belowGate keeps a score under the limit that it is a share of.
const belowGate = 0.95

// says reports whether a unit speaks of the speaker, or wishes something for always,
// and whether its words promise something lasting.
func (j *Judgement) says(u unit) (personal, telling bool) {
	for i := range j.Talk.Sentences {
		if s := &j.Talk.Sentences[i]; u.holds(i, s) {
			personal, telling = personal || s.Personal, telling || s.Telling
		}
	}
	return personal, telling
}

// holds reports whether a unit is made of a sentence of its talk.
func (u unit) holds(i int, s *conversation.Sentence) bool {
	return i == u.sentence || u.sentence < 0 && s.Turn == u.turn && s.Kind == conversation.Stated
}

// meant notes what the sentences of a unit were told by.
func (j *Judgement) meant(u unit, z Scores) {
	_, top := z.Best()
	for i := range j.Talk.Sentences {
		if u.holds(i, &j.Talk.Sentences[i]) {
			j.Sentences[i].Meant = max(j.Sentences[i].Meant, top)
		}
	}
}

// ByMeaning returns the language of a turn that is told by meaning alone, "" where
// rules read it or its words are plain.
func (j *Judgement) ByMeaning(turn int) string {
	if j.plainIn(turn) {
		return ""
	}
	return foreignIn(j.Talk, unit{turn: turn, sentence: -1})
}
