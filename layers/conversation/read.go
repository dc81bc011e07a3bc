package conversation

import (
	"cmp"
	"strings"

	"mcp-memory/internal/text"
)

// Options are what Read is told beside the turns.
type Options struct {
	// Users are names of the configured user: a turn under one of them is his,
	// one under another name is another person's.
	Users []string
	// Before are turns that went before and were read already: what the first turns
	// may answer.
	Before []Turn
	// Rights reports whether words put right others that were said before them; for ""
	// whether they are worded so. "Scratch that, it's Tuesday" takes nothing back then.
	// nil: nothing does.
	Rights func(words, before string) bool
	// Amended returns words as their speaker put them right while he said them ("on
	// Tuesday, sorry, Wednesday"), and whether he did. nil: nobody does.
	Amended func(words string) (string, bool)
}

// Read says of every sentence of a conversation what it is for and whose it is.
// Spans lie inside their turns and do not overlap; any bytes are taken.
func Read(turns []Turn, o Options) *Talk {
	r := reader{rights: o.Rights, amended: o.Amended, talk: &Talk{Turns: turns}, users: map[string]bool{"": true, "user": true, "me": true, "用户": true, "我": true}}
	for _, name := range o.Users {
		r.users[text.Fold(name)] = true
	}
	if len(o.Before) > 0 {
		r.talk.Before = Read(o.Before, Options{Users: o.Users})
	}
	r.talk.Language = language(turns)
	for i := range turns {
		r.turn(i)
	}
	return r.talk
}

// reader carries what earlier turns say about later ones.
type reader struct {
	talk     *Talk
	rights   func(words, before string) bool
	amended  func(words string) (string, bool)
	users    map[string]bool // folded names of the user
	playing  bool            // a game of roles is on
	drafting bool            // a text is being invented; what follows may be about it
}

// turn reads the i-th turn.
func (r *reader) turn(i int) {
	t := &r.talk.Turns[i]
	from := len(r.talk.Sentences)
	spoken, labelled := r.tongue(t.Content).code, ""
	for _, p := range r.pieces(t) {
		labelled = r.label(t, &p, labelled)
		r.talk.Sentences = append(r.talk.Sentences, Sentence{
			Turn: i, Start: p.start, End: p.end, Text: t.Content[p.start:p.end], Kind: p.kind, Why: p.why, Speaker: cmp.Or(labelled, r.speaker(t)),
		})
		s := &r.talk.Sentences[len(r.talk.Sentences)-1]
		if (s.Kind == Transient || s.Kind == Social) && t.Role == User && r.putsRight(i, s.Text) { // "Typo, Lyon"
			s.Kind, s.Why = Stated, ""
		}
		if t.Role == User && s.Kind == Stated {
			tongue := tongueIn(s.Text, spoken)
			s.Language, s.Personal, s.Telling = tongue.code, tongue.personal(s.Text), tongue.has("telling", s.Text)
			s.Matter, s.Open = tongue.matterOf(s.Text), tongue.has("unsettled", s.Text)
		}
	}
	if t.Role == User {
		r.answers(i, from)
		r.amends(from)
		r.unsaid(i)
		r.jested(i)
	}
}

// amends gives the sentences of a turn that put themselves right the words that they
// should have had. from is the first of them.
func (r *reader) amends(from int) {
	if r.amended == nil {
		return
	}
	for k := from; k < len(r.talk.Sentences); k++ {
		s := &r.talk.Sentences[k]
		if s.Kind != Stated {
			continue
		}
		if words, ok := r.amended(s.Words()); ok {
			s.Said = words
		}
	}
}

// tongue is the language that a text of the talk is read in.
func (r *reader) tongue(s string) tongue { return tongueIn(s, r.talk.Language) }

// speaker names who speaks: "user", another person by his name, or the role.
func (r *reader) speaker(t *Turn) string {
	switch {
	case t.Role != User:
		return t.Role
	case r.users[text.Fold(t.Name)]:
		return User
	}
	return strings.TrimSpace(t.Name)
}

// pieces cuts a turn and judges its parts.
func (r *reader) pieces(t *Turn) []piece {
	var out []piece
	var whole *turnReading
	for _, b := range blocks(t.Content) {
		switch {
		case b.kind != Stated:
			out = appendPiece(out, t.Content, piece(b))
		case t.Role != User:
			out = append(out, claimed(t, b)...)
		default:
			if whole == nil {
				whole = r.begin(t.Content)
			}
			out = append(out, whole.block(b)...)
		}
	}
	return out
}

