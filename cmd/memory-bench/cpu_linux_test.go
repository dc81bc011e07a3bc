package main

import (
	"os"
	"testing"
)

// TestCPUOf_CountsWhatAProcessDoes by this one, which works until it is seen.
func TestCPUOf_CountsWhatAProcessDoes(t *testing.T) {
	before, err := cpuOf(os.Getpid())
	if err != nil || before <= 0 {
		t.Fatalf("cpuOf = %v, %v", before, err)
	}
	for {
		now, err := cpuOf(os.Getpid())
		if err != nil || now < before {
			t.Fatalf("cpuOf = %v after %v, %v", now, before, err)
		}
		if now > before {
			break
		}
	}
	own, err := cpuTime() // by another clock, and later
	if after, cpuErr := cpuOf(os.Getpid()); err != nil || cpuErr != nil || after < own-own/10 {
		t.Errorf("cpuOf = %v, getrusage says %v before that; %v, %v", after, own, cpuErr, err)
	}
}

func TestCPUOf_NobodysIsAnError(t *testing.T) {
	if took, err := cpuOf(1 << 22); err == nil { // the kernel's most, and one more
		t.Errorf("cpuOf = %v, want an error", took)
	}
}
