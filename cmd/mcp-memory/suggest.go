package main

import (
	"fmt"
	"strings"
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
		if d := editDistance(strings.ToLower(name), strings.ToLower(candidate)); d <= best && (found == "" || d < best) {
			best, found = d, candidate
		}
	}
	return found
}

// editDistance is the Levenshtein distance in bytes (Levenshtein 1966), by the
// two-row form of Wagner and Fischer 1974.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
