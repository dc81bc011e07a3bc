package layers

import "fmt"

// InvalidError says what is wrong with a call and what would be right. Its
// text is complete: it is shown to the caller as it stands.
type InvalidError struct {
	Field   string // the argument, e.g. "memories[1].valid_to"
	Problem string
}

// Error returns "field: problem".
func (e *InvalidError) Error() string {
	if e.Field == "" {
		return e.Problem
	}
	return e.Field + ": " + e.Problem
}

// invalid builds an InvalidError.
func invalid(field, format string, args ...any) error {
	return &InvalidError{Field: field, Problem: fmt.Sprintf(format, args...)}
}
