package worth

import "testing"

func TestSpelled(t *testing.T) {
	for s, want := range map[string]string{
		"im a nurse, dont call me before ten": "i'm a nurse, don't call me before ten",
		"Ive told you Im Ann":                 "I've told you I'm Ann",
		"id rather walk; its id is 7":         "i'd rather walk; its id is 7",
		"thats where shes from, isnt it":      "that's where she's from, isn't it",
		"we were ill, the well is dry":        "we were ill, the well is dry",
		"I'm fine, don't ask":                 "I'm fine, don't ask",
		"imagine a cantata, drive":            "imagine a cantata, drive",
		"":                                    "",
	} {
		if got := spelled(s); got != want {
			t.Errorf("%q is spelled %q, want %q", s, got, want)
		}
	}
}
