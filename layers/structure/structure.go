// Package structure turns a bare sentence into a statement: what it is about,
// what it says of it, and when. It knows English, Chinese and Japanese, by rules.
//
//	"Actually I prefer tea now"  ──>  user · preferred drink · tea, closes drink
//
//	text ── sentences ── screen ── clauses ── rules ── value ── times ──> Statement
//	                       │                               │
//	                 questions, jokes,               "it", "a clause
//	                 hearsay, fiction …               with a verb" …
//	                       └──────────── abstain ──────────┘
//
// What depends on a language stands in two files of it: words/en.txt holds lists
// of words (cues, fillers, what blocks, what values are not), rules/en.txt the
// patterns. The head of rules/en.txt explains how they are written.
//
// It abstains rather than guess: a statement that is not found is a nuisance,
// a wrong one displaces a memory that was right. It promises no completeness
// and no grammar.
//
// The package is pure: it reads no clock and keeps no state.
package structure

import (
	"time"

	"mcp-memory/storage"
)

// Statement is what a text says. A zero field was not said.
type Statement struct {
	// Entity is "user", "project" for what "we" build, or a name as written.
	Entity string
	// Attribute is a canonical name of package slot, "" for what has no slot
	// (an event, a lesson).
	Attribute string
	// Value and Object are stretches of the text without articles and endings,
	// or fixed words of the rule file. Object is set only where it differs from
	// the value: 喝普洱 is a value of its own kind, the object of the liking is 普洱.
	Value, Object string

	Layer    storage.Layer
	Category string // fact, preference, goal, plan, event, skill or relationship
	Polarity string // "-" for dislikes; else ""
	Reason   string // what follows "because"

	// Confidence is how sure the rules are, 0 to 1.
	Confidence float64

	// ValidFrom and ValidTo bound what holds, StartsAt and EndsAt an event.
	// They are the beginnings of what was said: "last year" is 1 January; but what
	// held in a year, or ended "at the end of" it, holds to its end.
	ValidFrom, ValidTo, StartsAt, EndsAt time.Time

	// Closes are kinds of package slot that this ends for the same entity:
	// "I prefer tea now" ends what is current of kind drink.
	Closes []string
	// Displaces are statements about the same entity that this ends by name:
	// "I no longer like sushi. Now I like ramen" ends the liking of sushi.
	Displaces []Former

	// Of is what Value takes the place of, where nothing but what is known already tells
	// what both are: "We switched from Zorblat to Quux". See [Changed].
	Of string
	// OfKind is what both are, where that was said: "We moved our queue from …".
	OfKind string

	Ended  bool   // it is over; where ValidTo is zero, when it was said at the latest
	None   bool   // Value is "none": there is none of them any more
	Status string // of an event: planned or completed

	Rule string // the rule that fired, for explain and tests
}

// Former is a statement that another one ends.
type Former struct {
	Attribute, Value string
	// Loose means, where none has that value, the only one that holds and ends with it:
	// who quits "the choir" leaves the church choir. No value at all means the only one
	// of the attribute.
	Loose bool
}

// Statuses of events.
const (
	Planned   = "planned"
	Completed = "completed"
)
