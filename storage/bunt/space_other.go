//go:build !linux && !darwin && !freebsd && !windows

package bunt

// freeBytes is not known here.
func freeBytes(string) (int64, bool) { return 0, false }

// diskID is not known here.
func diskID(string) string { return "" }
