package main

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// cpuOf is how long a process has kept processors busy since it began, all its
// threads together: by its CPU-time clock, whose id is made as
// clock_getcpuclockid(3) makes it.
func cpuOf(pid int) (time.Duration, error) {
	const ofProcess = 2 // CPUCLOCK_SCHED: in nanoseconds, by the scheduler
	var at unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|ofProcess, &at); err != nil {
		return 0, fmt.Errorf("read the server's CPU time: %w", err)
	}
	return time.Duration(at.Nano()), nil
}
