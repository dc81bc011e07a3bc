package extract

import (
	"slices"
	"strings"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/structure"
)

// echoes makes records of the sentences of a turn that say of one more person what
// the sentence before them said: "My brother works at Acme." "So do I." By itself such
// a sentence is a courtesy, or looks like a question.
func (e *extraction) echoes(turn int) {
	from, to := e.Talk.Range(turn)
	for i := from; i < to; i++ {
		if canEcho(&e.Talk.Sentences[i]) {
			e.echo(turn, i)
		}
	}
}

func canEcho(s *conversation.Sentence) bool {
	switch s.Kind {
	case conversation.Stated, conversation.Social, conversation.Transient:
		return true
	case conversation.Asked:
		return !strings.ContainsAny(s.Text, "?？")
	}
	return false
}

func (e *extraction) echo(turn, i int) {
	before := e.echoed(i)
	if before == nil {
		return
	}
	p := e.passage(turn, []int{i})
	part, ok := structure.Echo(e.input(i, p), *before)
	if !ok {
		return
	}
	p.text, p.statement, p.score = part.Text, &part.Statement, part.Confidence
	e.state(turn, i, e.layerOf(&part.Statement, e.Sentences[i-1].Scores), p)
	e.apart[i] = true
}

// echoed is the sentence that an echo takes up: the one just before it, also where
// another person said it and nothing else. nil: nobody's, or more than one.
func (e *extraction) echoed(i int) *structure.Input {
	if i == 0 {
		return nil
	}
	s, before := &e.Talk.Sentences[i], &e.Talk.Sentences[i-1]
	switch {
	case before.Kind != conversation.Stated || e.Talk.Turns[before.Turn].Role != conversation.User || before.Turn < s.Turn-1:
		return nil
	case before.Turn != s.Turn && i > 1 && e.Talk.Sentences[i-2].Turn == before.Turn:
		return nil
	}
	in := e.input(i-1, e.passage(before.Turn, []int{i - 1}))
	return &in
}

// repeats reports whether a passage says what was said before of somebody else: it is
// worth as much.
func (e *extraction) repeats(sentence int, p *passage) bool {
	said := func(c structure.Claim) bool { return c.Value != "" && strings.Contains(p.text, c.Value) }
	if !slices.ContainsFunc(e.claims, said) {
		return false
	}
	st, ok := structure.Parse(e.input(sentence, p))
	return ok && slices.ContainsFunc(e.claims, func(c structure.Claim) bool {
		return c.Entity != st.Entity && c.Attribute == st.Attribute && c.Value == st.Value
	})
}

// claimsOf are what the users of an earlier talk said of somebody.
func claimsOf(t *conversation.Talk, names []string) (out []structure.Claim) {
	if t == nil {
		return nil
	}
	for i := range t.Sentences {
		s := &t.Sentences[i]
		if s.Kind != conversation.Stated || t.Turns[s.Turn].Role != conversation.User {
			continue
		}
		in := structure.InputOf(t, i, names)
		in.Others = out
		st, ok := structure.Parse(in)
		if ok {
			out = st.Claims(out)
		}
	}
	return out
}
