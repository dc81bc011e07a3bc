// Package extract turns what was said into memories, layer by layer, by rules or
// by a model, and routes each by what it is worth.
package extract

import (
	"encoding/json"
	"time"

	"mcp-memory/layers/structure"
	"mcp-memory/storage"
)

// Memory is one thing worth keeping, as an extractor found it. It is not yet
// checked against what is known.
type Memory struct {
	Layer      storage.Layer
	Entity     string // "user", or whom it is about
	Attribute  string // with Value: its slot; empty: none
	Value      string
	Category   string
	Text       string // stands alone: no "he", no "tomorrow"
	Reason     string
	Importance int     // 1 to 5; the router goes by it
	Confidence float64 // 0 to 1
	ValidFrom  time.Time
	ValidTo    time.Time
	Tags       []string
	Detail     json.RawMessage // by layer: the fields that its prompt names; nil: none
	Object     string
	Polarity   string
	Closes     []string
	Displaces  []structure.Former // statements that it ends by name

	Turns    []int  // indexes of the turns it comes from, the one that says it last
	Speaker  string // who says it
	Quote    string // the words it rests on
	Trust    storage.Trust
	Language string
	Notes    []string // what of a model's answer was left out, and why
}

// Drop is something that was not kept, and why.
type Drop struct {
	Text   string
	Reason string
	Turns  []int // that it comes from, where that is known
}
