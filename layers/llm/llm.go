// Package llm asks models for structured answers and makes the best of what comes
// back.
//
//	Request ── Caller ──> text ── thoughts and fences off ── first object ── check ──> value
//	   ^                                                                       │
//	   └───────────────── once more, with what was wrong ──────────────────────┘
//
// A model's answer is input like any other: it is decoded leniently, checked by who
// asked, and refused rather than guessed at. A refusal, as a field or as prose, is
// an error and never data.
//
// [Models] says who is asked for what, and asks nobody where no address was given.
// A [Budget] bounds what one job may cost. Every call leaves a [Call] for the
// trace, which holds counts and times and nothing of what was said.
package llm

import (
	"context"
	"encoding/json"
)

// Caller sends one prompt to a model and returns its text. The endpoint is one,
// sampling by the client another. It is safe for concurrent use.
type Caller interface {
	// Call returns the model's answer. Errors wrap ErrUnavailable, ErrRejected,
	// ErrTooLarge or the context's. A model that declines is an answer
	// with Refused, not an error.
	Call(ctx context.Context, r Request) (Response, error)
	// Model names what answers, for the trace.
	Model() string
}

// Request is one call.
type Request struct {
	Role      Role   // what it is for
	System    string // instructions
	Prompt    string // what they are about; data
	Version   string // of the prompt, such as "gate/1"
	Schema    json.RawMessage
	Name      string // of the schema
	List      string // the member that is the answer, a list of objects; it may come in other forms (objects). "": there is none
	Item      string // the member that tells such an object
	MaxTokens int    // of the answer; 0: as many as the server lets
	Trace     string // parent trace: the job's
}

// Response is what came back.
type Response struct {
	Text      string
	Truncated bool // the model ran into its output limit
	Refused   bool // the model declined
	Input     int  // tokens; 0: not counted
	Output    int
	Model     string // as the server names it
}
