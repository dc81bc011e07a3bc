//go:build !linux

package bunt

import "os"

// datasync makes a file's content and size durable; on macOS that is
// F_FULLFSYNC.
func datasync(file *os.File) error { return file.Sync() }
