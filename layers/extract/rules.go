package extract

import (
	"maps"
	"slices"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/structure"
	"mcp-memory/layers/worth"
	"mcp-memory/storage"
)

// RuleOptions are what the rules are told beside the conversation.
type RuleOptions struct {
	UserNames []string
	// Gate and Any override from which probabilities on a layer counts in a turn and
	// a record is made of one; zero stands for the judgement's own (worth.Limits).
	Gate worth.Scores
	Any  float64
	// Layers restricts what is extracted; nil is all five.
	Layers []storage.Layer
	// Beside are layers that are extracted by another call: what would be theirs is
	// not put into those of this one.
	Beside []storage.Layer
	// Righted are sentences that put right what was kept of an earlier conversation,
	// with what that was: their own words say what it should have been.
	Righted map[int]structure.Former
}

// Rules extracts without a model: a sentence that the structurer is sure of gives
// a record with a slot; a turn that surely holds something, or that was asked to be
// kept, gives for each of its layers a record of the words as they were said.
// A turn that only goes along with its talk gives one record, of the likeliest
// layer. Drops are what was left out although its turn was passed on.
//
//	sentences of a turn ── structure ──> statement ──┐
//	                    └─ scores ≥ limits ─> passage ─┴─> the layer's extractor ──> Memory
func Rules(j *worth.Judgement, o RuleOptions) (map[storage.Layer][]Memory, []Drop) {
	e := extraction{Judgement: j, options: o.orDefault(j.Limits), out: map[storage.Layer][]Memory{}, apart: map[int]bool{}}
	e.claims = claimsOf(j.Talk.Before, o.UserNames)
	for turn := range j.Turns {
		if j.Turns[turn].Score < worth.Little {
			e.leaning(turn)
			continue
		}
		e.turn(turn)
	}
	return e.out, e.dropped
}

func (o RuleOptions) orDefault(l worth.Limits) RuleOptions {
	for i := range o.Gate {
		if o.Gate[i] == 0 {
			o.Gate[i] = l.Gate[i]
		}
	}
	if o.Any == 0 {
		o.Any = l.Any
	}
	return o
}

// extractors make a memory of a passage, one for each layer.
var extractors = map[storage.Layer]func(*passage, *Memory){
	storage.Activity:   activity,
	storage.Context:    situation,
	storage.Experience: experience,
	storage.Identity:   identity,
	storage.Preference: preference,
}

type extraction struct {
	*worth.Judgement
	options RuleOptions
	out     map[storage.Layer][]Memory
	dropped []Drop
	formers []former          // what the structurer read so far
	claims  []structure.Claim // of them, and of the turns that went before
	apart   map[int]bool      // sentences that are told by the records of their statements
}

// turn extracts from one turn. One that the classifier is not sure of gives what
// the structurer reads alone.
func (e *extraction) turn(turn int) {
	stated := e.stated(turn)
	slotted := map[int]storage.Layer{}
	e.echoes(turn)
	for _, i := range stated {
		if layer, ok := e.statement(turn, i); ok {
			slotted[i] = layer
		}
	}
	sure := e.Turns[turn].Scores.Any() >= e.options.Any
	kept := false
	for k, layer := range worth.Layers {
		if e.extracted(layer) {
			kept = kept || slices.Contains(slices.Collect(maps.Values(slotted)), layer)
			kept = e.passages(turn, stated, layer, e.options.Gate[k], sure, slotted) || kept
		}
	}
	if !kept && e.GoesAlong(turn) {
		e.goesAlong(turn, stated)
	}
}

// goesAlong makes a record of a turn's words for the likeliest layer of those that
// are extracted, here or beside.
func (e *extraction) goesAlong(turn int, stated []int) {
	best, top := storage.Layer(""), -1.0
	for k, layer := range worth.Layers {
		if p := e.Turns[turn].Scores[k]; p > top && e.extracted(layer) {
			best, top = layer, p
		}
	}
	if !e.wants(best) {
		return
	}
	all := make([]int, len(stated))
	for n := range stated {
		all[n] = n
	}
	var sentences []int
	for _, n := range e.fitting(stated, all, best) {
		sentences = append(sentences, stated[n])
	}
	p := e.passage(turn, sentences)
	p.score, p.along = top, true
	e.put(best, p)
}

// stated are the sentences of a turn that can be remembered.
func (e *extraction) stated(turn int) []int {
	var out []int
	from, to := e.Talk.Range(turn)
	for i := from; i < to; i++ {
		if e.Talk.Sentences[i].Kind == conversation.Stated {
			out = append(out, i)
		}
	}
	return out
}

func (e *extraction) wants(layer storage.Layer) bool {
	return e.options.Layers == nil || slices.Contains(e.options.Layers, layer)
}

// extracted reports whether a layer is extracted, by this call or beside it.
func (e *extraction) extracted(layer storage.Layer) bool {
	return e.wants(layer) || slices.Contains(e.options.Beside, layer)
}

// statement makes a record with a slot of a sentence that the structurer is sure
// of. It reports the record's layer.
func (e *extraction) statement(turn, i int) (storage.Layer, bool) {
	if layer, ok := e.putRight(turn, i); ok {
		return layer, true
	}
	scores := e.Sentences[i].Scores
	p := e.passage(turn, []int{i})
	if scores.Any() < worth.IdleScore && !e.Sentences[i].Told && !e.repeats(i, p) {
		return "", false
	}
	if layer, ok := e.budget(turn, i); ok {
		return layer, true
	}
	read := e.Reader.Read(e.input(i, p))
	if len(read.Parts) > 0 {
		return e.parts(turn, i, read.Parts)
	}
	st := read.Statement
	if !read.OK || st.Attribute == "" {
		day := e.day(i, p)
		if day == nil {
			return "", false
		}
		st = *day
	}
	p.statement = &st
	layer := e.layerOf(&st, scores)
	p.score = max(scores.Of(layer), st.Confidence)
	e.state(turn, i, layer, p)
	return layer, true
}

