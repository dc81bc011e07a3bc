package main

import (
	"testing"

	"mcp-memory/internal/lazy"
)

// A pattern of a package is compiled where it is first used: one that is broken must fail
// here, where all of the program are linked, and not at the first sentence that needs it.
func TestPatterns_AllCompile(t *testing.T) {
	count := 0
	for re := range lazy.All() {
		count++
		compiles(t, re)
	}
	if count == 0 {
		t.Fatal("the program declares no pattern")
	}
}

func compiles(t *testing.T, re *lazy.Regexp) {
	t.Helper()
	defer func() {
		if broken := recover(); broken != nil {
			t.Error(broken)
		}
	}()
	_ = re.String()
}
