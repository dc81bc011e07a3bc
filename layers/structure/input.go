package structure

import (
	"time"

	"mcp-memory/layers/conversation"
)

// Input is a text and what is known beside it.
type Input struct {
	Text string
	// ObservedAt is when it was said, in the location whose days count: the
	// offset as it was given, else the set time zone. Relative times are
	// resolved against it.
	ObservedAt time.Time
	// UserNames are names of the user: a statement about one of them is about
	// the user.
	UserNames []string
	// Speaker is who says it if that is not the user: then "I" is he.
	Speaker string
	// Others is what was said before it, also in the text itself: who works at Acme
	// "too" may do so beside another job, or beside one of these.
	Others []Claim
	// Before is what was said just before the text: who is spoken of where the text
	// leaves it out, as Japanese does.
	Before string

	changes bool // rules are heard that only tell what takes the place of something

	asked *asked // what of Others and Before the reading depends on; nil: nobody asks
}

// others are the claims of Others.
func (in *Input) others() []Claim {
	if in.asked != nil {
		in.asked.others = true
	}
	return in.Others
}

// before is Before.
func (in *Input) before() string {
	if in.asked != nil {
		in.asked.before = true
	}
	return in.Before
}

// from returns the input of a sentence of the text that begins at a place.
func (in *Input) from(start int) *Input {
	if start == 0 {
		return in
	}
	out := *in
	out.Before += in.Text[:start]
	return &out
}

// Claim is what was said of somebody.
type Claim struct{ Entity, Attribute, Value string }

// InputOf is the input that the i-th sentence of a talk is: what it says by itself,
// without the request to remember it.
func InputOf(talk *conversation.Talk, i int, userNames []string) Input {
	s := &talk.Sentences[i]
	in := Input{Text: conversation.WithoutRequest(s.Words()), ObservedAt: talk.Turns[s.Turn].Time, UserNames: userNames, Before: talk.Lead(s)}
	if s.Speaker != conversation.User {
		in.Speaker = s.Speaker
	}
	return in
}
