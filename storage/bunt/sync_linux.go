package bunt

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync makes a file's content and size durable. It repeats what a signal
// interrupts.
func datasync(file *os.File) error {
	for {
		if err := unix.Fdatasync(int(file.Fd())); err != unix.EINTR {
			return err
		}
	}
}
