package extract

import (
	"slices"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/structure"
	"mcp-memory/storage"
)

// former is a statement that was read earlier in the conversation, which its
// speaker may put right.
type former struct {
	turn, sentence int
	input          structure.Input // its words, as a sentence that stands alone
	layer          storage.Layer
	memory         int // its place among the layer's memories; -1: the layer is not wanted
}

// state makes a record of a statement, and remembers it for what may come.
func (e *extraction) state(turn, i int, layer storage.Layer, p *passage) {
	at := -1
	if e.wants(layer) {
		n := len(e.out[layer])
		if e.put(layer, p); len(e.out[layer]) > n {
			at = n
		}
	}
	e.formers = append(e.formers, former{turn, i, e.input(i, p), layer, at})
	e.claims = p.statement.Claims(e.claims)
}

// input is what the structurer is given of a passage that a sentence makes.
func (e *extraction) input(sentence int, p *passage) structure.Input {
	in := structure.InputOf(e.Talk, sentence, e.options.UserNames)
	in.Text, in.Others = conversation.WithoutRequest(p.text), e.claims
	return in
}

// parts makes a record of each statement of a sentence that makes several, in
// words that stand alone, and reports whether it does. No further record is made
// of such a sentence.
func (e *extraction) parts(turn, i int, parts []structure.Part) (storage.Layer, bool) {
	scores := e.Sentences[i].Scores
	var first storage.Layer
	for k := range parts {
		part := &parts[k]
		p := e.passage(turn, []int{i})
		p.text, p.statement = part.Text, &part.Statement
		layer, _ := scores.Best()
		if e.opens(scores, part.Layer) {
			layer = part.Layer
		}
		p.score = max(scores.Of(layer), part.Confidence)
		if k == 0 {
			first = layer
		}
		e.state(turn, i, layer, p)
	}
	e.apart[i] = true
	return first, len(parts) > 0
}

// putRight takes back what a sentence puts right and makes the record of what it
// should have said: "I live in Paris." "Sorry, I meant Lyon, not Paris." It reports
// the layer.
func (e *extraction) putRight(turn, i int) (storage.Layer, bool) {
	s := &e.Talk.Sentences[i]
	c, ok := structure.CorrectionOf(s.Text)
	if !ok || s.Said != "" && (s.Prompted == "" || c.OfLast()) { // "Do you like it?" "No, not Paris. Lyon."
		return "", false
	}
	n, part := e.corrects(turn, i, &c)
	if part == nil {
		return "", false
	}
	was := &e.formers[n]
	p := e.passage(turn, []int{i})
	p.text, p.statement = part.Text, &part.Statement
	p.score = part.Confidence
	if was.memory >= 0 {
		old := &e.out[was.layer][was.memory]
		m := p.memory(was.layer, e.options.UserNames)
		extractors[was.layer](p, &m)
		p.dated(&m)
		m.Turns = slices.Compact([]int{was.turn, turn})
		m.Importance = max(m.Importance, old.Importance)
		e.dropped = append(e.dropped, Drop{Text: clip(old.Text), Reason: putRightReason, Turns: old.Turns})
		*old = m
	}
	e.unsay(was.turn, was.sentence)
	was.input, was.turn, was.sentence = e.input(i, p), turn, i
	e.apart[i] = true
	return was.layer, true
}

// unsay drops the records of a sentence's words as said, once they were put right.
func (e *extraction) unsay(turn, sentence int) {
	s := &e.Talk.Sentences[sentence]
	quote := e.Talk.Turns[turn].Content[s.Start:s.End]
	for layer, all := range e.out {
		for n := len(all) - 1; n >= 0; n-- {
			if m := &all[n]; m.Attribute != "" || m.Quote != quote || !slices.Contains(m.Turns, turn) {
				continue
			}
			e.dropped = append(e.dropped, Drop{Text: clip(all[n].Text), Reason: putRightReason, Turns: all[n].Turns})
			all = slices.Delete(all, n, n+1)
			for k := range e.formers {
				if f := &e.formers[k]; f.layer == layer && f.memory > n {
					f.memory--
				}
			}
		}
		e.out[layer] = all
	}
}

// putRightReason is why what was said wrong is not kept.
const putRightReason = "put right by what was said after it"

// corrects returns the statement that a correction is of and what that should
// have said, nil if there is none or two can be meant. One that names what was
// wrong may reach back; else only what its speaker said last counts.
func (e *extraction) corrects(turn, i int, c *structure.Correction) (at int, part *structure.Part) {
	last := e.lastOf(i)
	for n := len(e.formers) - 1; n >= 0; n-- {
		was := &e.formers[n]
		if e.Talk.Sentences[was.sentence].Speaker != e.Talk.Sentences[i].Speaker || c.OfLast() && was.sentence != last {
			continue
		}
		if c.Unasked() && e.asked(was.turn, turn) {
			return 0, nil
		}
		now, ok := c.Apply(was.input)
		switch {
		case !ok:
		case part != nil:
			return 0, nil
		default:
			at, part = n, &now
			if c.Old != "" {
				return at, part
			}
		}
	}
	return at, part
}

// lastOf returns the sentence that the speaker of one said before it, -1 for none.
func (e *extraction) lastOf(i int) int {
	for n := i - 1; n >= 0; n-- {
		if e.Talk.Sentences[n].Speaker == e.Talk.Sentences[i].Speaker {
			return n
		}
	}
	return -1
}

// asked reports whether somebody asked something between two turns, so that "it"
// may be what was asked about.
func (e *extraction) asked(from, to int) bool {
	for _, t := range e.Talk.Turns[from+1 : max(to, from+1)] {
		if conversation.Asks(t.Role, t.Content) {
			return true
		}
	}
	return false
}

// leaning looks for what leans on an earlier sentence in a turn that is worth nothing
// by itself.
func (e *extraction) leaning(turn int) {
	e.echoes(turn)
	for _, i := range e.stated(turn) {
		e.putRight(turn, i)
	}
}
