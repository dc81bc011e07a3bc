//go:build linux || darwin || freebsd

package bunt

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// freeBytes returns how much a user may still write to the disk that path is on.
func freeBytes(path string) (int64, bool) {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}

// diskID names the file system that path is on; "" where it has no name.
func diskID(path string) string {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil || s.Fsid == (unix.Fsid{}) {
		return ""
	}
	return fmt.Sprintf("%08x%08x", uint32(s.Fsid.Val[0]), uint32(s.Fsid.Val[1]))
}
