package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mcp-memory/internal/text"
)

// Structured asks for an object that decodes into a T and passes check, which may
// also change it. Where the answer is not one, the model is shown what was wrong
// and asked once more. calls are those that were made, whether they brought a value
// or not.
func Structured[T any](ctx context.Context, c Caller, r Request, check func(*T) error) (value T, calls []Call, err error) {
	var none T
	for attempt := range 2 {
		answer, call, err := record(ctx, c, r)
		call.Repair = attempt > 0
		if err == nil {
			value, err = readAnswer(r, answer, check)
		}
		if err != nil {
			call.Error = err.Error()
		}
		calls = append(calls, call)
		if err == nil {
			return value, calls, nil
		}
		if attempt > 0 || !errors.Is(err, ErrInvalid) {
			return none, calls, err
		}
		r = repaired(r, answer, err)
	}
	return none, calls, ErrInvalid // not reached: the second attempt returns
}

// record makes one call and its record.
func record(ctx context.Context, c Caller, r Request) (Response, Call, error) {
	call := Call{Role: r.Role, Asked: c.Model(), Model: c.Model(), Prompt: r.Version, ParentTrace: r.Trace, Start: time.Now()}
	answer, err := c.Call(ctx, r)
	call.Took = time.Since(call.Start)
	if err != nil {
		return answer, call, err
	}
	answer.Input, answer.Output, call.Estimated = counted(r, answer)
	call.Input, call.Output = answer.Input, answer.Output
	if answer.Model != "" {
		call.Model = answer.Model
	}
	return answer, call, nil
}

// counted returns an answer's tokens, guessed where the server did not count.
func counted(r Request, answer Response) (input, output int, guessed bool) {
	if answer.Input > 0 || answer.Output > 0 {
		return answer.Input, answer.Output, false
	}
	return CountTokens(r.System) + CountTokens(r.Prompt), CountTokens(answer.Text), true
}

// readAnswer makes a value of an answer. Its errors are ErrRefused, or ErrInvalid with
// what was wrong in words that show nothing of the answer.
func readAnswer[T any](r Request, answer Response, check func(*T) error) (T, error) {
	var value T
	if answer.Refused || IsRefusal(stripThoughts(answer.Text)) {
		return value, ErrRefused
	}
	objects, err := r.objects(answer.Text)
	if err != nil {
		return value, noObject(answer, err)
	}
	for _, object := range objects {
		read, wrong := readObject(object, check)
		if wrong == nil || errors.Is(wrong, ErrRefused) {
			return read, wrong
		}
		if err == nil { // what is wrong with the first: the others are what it is not
			err = wrong
		}
	}
	return value, err
}

// readObject makes a value of an object.
func readObject[T any](object json.RawMessage, check func(*T) error) (value T, err error) {
	var none T
	if err := json.Unmarshal(object, &value); err != nil {
		return none, fmt.Errorf("%w: %s", ErrInvalid, misfit(err))
	}
	if err := check(&value); err != nil {
		if declines(object) {
			return none, ErrRefused
		}
		return none, fmt.Errorf("%w: %v", ErrInvalid, err)
	}
	return value, nil
}

// noObject is the error of an answer without an object.
func noObject(answer Response, err error) error {
	if answer.Truncated {
		return fmt.Errorf("%w: %w", ErrInvalid, errTruncated)
	}
	return fmt.Errorf("%w: %v", ErrInvalid, err)
}

// errTruncated: the model ran into the limit of its output.
var errTruncated = errors.New("the answer ran into the limit of its length")

// misfit says what of an object did not decode, without its values.
func misfit(err error) string {
	var form *json.UnmarshalTypeError
	if errors.As(err, &form) {
		field := form.Field
		if field == "" {
			field = "the answer"
		}
		return fmt.Sprintf("%s cannot be a %s", field, kindName(form.Value))
	}
	return "it is not well-formed JSON"
}

// kindName is the JSON kind in an UnmarshalTypeError's words: "number 5" is a number.
func kindName(value string) string {
	for i, r := range value {
		if r == ' ' {
			return value[:i]
		}
	}
	return value
}

// maxShown bounds what a repair shows of the wrong answer, in bytes: enough to see
// its shape by.
const maxShown = 2000

// repaired is the request for a second answer.
func repaired(r Request, answer Response, wrong error) Request {
	r.Prompt = fmt.Sprintf("%s\n\n%s\n\nThat answer cannot be used: %s. Answer the request again with one JSON object of the shape that was asked for, and nothing else.",
		r.Prompt, Data("previous_answer", text.Shorten(stripThoughts(answer.Text), maxShown)), reasonOf(wrong))
	if errors.Is(wrong, errTruncated) {
		r.Prompt += " Be brief: keep only what matters most."
		r.MaxTokens *= 2
	}
	return r
}

// reasonOf is the text of an ErrInvalid without its kind.
func reasonOf(wrong error) string {
	text, kind := wrong.Error(), ErrInvalid.Error()+": "
	if len(text) > len(kind) && text[:len(kind)] == kind {
		return text[len(kind):]
	}
	return text
}
