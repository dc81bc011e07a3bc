//go:build unix

package main

import (
	"fmt"
	"syscall"
	"time"
)

// cpuTime is how long this process has kept processors busy, in user and system
// mode (getrusage(2)).
func cpuTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("read this process's CPU time: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
