package main

import (
	"fmt"
	"syscall"
	"time"
)

// cpuTime is how long this process has kept processors busy, in user and kernel
// mode (GetProcessTimes).
func cpuTime() (time.Duration, error) {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, fmt.Errorf("read this process's CPU time: %w", err)
	}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &exited, &kernel, &user); err != nil {
		return 0, fmt.Errorf("read this process's CPU time: %w", err)
	}
	return ticks(kernel) + ticks(user), nil
}

// ticks converts a length of time in units of 100 ns. (Filetime.Nanoseconds
// would take it for a date.)
func ticks(t syscall.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
