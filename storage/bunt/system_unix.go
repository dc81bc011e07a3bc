//go:build unix

package bunt

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether a file belongs to the user that runs the process.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// isFull reports whether err is a full disk or quota.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func syncDirectory(dir *os.File) error { return dir.Sync() }

// isUnlinked reports whether an open file has no name any more, by what its Stat says.
func isUnlinked(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 0
}
