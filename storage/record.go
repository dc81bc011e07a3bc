package storage

import (
	"encoding/json"
	"time"
)

// Layer is the kind of a memory: what it is about.
type Layer string

// The layers. Fact holds what fits none of the five.
const (
	Activity   Layer = "activity"
	Context    Layer = "context"
	Experience Layer = "experience"
	Identity   Layer = "identity"
	Preference Layer = "preference"
	Fact       Layer = "fact"
)

// Layers lists every layer in the order used by schemas and messages.
var Layers = []Layer{Activity, Context, Experience, Identity, Preference, Fact}

// Tier is where a memory lives.
type Tier string

// The tiers that the store keeps.
const (
	Working  Tier = "working"
	Episodic Tier = "episodic"
	Semantic Tier = "semantic"
)

// Trust says on whose word a record rests.
type Trust string

// The levels of trust, from the strongest to the weakest.
const (
	UserStated Trust = "user_stated" // the user about himself, and explicit remember
	ThirdParty Trust = "third_party" // the user about others
	Imported   Trust = "imported"
	Inferred   Trust = "inferred" // a model without a quote
	Assistant  Trust = "assistant"
)

// Rank orders trust: the higher wins. An unknown trust ranks 0.
func (t Trust) Rank() int {
	switch t {
	case UserStated:
		return 5
	case ThirdParty:
		return 4
	case Imported:
		return 3
	case Inferred:
		return 2
	case Assistant:
		return 1
	}
	return 0
}

// Source says where a record comes from.
type Source struct {
	ID         string   `json:"id,omitempty"`
	Session    string   `json:"session,omitempty"`
	MessageIDs []string `json:"message_ids,omitempty"`
	Role       string   `json:"role,omitempty"`
	Speaker    string   `json:"speaker,omitempty"`
	Quote      string   `json:"quote,omitempty"`
}

// Record is one remembered statement. Once stored it never changes: what
// happens to it later (a reinforcement, a forget, an undo) is a further
// operation, and [Entry] is the sum of them.
//
// All times are UTC with microsecond precision; the zero time means absent.
type Record struct {
	ID      string `json:"id"` // ULID
	User    string `json:"user"`
	Project string `json:"project,omitempty"` // empty: personal

	Layer     Layer  `json:"layer"`
	Tier      Tier   `json:"tier"`
	Entity    string `json:"entity,omitempty"`
	Attribute string `json:"attribute,omitempty"`
	Value     string `json:"value,omitempty"`
	Category  string `json:"category,omitempty"`

	Text       string  `json:"text"`
	Reason     string  `json:"reason,omitempty"`
	Importance int     `json:"importance"` // 1 to 5
	Confidence float64 `json:"confidence"` // 0 to 1

	ObservedAt time.Time `json:"observed_at"`          // when it was said
	ValidFrom  time.Time `json:"valid_from,omitzero"`  // from when it is true in the world
	ValidTo    time.Time `json:"valid_to,omitzero"`    // until when
	RecordedAt time.Time `json:"recorded_at,omitzero"` // when it was learned; strictly increasing in a store

	Source   Source          `json:"source,omitzero"`
	Trust    Trust           `json:"trust"`
	Tags     []string        `json:"tags,omitempty"`
	Detail   json.RawMessage `json:"detail,omitempty"` // a JSON object, by layer
	Language string          `json:"language,omitempty"`

	Object   string   `json:"object,omitempty"`   // given only where it differs from the value
	Polarity string   `json:"polarity,omitempty"` // "-": the opposite of the attribute; empty: "+"
	Closes   []string `json:"closes,omitempty"`   // ids or kinds that this statement ends
	Beside   bool     `json:"beside,omitempty"`   // kept beside what was current when it came
}
