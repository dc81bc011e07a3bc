package llm

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode"

	"mcp-memory/internal/lazy"
)

// AsString takes a string, a number or a boolean for a text, without white space around
// it; control characters are spaces. ok is false for null and the rest.
func AsString(v any) (s string, ok bool) {
	switch v := v.(type) {
	case string:
		return cleanText(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// terminal matches what sets colours and places on a terminal.
var terminal = lazy.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// cleanText puts a space where a character does not show, so that the words beside it stay
// two; lines' breaks and tabs stay.
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = terminal.ReplaceAllLiteralString(s, "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s))
}

// KindOf names what a JSON value is: a string, a number, a boolean, a list, an object or
// null.
func KindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "list"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// AsNumber takes a number, or a text that is one ("4", "0.8", "80%"). One that is
// beyond all that floats hold is infinite.
func AsNumber(v any) (x float64, ok bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case json.Number:
		x, err := v.Float64()
		return x, err == nil || errors.Is(err, strconv.ErrRange)
	case string:
		text, percent := strings.CutSuffix(strings.TrimSpace(v), "%")
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return 0, false
		}
		if percent {
			x /= 100
		}
		return x, true
	}
	return 0, false
}

// AsBool takes a boolean, 0 or 1, or a word for one.
func AsBool(v any) (b, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case float64:
		return v == 1, v == 0 || v == 1
	case json.Number:
		x, err := v.Float64()
		return x == 1, err == nil && (x == 0 || x == 1)
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true", "yes", "1", "是":
			return true, true
		case "false", "no", "0", "否":
			return false, true
		}
	}
	return false, false
}

// AsStrings takes a list, or one text for a list of one. What is no text is left out.
func AsStrings(v any) []string {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var out []string
	for _, e := range list {
		if s, ok := AsString(e); ok && s != "" {
			out = append(out, s)
		}
	}
	return out
}
