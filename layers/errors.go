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

// UnfinishedError says that an erase is decided, so that nothing recalls the
// records any more, but that their bytes are still in files.
type UnfinishedError struct {
	Receipt string
	Err     error
}

// Error tells what is done, and what is not.
func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("erase: the records are forgotten from now on, but their bytes are still in files; the same call, the next erase or start finishes that (receipt %s): %v", e.Receipt, e.Err)
}

// Unwrap returns what failed.
func (e *UnfinishedError) Unwrap() error { return e.Err }
