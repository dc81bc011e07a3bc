package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// flush is fdatasync, which the store uses too where there is one.
func flush(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