// claimed are the sentences of what no user said.
func claimed(t *Turn, b block) []piece {
	var out []piece
	for _, s := range text.Sentences(t.Content[b.start:b.end]) {
		out = appendPiece(out, t.Content, piece{b.start + s.Start, b.start + s.End, Claimed, "said by the " + t.Role})
	}
	return out
}

// unsaid applies a request to forget what was just said to the turn before of the
// same speaker.
func (r *reader) unsaid(i int) {
	t := r.talk.Turns[i]
	if !r.tongue(t.Content).begins("unsay", t.Content) {
		return
	}
	if first := Sentences(t.Content); len(first) > 0 && r.putsRight(i, t.Content[first[0].Start:first[0].End]) {
		return
	}
	if j := r.before(i); j >= 0 {
		r.hide(j)
	}
	r.hide(i)
}

// jested takes what a speaker stated for a joke where a later turn of his owns to one:
// all of the turn just before, or what he names ("just kidding about the tiger").
func (r *reader) jested(i int) {
	content := r.talk.Turns[i].Content
	jest, ok := JestOf(content)
	if len(jest.About) > 0 {
		r.jestedOf(i, &jest)
		return
	}
	j := r.before(i)
	if j < 0 || !ok && !r.tongue(content).begins("kidding", content) {
		return
	}
	for k := range r.talk.Sentences {
		if s := &r.talk.Sentences[k]; s.Turn == j && s.Kind == Stated {
			s.Kind, s.Why = Fiction, whyJoke
		}
	}
}

// jestedOf is jested for the last turn that holds what a joke was about.
func (r *reader) jestedOf(i int, jest *Jest) {
	turn := -1
	for k := len(r.talk.Sentences) - 1; k >= 0; k-- {
		s := &r.talk.Sentences[k]
		if s.Turn >= i || s.Kind != Stated || r.talk.Turns[s.Turn].Role != User || r.talk.Turns[s.Turn].Name != r.talk.Turns[i].Name || turn >= 0 && s.Turn != turn {
			continue
		}
		if jest.Of(text.Fold(plainSigns.Replace(s.Text))) {
			s.Kind, s.Why, turn = Fiction, whyJoke, s.Turn
		}
	}
}

// before returns the turn in which the speaker of the i-th spoke before it; -1: none.
func (r *reader) before(i int) int {
	for j := i - 1; j >= 0; j-- {
		if t := &r.talk.Turns[j]; t.Role == User && t.Name == r.talk.Turns[i].Name {
			return j
		}
	}
	return -1
}

// putsRight reports whether words of a turn put right what its speaker said in the
// turn before.
func (r *reader) putsRight(i int, words string) bool {
	if r.rights == nil {
		return false
	}
	talk, before := r.lastOf(i)
	if talk == nil {
		return r.rights(words, "")
	}
	for _, s := range talk.Sentences {
		if s.Turn == before && s.Kind == Stated && r.rights(words, s.Text) {
			return true
		}
	}
	return false
}

// lastOf returns the talk in which the speaker of the i-th turn spoke before it, and
// the index of that turn there; nil where that is not known.
func (r *reader) lastOf(i int) (*Talk, int) {
	for talk, at := r.talk, i-1; talk != nil; talk, at = talk.Before, lastTurn(talk.Before) {
		for ; at >= 0; at-- {
			if t := &talk.Turns[at]; t.Role == User && t.Name == r.talk.Turns[i].Name {
				return talk, at
			}
		}
	}
	return nil, -1
}

func lastTurn(t *Talk) int {
	if t == nil {
		return -1
	}
	return len(t.Turns) - 1
}

// hide makes what a turn states confidential.
func (r *reader) hide(turn int) {
	for k, s := range r.talk.Sentences {
		if s.Turn == turn && s.Kind == Stated {
			r.talk.Sentences[k].Kind, r.talk.Sentences[k].Why = Confidential, whySecret
		}
	}
}

// language is that of most of what the users say; where that cannot be told, of
// its script.
func language(turns []Turn) string {
	var b strings.Builder
	for _, t := range turns {
		if t.Role == User {
			b.WriteString(t.Content)
			b.WriteByte('\n')
		}
	}
	if code := text.Language(b.String()); code != "" {
		return code
	}
	return script(b.String())
}

// last returns the talk in which the turn before the i-th stands, and its index
// there; -1 where there is none.
func (r *reader) last(i int) (*Talk, int) {
	if i > 0 {
		return r.talk, i - 1
	}
	return r.talk.Before, lastTurn(r.talk.Before)
}
