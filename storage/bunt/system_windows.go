package bunt

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// isOwn is false: Windows has no mode bits to repair.
func isOwn(fs.FileInfo) bool { return false }

// isFull reports whether err is a full disk.
func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

// syncDirectory does nothing: NTFS journals its directories and offers no
// flush of one.
func syncDirectory(*os.File) error { return nil }

// isUnlinked is false: Windows does not let an open file be deleted.
func isUnlinked(fs.FileInfo) bool { return false }
