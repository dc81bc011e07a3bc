//go:build linux || darwin || freebsd

package bunt

import "golang.org/x/sys/unix"

// freeBytes returns how much a user may still write to the disk that path is on.
func freeBytes(path string) (int64, bool) {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
