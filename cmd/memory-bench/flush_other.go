//go:build !linux

package main

import "os"

// flush is fsync: there is no fdatasync on every platform.
func flush(f *os.File) error { return f.Sync() }