// layerOf is the layer of a statement: the structurer's, or, where it knows none
// of the five, what the sentence is likest. What one does not eat it counts as
// identity; where the classifier sees a preference alone it is one.
func (e *extraction) layerOf(st *structure.Statement, scores worth.Scores) storage.Layer {
	best, _ := scores.Best()
	switch {
	case st.Layer == storage.Fact || st.Layer == "" || st.Layer == storage.Identity && best == storage.Preference && !e.opens(scores, storage.Identity):
		return best
	case worth.LayerOf(st) != st.Layer && e.extracted(worth.LayerOf(st)):
		return worth.LayerOf(st)
	case !e.extracted(st.Layer) && e.extracted(best) && e.opens(scores, best): // the gate opened for the words, not for the slot
		return best
	}
	return st.Layer
}

// opens reports whether a score reaches its layer's limit.
func (e *extraction) opens(s worth.Scores, layer storage.Layer) bool {
	k := slices.Index(worth.Layers[:], layer)
	return k >= 0 && s[k] >= e.options.Gate[k]
}

// passages makes the record of a layer of the turn's words as they were said: of
// the sentences that reach the limit, or, where only all of them together do, of
// all. In a turn that is not sure only what was asked to be kept counts. It reports
// whether there is such a record, of a layer that is extracted beside these too.
func (e *extraction) passages(turn int, stated []int, layer storage.Layer, limit float64, sure bool, slotted map[int]storage.Layer) (kept bool) {
	var chosen, rest []int
	for n, i := range stated {
		if slotted[i] == layer || e.apart[i] {
			continue
		}
		rest = append(rest, n)
		s := &e.Sentences[i]
		likest, _ := s.Scores.Best()
		if sure && s.Scores.Of(layer) >= limit || s.Told && likest == layer && slotted[i] == "" {
			chosen = append(chosen, n)
		}
	}
	groups := e.agreed(stated, chosen)
	if len(chosen) == 0 && len(slotted) == 0 && sure && e.Turns[turn].Scores.Of(layer) >= limit {
		groups = e.likeliest(stated, e.agreed(stated, e.fitting(stated, rest, layer)), layer)
	}
	if !e.wants(layer) {
		return len(groups) > 0
	}
	for _, group := range groups {
		p := e.passage(turn, e.widened(stated, group, layer))
		p.score = e.Turns[turn].Scores.Of(layer)
		e.put(layer, p)
	}
	return len(groups) > 0
}

// fitting returns all of some sentences if they fit into one passage, else the
// likeliest of them.
func (e *extraction) fitting(stated, rest []int, layer storage.Layer) []int {
	size, top := 0, 0
	for k, n := range rest {
		size += len(e.Talk.Sentences[stated[n]].Words())
		if e.Sentences[stated[n]].Scores.Of(layer) > e.Sentences[stated[rest[top]]].Scores.Of(layer) {
			top = k
		}
	}
	if size <= maxPassage {
		return rest
	}
	return rest[top : top+1]
}

// maxPassage bounds the text of a record of words as said, in bytes: some five
// sentences.
const maxPassage = 600

// widened takes in, after each chosen sentence, those that go on with it: they are
// likest no layer of their own.
func (e *extraction) widened(stated, chosen []int, layer storage.Layer) []int {
	take := make([]bool, len(stated))
	size := 0
	for _, n := range chosen {
		take[n] = true
		size += len(e.Talk.Sentences[stated[n]].Words())
	}
	for n := range stated {
		words := len(e.Talk.Sentences[stated[n]].Words())
		goesOn := n > 0 && take[n-1] && !e.agrees(stated[n-1]) || n+1 < len(stated) && take[n+1] && !e.agrees(stated[n+1])
		if take[n] || !goesOn || e.agrees(stated[n]) || size+words > maxPassage || !e.belongs(stated[n], layer) {
			continue
		}
		take[n] = true
		size += words
	}
	var out []int
	for n, i := range stated {
		if take[n] {
			out = append(out, i)
		}
	}
	return out
}

// belongs reports whether a sentence beside one of a layer may be of it: no other
// layer claims it.
func (e *extraction) belongs(i int, layer storage.Layer) bool {
	s := &e.Sentences[i]
	for k, l := range worth.Layers {
		if l != layer && s.Scores[k] >= e.options.Gate[k] && s.Scores[k] > s.Scores.Of(layer) {
			return false
		}
	}
	return true
}

// put lets the layer's extractor make the memory, and keeps it if it stands alone.
func (e *extraction) put(layer storage.Layer, p *passage) {
	text, why := e.alone(p)
	if why != "" && e.GoesAlong(e.Talk.Sentences[p.sentences[0]].Turn) {
		p.along = true
		text, why = e.alone(p)
	}
	if why != "" {
		e.dropped = append(e.dropped, Drop{Text: clip(p.text), Reason: why, Turns: p.turns()})
		return
	}
	p.text = text
	m := p.memory(layer, e.options.UserNames)
	for _, i := range p.sentences {
		if f, ok := e.options.Righted[i]; ok && m.Attribute != "" {
			m.Displaces = append(m.Displaces, f)
		}
	}
	extractors[layer](p, &m)
	p.dated(&m)
	e.out[layer] = append(e.out[layer], m)
}
