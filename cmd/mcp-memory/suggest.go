package main

import (
	"fmt"
	"strings"

	"mcp-memory/tools"
)

// usageError is a mistake in how the command was called.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// unknownName refuses a name that is not one of valid, suggesting the closest.
func unknownName(what, name string, valid []string) error {
	hint := ""
	if near := closest(name, valid); near != "" {
		hint = fmt.Sprintf(": did you mean %s?", near)
	}
	return usageError{fmt.Errorf("unknown %s %s%s (valid: %s)", what, name, hint, strings.Join(valid, ", "))}
}

// maxTypos is how far a suggested name may be from what was typed.
const maxTypos = 2

// closest is the valid name with the least edit distance to name, the first of
// equals; "" where none is near.
func closest(name string, valid []string) string {
	best, found := maxTypos, ""
	for _, candidate := range valid {
		if d := tools.EditDistance(strings.ToLower(name), strings.ToLower(candidate)); d <= best && (found == "" || d < best) {
			best, found = d, candidate
		}
	}
	return found
}
