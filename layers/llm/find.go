package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
)

// thoughtTags are the marks between which models think aloud.
var thoughtTags = []struct{ open, close string }{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"<reasoning>", "</reasoning>"},
	{"[THINK]", "[/THINK]"},
}

// stripThoughts takes out what a model thought before its answer. Thoughts that
// are not closed are the whole answer; a close without an open (the template of the
// model opened it) ends thoughts that began with the text. Where an object comes
// first, a mark after it is part of the answer.
func stripThoughts(s string) string {
	for range len(thoughtTags) * 2 { // a model that thinks twice, in two ways
		rest, found := stripOne(s)
		if !found {
			break
		}
		s = rest
	}
	return strings.TrimSpace(s)
}

func stripOne(s string) (rest string, found bool) {
	head := s
	if i := strings.IndexByte(s, '{'); i >= 0 {
		head = s[:i]
	}
	begun := strings.Trim(head, " \t\r\n[") == "" && len(head) < len(s) // with an object, or a list of some
	for _, tag := range thoughtTags {
		start := strings.Index(head, tag.open)
		if start >= 0 {
			_, after, closed := strings.Cut(s[start+len(tag.open):], tag.close)
			if !closed {
				return s[:start], true
			}
			return s[:start] + after, true
		}
		if !begun {
			if _, after, closed := strings.Cut(s, tag.close); closed {
				return after, true
			}
		}
	}
	return s, false
}

// Errors of values.
var (
	errNoObject  = errors.New("it holds no JSON object")
	errCutObject = errors.New("its JSON object is cut off")
	errMalformed = errors.New("its JSON is not well-formed")
)

// maxStarts bounds how many brackets are tried as the begin of a value: prose around an
// answer holds few.
const maxStarts = 64

// values returns the JSON objects in a model's text, and the lists of objects, thoughts
// apart, with prose and fences around them, in order. What stands within one that is cut
// off or not well-formed is not looked into: it is not the answer. The error says what is
// wrong with the first that is none; it does not matter where others are found.
func values(s string) (found []json.RawMessage, wrong error) {
	s = unquoted(stripThoughts(s))
	wrong = errNoObject
	for range maxStarts {
		start := strings.IndexAny(s, "{[")
		if start < 0 {
			break
		}
		s = s[start:]
		value, n, err := valueAt(s)
		switch {
		case err == nil:
			found = append(found, value)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return found, errCutObject
		case errors.Is(err, errMalformed):
			wrong = errMalformed
		}
		s = s[n:]
	}
	return found, wrong
}

// unquoted is the text of an answer that is a JSON string as a whole.
func unquoted(s string) string {
	var inner string
	if strings.HasPrefix(s, `"`) && json.Unmarshal([]byte(s), &inner) == nil {
		return inner
	}
	return s
}

// valueAt reads the object or the list of objects that a text begins with. n is how much
// of the text is done with; the error is errNoObject where the bracket is one of prose.
func valueAt(s string) (value json.RawMessage, n int, err error) {
	inside := strings.TrimLeft(s[1:], " \t\r\n")
	if s[0] == '[' && inside != "" && inside[0] != '{' && inside[0] != '[' && inside[0] != ']' {
		return nil, 1, errNoObject
	}
	d := json.NewDecoder(strings.NewReader(s))
	if err = d.Decode(&value); err == nil {
		n = int(d.InputOffset())
	} else if !errors.Is(err, io.ErrUnexpectedEOF) {
		value, n, err = strict(s)
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, len(s), err
	case err == nil && (s[0] == '{' || listOfObjects(value)):
		return bytes.TrimSpace(value), n, nil
	case err == nil:
		return nil, n, errNoObject
	case inside != "" && strings.IndexByte("\"'{}", inside[0]) < 0: // {this}, [1]
		return nil, 1, errNoObject
	}
	return nil, matching(s), errMalformed
}

func listOfObjects(list json.RawMessage) bool {
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return false
	}
	return !slices.ContainsFunc(items, func(item json.RawMessage) bool { return item[0] != '{' })
}

// matching is where the bracket that a text begins with is closed, brackets in strings
// apart; the text's length where it is not.
func matching(s string) int {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// Members decodes the members of an object that have the given names, and no others:
// models write more than they are asked for. Case does not count, but for one that
// is written exactly.
func Members[T any](object []byte, names []string) (map[string]T, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(object, &all); err != nil {
		return nil, err
	}
	found := map[string]T{}
	for _, name := range names {
		raw, ok := member(all, name)
		if !ok {
			continue
		}
		var value T
		if err := json.Unmarshal(raw, &value); err != nil {
			return nil, within(name, err)
		}
		found[name] = value
	}
	return found, nil
}

// Twice is the first name that an object gives two values, other ones; "" where it gives
// each one, or is no object. Which is meant cannot be told.
func Twice(object []byte) string {
	d := json.NewDecoder(bytes.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return ""
	}
	seen := map[string]string{}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return ""
		}
		key, _ := name.(string)
		if before, given := seen[key]; given && before != string(value) {
			return key
		}
		seen[key] = string(value)
	}
	return ""
}

// member is the member of a name; of several that differ in case the first.
func member(all map[string]json.RawMessage, name string) (json.RawMessage, bool) {
	if raw, ok := all[name]; ok {
		return raw, true
	}
	for _, other := range slices.Sorted(maps.Keys(all)) {
		if strings.EqualFold(other, name) {
			return all[other], true
		}
	}
	return nil, false
}

// within says of an error of decoding in which member it is.
func within(name string, err error) error {
	var form *json.UnmarshalTypeError
	if errors.As(err, &form) {
		form.Field = strings.TrimSuffix(name+"."+form.Field, ".")
	}
	return err
}

// Fields decodes an object with its numbers as they are written: a number too large
// for a float spoils no other field.
func Fields(object []byte) (map[string]any, error) {
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		return nil, err
	}
	return fields, nil
}
