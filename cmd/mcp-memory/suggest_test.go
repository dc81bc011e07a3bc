package main

import (
	"testing"

	"mcp-memory/tools"
)

func TestClosest_FindsTyposAndNothingElse(t *testing.T) {
	names := []string{"user", "user_name", "timezone", "dir"}
	for typed, want := range map[string]string{
		"usr": "user", "username": "user_name", "TIMEZONE": "timezone", "drr": "dir", "banana": "", "": "", "log_level": "",
	} {
		if got := closest(typed, names); got != want {
			t.Errorf("closest to %q = %q, want %q", typed, got, want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 2}} {
		if got := tools.EditDistance(test.a, test.b); got != test.want {
			t.Errorf("distance of %q and %q = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
