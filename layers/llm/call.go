package llm

import (
	"context"
	"strings"
	"time"
)

// Call is what the trace keeps of one call. It holds nothing of what was said.
type Call struct {
	Role        Role          `json:"role"`
	Asked       string        `json:"asked,omitempty"`  // the model as it was asked for
	Model       string        `json:"model"`            // as the server names it, else as it was asked for
	Prompt      string        `json:"prompt,omitempty"` // version of the prompt
	ParentTrace string        `json:"parent_trace,omitempty"`
	Start       time.Time     `json:"start"`
	Took        time.Duration `json:"took"` // nanoseconds
	Input       int           `json:"input_tokens"`
	Output      int           `json:"output_tokens"`
	Estimated   bool          `json:"estimated,omitempty"` // the server did not count; the tokens are a guess
	Repair      bool          `json:"repair,omitempty"`    // a second call, about an answer that was wrong
	Error       string        `json:"error,omitempty"`
}

// kinds are the errors of calls by a word each, as traces name them.
var kinds = []struct {
	err  error
	word string
}{
	{ErrUnavailable, "unavailable"}, {ErrRejected, "rejected"}, {ErrTooLarge, "too_large"}, {ErrRefused, "refused"}, {ErrInvalid, "invalid"}, {ErrBudget, "budget"},
	{context.DeadlineExceeded, "timeout"}, {context.Canceled, "canceled"},
}

// Failure is the kind of a call's error in a word, which shows nothing else of it; ""
// where there was none.
func (c *Call) Failure() string {
	if c.Error == "" {
		return ""
	}
	for _, k := range kinds {
		if strings.Contains(c.Error, k.err.Error()) {
			return k.word
		}
	}
	return "_OTHER"
}

// wide is the first letter of the scripts that a tokenizer gives about a token
// each: Han, kana and what follows.
const wide = '\u2e80'

// CountTokens guesses how many tokens a text takes: one for each letter of the wide
// scripts, one for four others.
func CountTokens(s string) int {
	wides, others := 0, 0
	for _, r := range s {
		if r >= wide {
			wides++
		} else {
			others++
		}
	}
	return wides + (others+3)/4
}
