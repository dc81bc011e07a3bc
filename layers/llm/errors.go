package llm

import "errors"

// Kinds of errors of a call.
var (
	// ErrUnavailable: the model was not reached, or did not answer in time.
	ErrUnavailable = errors.New("model unavailable")
	// ErrRejected: the server took the request for wrong (key, model, address), or
	// what came back is no answer. The same call fails again.
	ErrRejected = errors.New("request rejected")
	// ErrTooLarge: the prompt is more than the model takes.
	ErrTooLarge = errors.New("prompt too large")
	// ErrRefused: the model declined to answer.
	ErrRefused = errors.New("model declined")
	// ErrInvalid: the answer is not what was asked for, twice.
	ErrInvalid = errors.New("answer not usable")
	// ErrBudget: the job's calls, tokens or time are used up.
	ErrBudget = errors.New("budget used up")
)
