package builtin

import (
	_ "embed" // for the directive below
	"unsafe"
)

// embedded is the model file inside the binary. As a string it lies in the
// binary's read-only pages: the system loads those that are touched, and drops
// them again when memory is short; nothing is copied to the heap.
//
//go:embed e5-small.model
var embedded string

// embeddedBytes is embedded as bytes, without a copy. They must never be
// written.
func embeddedBytes() []byte {
	return unsafe.Slice(unsafe.StringData(embedded), len(embedded))
}
