package structure_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers/structure"
)

var update = flag.Bool("update", false, "write what is read into testdata/sentences")

// observed is when the sentences of testdata/sentences are said: a Wednesday.
var observed = time.Date(2024, 5, 15, 10, 0, 0, 0, time.FixedZone("", 8*3600))

// describe writes a statement on one line, without what is always there.
func describe(st structure.Statement, ok bool) string {
	if !ok {
		return "-"
	}
	parts := []string{st.Entity, st.Attribute, st.Value, string(st.Layer)}
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	day := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return strings.TrimSuffix(t.Format("2006-01-02 15:04"), " 00:00")
	}
	if st.Polarity == "-" {
		parts = append(parts, "negative")
	}
	if st.Ended {
		parts = append(parts, "ended")
	}
	add("object", st.Object)
	add("from", day(st.ValidFrom))
	add("to", day(st.ValidTo))
	add("starts", day(st.StartsAt))
	add("ends", day(st.EndsAt))
	add("closes", strings.Join(st.Closes, ", "))
	for _, f := range st.Displaces {
		add("displaces", f.Attribute+" "+f.Value)
	}
	add("because", st.Reason)
	return strings.Join(parts, " · ")
}

// Each file of testdata/sentences holds sentences, each with what is read from
// it below, "-" for nothing. Those with "-" come near the rules and must not fit.
func TestParse_OfTheCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/sentences/*.txt")
	if err != nil || len(files) < 4 {
		t.Fatalf("found %d files, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var out strings.Builder
			for text, want := range sentences(t, file) {
				got := describe(structure.Parse(structure.Input{Text: text, ObservedAt: observed}))
				if got != want && !*update {
					t.Errorf("%s\n\tgot  %s\n\twant %s", text, got, want)
				}
				fmt.Fprintf(&out, "%s\n\t%s\n", text, got)
			}
			if *update {
				if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// sentences yields the sentences of a file in order, each with the line below.
func sentences(t testing.TB, file string) func(func(text, want string) bool) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return func(yield func(text, want string) bool) {
		lines := bufio.NewScanner(f)
		text := ""
		for lines.Scan() {
			want, indented := strings.CutPrefix(lines.Text(), "\t")
			switch {
			case !indented:
				text = lines.Text()
			case !yield(text, want):
				return
			}
		}
		if err := lines.Err(); err != nil {
			t.Error(err)
		}
	}
}

func TestRules_EachNameIsHeardInTheCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/sentences/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	heard := map[string]bool{}
	for _, file := range files {
		for text := range sentences(t, file) {
			in := structure.Input{Text: text, ObservedAt: observed}
			if st, ok := structure.Parse(in); ok {
				heard[st.Rule] = true
			}
			if st, ok := structure.Changed(in); ok {
				heard[st.Rule] = true
			}
		}
	}
	for _, code := range []string{"en", "zh", "ja"} {
		for _, name := range structure.RuleNames(code) {
			if !heard[name] {
				t.Errorf("%s: no sentence of the corpus is read by a rule named %q", code, name)
			}
		}
	}
}
