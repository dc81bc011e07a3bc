// Package conversation reads what was said: turns, who speaks, what of it is the
// speaker's own word about the world and what is a question, a quotation, code,
// play or courtesy. It is stateless: values in, values out.
//
//	content ── blocks ──> prose, code, quotations, recalled memories
//	prose ── sentences ── quotations and clauses cut out ──> Sentence{Kind, Why}
//	                                   │
//	          what went before: a game of roles, a text being drafted, a question
//
// What the sentences of a language look like stands in words/<language>.txt. The
// rules are for English, Chinese and Japanese; of German, French, Spanish, Italian,
// Portuguese, Russian and Korean there are words for what is no statement, of any
// other language the marks count that all share (question marks, quotes, code). The
// package promises
// no grammar: it decides by what stands on the surface, and where a sentence may
// be either it is rather not Stated.
package conversation

import (
	"sort"
	"time"
)

// Roles of a turn.
const (
	User      = "user"
	Assistant = "assistant"
	System    = "system"
	Tool      = "tool"
)

// Turn is one message.
type Turn struct {
	ID      string // the source's; empty where it has none
	Role    string // user, assistant, system or tool
	Name    string // of the speaker, where given
	Content string
	Time    time.Time // when it was said, in the zone it was given in; zero: unknown
	Assumed bool      // Time was not given: it is when the turn was received
}

// Kind says what a sentence is for.
type Kind uint8

// The kinds of a sentence. Only what is Stated can be remembered.
const (
	Stated       Kind = iota // the speaker's own word about himself, others or the world
	Asked                    // a question, or a request without anything about the speaker
	Social                   // greetings, thanks, courtesies, fillers
	Quoted                   // another's words, pasted or reported
	Code                     // code, logs, tables, paths
	Fiction                  // role-play, examples, hypotheticals, irony, drafts
	Recalled                 // memories that come back in a transcript
	Claimed                  // said by assistant, system or tool
	Transient                // passing states and failures
	Confidential             // asked not to be remembered
)

var kindNames = [...]string{
	"stated", "asked", "social", "quoted", "code", "fiction", "recalled", "claimed", "transient", "confidential",
}

// String returns the kind's name in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Sentence is a stretch of a turn: a sentence, or a part of one where its parts
// are of different kinds.
type Sentence struct {
	Turn       int // index of the turn
	Start, End int // bytes of its content
	Text       string
	Kind       Kind
	Why        string // why it is not Stated: a short reason for people; empty where it is
	Speaker    string // "user", or the name of who speaks
	Prompted   string // the question it answers, where it is the answer to one
	// Said is what it says, where that takes other words than its Text: "I live in
	// Porto" for the answer "Porto", or for what the assistant guessed and the user
	// agreed to. Empty: Text says it.
	Said string
	// Language is that whose tables a user's Stated sentence was read with: en, zh, ja,
	// de …, or one that has none. Personal says that it speaks in the first person, or
	// wishes something for always; of a language where that shows in no word it is true.
	// Telling says that its words promise something lasting (Event).
	Language          string
	Personal, Telling bool
	// Matter is what a Stated sentence settles of a work that people do together.
	Matter Matter
	// Open says that it is a thought, a proposal or of the moment, and so settles
	// nothing.
	Open bool
}

// Words returns what the sentence says by itself.
func (s *Sentence) Words() string {
	if s.Said != "" {
		return s.Said
	}
	return s.Text
}

// Talk is a conversation that was read.
type Talk struct {
	Turns     []Turn
	Sentences []Sentence
	Language  string // most of what the user says: en, zh, ja …
	Before    *Talk  // what went before and was read already; nil: nothing
}

// Of returns the sentences of a turn, in order.
func (t *Talk) Of(turn int) []Sentence {
	from, to := t.Range(turn)
	return t.Sentences[from:to]
}

// Range returns where the sentences of a turn begin and end.
func (t *Talk) Range(turn int) (from, to int) {
	from = sort.Search(len(t.Sentences), func(i int) bool { return t.Sentences[i].Turn >= turn })
	to = from
	for to < len(t.Sentences) && t.Sentences[to].Turn == turn {
		to++
	}
	return from, to
}
