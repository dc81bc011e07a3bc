package extract

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers/conversation"
	"mcp-memory/layers/structure"
	"mcp-memory/storage"
)

// passage is what a memory is made of: some sentences of one turn.
type passage struct {
	talk      *conversation.Talk
	sentences []int // indexes into the talk's, ascending
	text      string
	at        time.Time // when it was said; zero: unknown
	speaker   string
	score     float64
	told      bool
	along     bool                 // goes along with its talk
	settled   bool                 // rests on what it settles of a common work
	meant     float64              // told by meaning alone, with this probability; 0: by rules
	plain     bool                 // said plainly in a language without rules
	statement *structure.Statement // nil: the structurer is not sure
}

// passage gathers sentences of a turn.
func (e *extraction) passage(turn int, sentences []int) *passage {
	p := &passage{talk: e.Talk, sentences: sentences, at: e.Talk.Turns[turn].Time}
	var parts []string
	for _, i := range sentences {
		s := &e.Talk.Sentences[i]
		parts = append(parts, collapse(s.Words()))
		p.speaker = s.Speaker
		p.told = p.told || e.Sentences[i].Told
		p.settled = p.settled || e.Sentences[i].Settled
		p.meant = max(p.meant, e.Sentences[i].Meant)
		p.plain = p.plain || e.Sentences[i].Plain
		_, top := e.Sentences[i].Scores.Best()
		p.score = max(p.score, top)
	}
	p.text = joined(parts)
	return p
}

func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

// memory is what all layers have in common.
func (p *passage) memory(layer storage.Layer, names []string) Memory {
	m := Memory{
		Layer: layer, Text: p.text, Quote: p.quote(), Turns: p.turns(), Speaker: p.speaker, Language: languageOf(p),
		Reason: reasonIn(p.text), Importance: Kept, Confidence: p.score, Trust: storage.UserStated,
	}
	switch {
	case p.told:
		m.Importance = Asked
	case p.along || p.statement == nil && (p.score < sureScore || p.settled || p.meant > 0 && p.meant < sureScore):
		m.Importance = Passed
	}
	if p.meant > 0 && p.statement == nil {
		m.Confidence = p.meant
		if m.Reason == "" {
			m.Reason = fmt.Sprintf("kept as it was said: told by its meaning alone, for %s is not read by rules", m.Language)
		}
	}
	if p.plain && p.statement == nil && m.Reason == "" {
		m.Reason = fmt.Sprintf("kept as it was said: its words are plain, but %s is not read by rules", m.Language)
	}
	if p.statement != nil {
		p.slot(&m)
	} else {
		m.Entity = aboutWhom(p.own(), p.speaker, layer)
	}
	if !isUser(m.Entity, names) || p.speaker != conversation.User {
		m.Trust = storage.ThirdParty
	}
	if p.speaker != conversation.User {
		m.Text = p.speaker + ": " + m.Text
	}
	return m
}

// Importances that the rules give.
const (
	Passed = 3 // what is over, or not quite sure: kept as an episode
	Kept   = 4
	Asked  = 5 // the speaker asked to keep it
)

// sureScore is the probability of its layer from which on a record of words as
// said is kept for long.
const sureScore = 0.8

// own is the passage's first sentence as the speaker said it, without the
// question that it answers and the request to remember it.
func (p *passage) own() string {
	return collapse(conversation.WithoutRequest(p.talk.Sentences[p.sentences[0]].Text))
}

// slot takes over what the structurer read.
func (p *passage) slot(m *Memory) {
	st := p.statement
	m.Entity, m.Attribute, m.Value, m.Object = st.Entity, st.Attribute, st.Value, st.Object
	m.Category, m.Polarity, m.Closes, m.Displaces, m.Confidence = st.Category, st.Polarity, st.Closes, st.Displaces, st.Confidence
	m.ValidFrom, m.ValidTo = st.ValidFrom, st.ValidTo
	if st.Reason != "" {
		m.Reason = st.Reason
	}
	if st.None {
		m.Value = "none"
	}
	if st.Ended && m.ValidTo.IsZero() {
		m.ValidTo = p.at
	}
}

// isUser reports whether an entity is the user.
func isUser(entity string, names []string) bool {
	folded := text.Fold(entity)
	return folded == conversation.User || slices.ContainsFunc(names, func(n string) bool { return text.Fold(n) == folded })
}

// quote is the stretch of the turn that the passage rests on, from its first to
// its last sentence.
func (p *passage) quote() string {
	first, last := p.talk.Sentences[p.sentences[0]], p.talk.Sentences[p.sentences[len(p.sentences)-1]]
	return p.talk.Turns[first.Turn].Content[first.Start:last.End]
}

// turns are the passage's own turn and, before it, that of the question it
// answers.
func (p *passage) turns() []int {
	s := p.talk.Sentences[p.sentences[0]]
	if s.Prompted != "" && s.Turn > 0 {
		return []int{s.Turn - 1, s.Turn}
	}
	return []int{s.Turn}
}

func languageOf(p *passage) string {
	if code := text.Language(p.text); code != "" {
		return code
	}
	return p.talk.Language
}
