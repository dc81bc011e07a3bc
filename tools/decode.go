package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// decodeArguments decodes a tool's arguments by its schema. Clients differ in
// what they send, so it takes "5", "true" and "[\"a\"]" where a number, a
// boolean and an array are asked, one string for an array of strings, a JSON
// text for an object, and null, or "" where only some values are valid, for an
// argument that was not given. Everything else that the schema does not allow
// is refused by name: nothing is cut, clamped or ignored.
//
// Errors are for the caller to read.
func decodeArguments(s *schema, name string, raw []byte) (arguments, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return arguments{}, nil
	}
	v, broken, err := parseJSON(raw)
	if err != nil {
		return nil, unparsed("the arguments of "+name, err)
	}
	d := decoder{name: name, broken: broken}
	out, err := d.value(s, v, "")
	if err != nil {
		return nil, err
	}
	if d.broken {
		return nil, bad("the arguments of "+name+" hold text that is not Unicode", "all text is valid UTF-8, without half surrogate pairs")
	}
	if out == nil {
		return arguments{}, nil
	}
	return out.(arguments), nil
}

func unparsed(what string, err error) error {
	if errors.Is(err, errTooDeep) {
		return bad(what+" are nested too deeply", fmt.Sprintf("at most %d levels of objects and arrays are taken", maxDepth))
	}
	return bad(what+" are not valid JSON", "they are one JSON object")
}

// decoder decodes one call.
type decoder struct {
	name   string // of the tool
	broken bool   // the text holds no Unicode somewhere
}

// value decodes v, which stands at path ("" is the arguments themselves). It
// returns nil for what counts as not given, else string, int, float64, bool,
// []string, []arguments, arguments, or json.RawMessage for an open object.
func (d *decoder) value(s *schema, v any, path string) (any, error) {
	if v == nil || v == "" && (s.Type != "string" || len(s.Enum) > 0) {
		return nil, nil
	}
	switch s.Type {
	case "integer":
		return d.whole(s, v, path)
	case "number":
		return d.number(s, v, path)
	case "boolean":
		return d.flag(s, v, path)
	case "array":
		return d.array(s, v, path)
	case "object":
		return d.object(s, v, path)
	}
	return d.text(s, v, path)
}

// wrong refuses v at path.
func (d *decoder) wrong(s *schema, v any, path string) error {
	return bad(path+" is "+given(v), path+" is "+s.describe())
}

// given shows a value in a message.
func given(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return strconv.Quote(cut(v, 60))
	case json.Number:
		return "the number " + cut(v.String(), 30)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "something else"
}

func (d *decoder) text(s *schema, v any, path string) (any, error) {
	text, ok := v.(string)
	if strings.HasSuffix(path, "].content") {
		switch v.(type) {
		case []any, map[string]any:
			return d.parts(v, path)
		}
	}
	if !ok {
		return nil, d.wrong(s, v, path)
	}
	if err := d.readable(text, path); err != nil {
		return nil, err
	}
	if len(s.Enum) == 0 {
		return text, nil
	}
	for _, e := range s.Enum {
		if text == e {
			return text, nil
		}
	}
	return nil, d.wrong(s, v, path)
}

// parts takes a message's content in the shape of chat APIs, a list of parts or an
// object with one, as it is.
func (d *decoder) parts(parts any, path string) (any, error) {
	if err := d.walk(parts, path); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(parts)
	if err != nil {
		return nil, bad(path+" is no list of parts", path+" is text or a list of parts")
	}
	return json.RawMessage(raw), nil
}

// readable refuses text that a store or a terminal could choke on.
func (d *decoder) readable(text, path string) error {
	if strings.IndexByte(text, 0) >= 0 {
		return bad(path+" holds a NUL character", path+" is text without it")
	}
	if d.broken && strings.ContainsRune(text, utf8.RuneError) {
		return bad(path+" holds text that is not Unicode", path+" is valid UTF-8, without half surrogate pairs")
	}
	return nil
}

func (d *decoder) whole(s *schema, v any, path string) (any, error) {
	n, ok := toFloat(v)
	if !ok || n != math.Trunc(n) || math.Abs(n) > 1<<53 || !s.holds(n) {
		return nil, d.wrong(s, v, path)
	}
	return int(n), nil
}

func (d *decoder) number(s *schema, v any, path string) (any, error) {
	n, ok := toFloat(v)
	if !ok || !s.holds(n) {
		return nil, d.wrong(s, v, path)
	}
	return n, nil
}

// toFloat reads a number, or a string that is one. NaN and the infinities,
// which ParseFloat takes as words, are no numbers here.
func toFloat(v any) (float64, bool) {
	var word string
	switch v := v.(type) {
	case json.Number:
		word = v.String()
	case string:
		word = strings.TrimSpace(v)
	default:
		return 0, false
	}
	n, err := strconv.ParseFloat(word, 64)
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}

func (s *schema) holds(n float64) bool {
	return (s.Minimum == nil || n >= *s.Minimum) && (s.Maximum == nil || n <= *s.Maximum)
}

func (d *decoder) flag(s *schema, v any, path string) (any, error) {
	if word, ok := v.(string); ok {
		switch strings.ToLower(strings.TrimSpace(word)) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
	}
	if b, ok := v.(bool); ok {
		return b, nil
	}
	return nil, d.wrong(s, v, path)
}
