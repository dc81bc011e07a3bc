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
	for _, tag := range thoughtTags {
		start := strings.Index(head, tag.open)
		if start >= 0 {
			_, after, closed := strings.Cut(s[start+len(tag.open):], tag.close)
			if !closed {
				return s[:start], true
			}
			return s[:start] + after, true
		}
		if !strings.HasPrefix(strings.TrimSpace(s), "{") {
			if _, after, closed := strings.Cut(s, tag.close); closed {
				return after, true
			}
		}
	}
	return s, false
}

// Errors of findObject.
var (
	errNoObject  = errors.New("it holds no JSON object")
	errCutObject = errors.New("its JSON object is cut off")
	errMalformed = errors.New("its JSON is not well-formed")
)

// maxStarts bounds how many braces are tried as the begin of an object: prose
// around an answer holds few.
const maxStarts = 64

// findObject returns the first JSON object in a model's text, thoughts apart, with
// prose and fences around it. An object that is cut off is not looked into: what
// stands within is not the answer.
func findObject(s string) (json.RawMessage, error) {
	s = stripThoughts(s)
	wrong := errNoObject
	for range maxStarts {
		start := strings.IndexByte(s, '{')
		if start < 0 {
			return nil, wrong
		}
		s = s[start:]
		object, err := decodeObject(s)
		if err == nil {
			return object, nil
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errCutObject
		}
		if len(s) > 1 && strings.ContainsAny(s[1:2], "\"\n\r\t ") {
			wrong = errMalformed
		}
		s = s[1:]
	}
	return nil, wrong
}

// findList returns the object that a bare list of objects for an answer stands for:
// local models leave {"memories": …} out around what they were asked for. ok is
// false where an object comes before or after the list, or an item is that object.
func findList(s, name string) (object json.RawMessage, ok bool) {
	s = stripThoughts(s)
	start := strings.IndexAny(s, "[{")
	if name == "" || start < 0 || s[start] != '[' {
		return nil, false
	}
	var list []map[string]json.RawMessage
	d := json.NewDecoder(strings.NewReader(s[start:]))
	if d.Decode(&list) != nil || strings.Contains(s[start:][d.InputOffset():], "{") {
		return nil, false
	}
	for _, item := range list {
		if _, whole := member(item, name); whole || item == nil {
			return nil, false
		}
	}
	object, err := json.Marshal(map[string]json.RawMessage{name: bytes.TrimSpace([]byte(s[start:][:d.InputOffset()]))})
	return object, err == nil
}

func decodeObject(s string) (json.RawMessage, error) {
	var object json.RawMessage
	err := json.NewDecoder(strings.NewReader(s)).Decode(&object)
	return bytes.TrimSpace(object), err
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
