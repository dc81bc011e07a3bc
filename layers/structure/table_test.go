package structure

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-memory/internal/text"
)

func TestLoad_ReadsTheFilesOfEachLanguage(t *testing.T) {
	for _, code := range []string{"en", "zh", "ja"} {
		l, err := load(code)
		if err != nil {
			t.Fatal(err)
		}
		if len(l.rules) < 100 || len(l.subjects) < 10 {
			t.Errorf("%s: %d rules, %d subjects", code, len(l.rules), len(l.subjects))
		}
		for _, r := range l.rules {
			if r.entity != "S" && r.entity != user && r.entity != project && !hasSlot(r, r.entity) {
				t.Errorf("%s: %s: entity %q is no slot", code, r.name, r.entity)
			}
			if strings.Contains(r.attribute, "*") && !hasSlot(r, "k") {
				t.Errorf("%s: %s: attribute %q without a slot k", code, r.name, r.attribute)
			}
		}
	}
	if _, err := load("xx"); err == nil {
		t.Error("loaded an unknown language")
	}
}

func hasSlot(r *rule, name string) bool {
	for _, p := range r.slots {
		if p.name == name {
			return true
		}
	}
	return false
}

func TestParseTable_RefusesWhatItDoesNotKnow(t *testing.T) {
	for name, test := range map[string]struct{ words, rules, want string }{
		"a list without words": {"just words", "", "want name: words"},
		"a type":               {"", "x y", "want name = expression"},
		"columns":              {"", "[rules]\na | b", "has 2 columns, want 6"},
		"a layer":              {"", "[rules]\na | b | user | c | attic fact | ", `unknown layer`},
		"a flag":               {"", "[rules]\na | b | user | c | fact fact | shiny", `unknown flag "shiny"`},
		"a list":               {"", "[rules]\na | {b} | user | c | fact fact | ", "unknown list {b}"},
		"a kind of slot":       {"", "[rules]\na | <v:b> | user | c | fact fact | ", `unknown kind of slot "b"`},
		"an open bracket":      {"", "[rules]\na | (b | user | c | fact fact | ", "no closing )"},
		"a closed bracket":     {"", "[rules]\na | b) | user | c | fact fact | ", "unexpected"},
		"an open slot":         {"", "[rules]\na | <b | user | c | fact fact | ", "no end of <b"},
		"an expression":        {"", "bad = (\n[rules]\na | <v:bad> | user | c | fact fact | ", "missing closing )"},
		"a subject":            {"", "[subjects]\nit | it", `unknown subject "it"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseTable("xx", test.words, test.rules)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestCompile_Patterns(t *testing.T) {
	l, err := parseTable("xx", "setting: spaced\nbe: is, am\n", "n = [0-9]+\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"live(s) in", "live in ", true},
		{"live(s) in", "Lives in ", true},
		{"live(s) in", "lived in ", false},
		{"[a|an] b", "b ", true},
		{"[a|an] b", "an b ", true},
		{"[a|an] b", "a an b ", false},
		{"(a|b c) d", "b c d ", true},
		{"(a|b c) d", "b d ", false},
		{"{be} <v:n>", "am 42 ", true},
		{"{be} <v:n>", "am old ", false},
		{"[a] [b]", "a b ", true},
		{"(a [b]|c) d", "a d ", true},
	} {
		p, err := l.compile(test.pattern, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.match(l, test.text) != nil; got != test.want {
			t.Errorf("%s on %q: %v", test.pattern, test.text, got)
		}
	}
}

// The first word only says which patterns need not be tried.
func TestCompile_HeadsLoseNothing(t *testing.T) {
	l := english()
	for _, r := range l.rules {
		if r.heads == nil {
			continue
		}
		p := r.pattern
		p.heads = nil
		for _, head := range []string{"is", "am", "my", "the", "live", "have", "please", "no"} {
			for _, rest := range []string{" in Ghent ", " a cat named Tom ", " short ", " married "} {
				with, without := r.match(l, head+rest), p.match(l, head+rest)
				if (with == nil) != (without == nil) {
					t.Errorf("%s: %q is passed over", r.name, head+rest)
				}
			}
		}
	}
}

func TestNormalise_EveryByteComesFromTheText(t *testing.T) {
	for _, code := range []string{"en", "zh"} {
		l := languageByCode(code)
		rapid.Check(t, func(t *rapid.T) {
			from := rapid.StringOf(rapid.OneOf(
				rapid.RuneFrom([]rune("abI'’,.:—– \t我你臺灣，。？“”É１m")), rapid.Rune(),
			)).Draw(t, "text")
			at := text.Span{Start: 0, End: len(from)}
			c := l.normalise(from, at, nil)
			if len(c.text) != len(c.span) {
				t.Fatalf("%d bytes, %d spans", len(c.text), len(c.span))
			}
			last := 0
			for _, s := range c.span {
				if s.Start < last || s.End < s.Start || s.End > len(from) {
					t.Fatalf("span %v after %d in %d bytes", s, last, len(from))
				}
				last = s.Start
			}
		})
	}
}

func TestNormalise(t *testing.T) {
	for _, test := range []struct{ code, in, want string }{
		{"en", "I’m  here —don't you see, at 3:30?", "I 'm here - do n't you see , at 3:30?"},
		{"en", "My wife's name", "My wife 's name"},
		{"zh", "我用的編輯器是 Visual Studio Code ,對吧?", "我用的编辑器是Visual Studio Code，对吧？"},
	} {
		c := languageByCode(test.code).normalise(test.in, text.Span{Start: 0, End: len(test.in)}, nil)
		if c.text != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.in, c.text, test.want)
		}
	}
}

func TestNormalise_LeavesOutTheCuts(t *testing.T) {
	in := "I moved yesterday to Ghent"
	c := english().normalise(in, text.Span{Start: 0, End: len(in)}, []text.Span{{Start: 8, End: 17}})
	if c.text != "I moved to Ghent" {
		t.Errorf("got %q", c.text)
	}
	if at := c.gap(0, len(c.text)); c.text[:at] != "I moved " {
		t.Errorf("gap after %q", c.text[:at])
	}
}

func TestFinder(t *testing.T) {
	f := newFinder([]string{"no", "no longer", "'d", "不再", "DB"})
	for _, test := range []struct {
		in             string
		prefix, suffix int
		in1            bool
	}{
		{"no longer there", 9, 0, true},
		{"nobody", 0, 0, false},
		{"I know", 0, 0, false},
		{"oh no", 0, 2, true},
		{"I'd", 0, 2, true},
		{"我不再", 0, 6, true},
		{"MongoDB", 0, 0, false},
		{"db", 2, 2, true},
		{"", 0, 0, false},
	} {
		if got := f.prefix(test.in); got != test.prefix {
			t.Errorf("prefix of %q: %d, want %d", test.in, got, test.prefix)
		}
		if got := f.suffix(test.in); got != test.suffix {
			t.Errorf("suffix of %q: %d, want %d", test.in, got, test.suffix)
		}
		if got := f.in(test.in); got != test.in1 {
			t.Errorf("in %q: %v", test.in, got)
		}
	}
}
