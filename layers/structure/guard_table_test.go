package structure

import (
	"strings"
	"testing"

	"mcp-memory/layers/slot"
)

func TestGuards_NameKnownAttributes(t *testing.T) {
	for _, l := range []*language{english(), chinese(), japanese()} {
		code, guards := l.code, l.guards()
		if len(guards) < 10 {
			t.Errorf("%s: %d guards", code, len(guards))
		}
		for _, g := range guards {
			for _, name := range g.attributes {
				if strings.HasSuffix(name, "*") || name == slotless {
					continue
				}
				if got := slot.Canonical(name).Name; got != name {
					t.Errorf("%s: attribute %q of %s is called %q", code, name, g.match, got)
				}
			}
		}
	}
}

func TestParseGuards_RefusesWhatItDoesNotKnow(t *testing.T) {
	for name, test := range map[string]struct{ table, want string }{
		"columns":    {"text | *", "line 1: has 2 columns, want 4"},
		"a place":    {"# head\nmoon | * | a | ", `line 2: unknown place "moon"`},
		"a pattern":  {"text | * | ( | ", "missing closing )"},
		"an unless":  {"text | * | a | (", "missing closing )"},
		"an unended": {"text | * | [a | ", "missing closing ]"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parseGuards(test.table); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestBareVerb(t *testing.T) {
	for word, want := range map[string]string{
		"lives": "live", "uses": "use", "goes": "go", "watches": "watch", "studies": "study", "lies": "lie",
		"misses": "miss", "fixes": "fix", "plays": "play", "closes": "close", "class": "", "is": "", "live": "",
	} {
		if got, _ := bareVerb(word); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
