package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxDepth is how deep arguments may nest: the deepest schema has 4 levels, and
// what is left is for detail. Beyond it nobody reads what is stored.
const maxDepth = 32

var errTooDeep = errors.New("nested too deeply")

// parseJSON decodes one JSON value, keeping numbers as they are written.
// Broken says that it holds text that is no Unicode (bad UTF-8, or half a
// surrogate pair as an escape), which the decoder has replaced by U+FFFD.
// Errors: errTooDeep, or a syntax error.
func parseJSON(raw []byte) (v any, broken bool, err error) {
	depth, broken := survey(raw)
	if depth > maxDepth {
		return nil, false, errTooDeep
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, false, fmt.Errorf("decode: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, false, errors.New("decode: more than one value")
	}
	return v, broken, nil
}

// survey looks over JSON text without decoding it: how deep it nests, and
// whether its strings are Unicode.
func survey(raw []byte) (depth int, broken bool) {
	broken = !utf8.Valid(raw)
	level, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			n, ok := escape(raw[i:])
			broken = broken || !ok
			i += n - 1
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			level++
			depth = max(depth, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return depth, broken
}

// escape measures the escape sequence that raw starts with, a surrogate pair as
// a whole; ok is false for half a pair.
func escape(raw []byte) (n int, ok bool) {
	unit, isUnit := utf16Unit(raw)
	switch {
	case !isUnit:
		return 2, true
	case unit < 0xD800 || unit > 0xDFFF:
		return 6, true
	case unit > 0xDBFF:
		return 6, false
	}
	if low, isUnit := utf16Unit(raw[6:]); isUnit && low >= 0xDC00 && low <= 0xDFFF {
		return 12, true
	}
	return 6, false
}

// utf16Unit reads \uXXXX.
func utf16Unit(raw []byte) (unit int, ok bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	for _, c := range raw[2:6] {
		d := hexDigit(c)
		if d < 0 {
			return 0, false
		}
		unit = unit<<4 | d
	}
	return unit, true
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
