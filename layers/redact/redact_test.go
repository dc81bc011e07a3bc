package redact_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcp-memory/layers/redact"
)

// positive is a line of testdata/positive.jsonl. The secrets are made up; each
// is stored with the separator inside, so that scanners of repositories do not
// take them for leaks.
type positive struct {
	Text, Secret, Kind string
}

const separator = "{{sep}}"

func positives(t testing.TB) (out []positive) {
	t.Helper()
	for _, line := range lines(t, "testdata/positive.jsonl") {
		var p positive
		if err := json.Unmarshal([]byte(strings.ReplaceAll(line, separator, "")), &p); err != nil {
			t.Fatalf("read %q: %v", line, err)
		}
		out = append(out, p)
	}
	return out
}

func lines(t testing.TB, name string) (out []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		out = append(out, s.Text())
	}
	return out
}

func TestRedact_TakesEverySecretOutAndNamesItsKind(t *testing.T) {
	cases := positives(t)
	if len(cases) < 300 {
		t.Fatalf("only %d positives were read", len(cases))
	}
	for _, c := range cases {
		clean, kinds := redact.Redact(c.Text)
		if strings.Contains(clean, c.Secret) || !slices.Contains(kinds, c.Kind) || !strings.Contains(clean, "[redacted:"+c.Kind+"]") {
			t.Errorf("Redact(%q)\n = %q, %v; want %q gone as %s", c.Text, clean, kinds, c.Secret, c.Kind)
		}
	}
}

func TestRedact_LeavesNoLongPartOfASecret(t *testing.T) {
	const part = 6
	for _, c := range positives(t) {
		clean, _ := redact.Redact(c.Text)
		around := strings.Replace(c.Text, c.Secret, "", 1)
		for i := 0; i+part <= len(c.Secret); i++ {
			if piece := c.Secret[i : i+part]; utf8.ValidString(piece) && strings.Contains(clean, piece) && !strings.Contains(around, piece) {
				t.Errorf("Redact(%q) = %q still holds %q", c.Text, clean, piece)
				break
			}
		}
	}
}

func TestRedact_KeepsTheWordsAroundASecret(t *testing.T) {
	for _, c := range positives(t) {
		clean, _ := redact.Redact(c.Text)
		want := strings.Replace(c.Text, c.Secret, "[redacted:"+c.Kind+"]", 1)
		if strings.Count(clean, "[redacted:") == 1 && clean != want && clean != strings.Replace(want, "]!", "]", 1) {
			t.Errorf("Redact(%q)\n = %q\nwant %q", c.Text, clean, want)
		}
	}
}

func TestRedact_LeavesTalkAboutSecretsAlone(t *testing.T) {
	cases := lines(t, "testdata/negative.txt")
	if len(cases) < 250 {
		t.Fatalf("only %d negatives were read", len(cases))
	}
	for _, text := range cases {
		if clean, kinds := redact.Redact(text); clean != text || kinds != nil {
			t.Errorf("Redact(%q) = %q, %v", text, clean, kinds)
		}
	}
}

func TestRedact_SortsKindsAndNamesEachOnce(t *testing.T) {
	clean, kinds := redact.Redact("password: hunter2, card 4111 1111 1111 1111, pw: Tiger42x")
	if want := "password: [redacted:password], card [redacted:card], pw: [redacted:password]"; clean != want {
		t.Errorf("clean = %q, want %q", clean, want)
	}
	if diff := cmp.Diff([]string{redact.Card, redact.Password}, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

func TestRedact_SearchesBesideAnEarlierMark(t *testing.T) {
	for text, want := range map[string]string{
		"password: [redacted:password]":                                  "password: [redacted:password]",
		"[redacted:token] and my password is hunter2":                    "[redacted:token] and my password is [redacted:password]",
		"[redacted:card]4111111111111111[redacted:card]":                 "[redacted:card][redacted:card][redacted:card]",
		"the wifi password is [redacted:other] or so":                    "the wifi password is [redacted:other] or so",
		"my password is swordfish 4111111111111111":                      "my password is [redacted:password] [redacted:card]",
		"[redacted:" + "ghp_" + "Zt4Rk9QmX2vLw8NcYb6HsJd1Fa5GuEo3" + "]": "[redacted:[redacted:token]]",
	} {
		if clean, _ := redact.Redact(text); clean != want {
			t.Errorf("Redact(%q) = %q, want %q", text, clean, want)
		}
	}
}

// checkRedact holds what must be true of any text.
func checkRedact(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) {
	t.Helper()
	clean, kinds := redact.Redact(text)
	again, more := redact.Redact(clean)
	switch {
	case again != clean || more != nil:
		t.Fatalf("not idempotent: %q gave %q, that gave %q %v", text, clean, again, more)
	case (clean == text) != (len(kinds) == 0):
		t.Fatalf("%q gave %q with kinds %v", text, clean, kinds)
	case utf8.ValidString(text) && !utf8.ValidString(clean):
		t.Fatalf("valid %q became invalid %q", text, clean)
	case !slices.IsSorted(kinds) || len(slices.Compact(slices.Clone(kinds))) != len(kinds):
		t.Fatalf("kinds %v are not sorted and distinct", kinds)
	}
}

func TestRedact_IsIdempotentOnTheCorpus(t *testing.T) {
	for _, c := range positives(t) {
		checkRedact(t, c.Text)
	}
	for _, text := range lines(t, "testdata/negative.txt") {
		checkRedact(t, text)
	}
}

func TestRedact_HoldsForMixturesOfTheCorpus(t *testing.T) {
	var pieces []string
	for _, c := range positives(t) {
		pieces = append(pieces, strings.Fields(c.Text)...)
	}
	pieces = append(pieces, " ", "\n", ": ", "=", `"`, "是", "：", "[redacted:token]", "\xff", "password", "key")
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 12).Draw(t, "parts")
		checkRedact(t, strings.Join(parts, rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "joint")))
	})
}

func TestRedact_FindsASecretAnywhereInALongText(t *testing.T) {
	prose := strings.Repeat("We met at the harbour and talked about the boat. ", 400)
	for _, c := range positives(t) {
		clean, kinds := redact.Redact(prose + "\n" + c.Text + "\n" + prose)
		if strings.Contains(clean, c.Secret) || !slices.Contains(kinds, c.Kind) {
			t.Errorf("in a long text %q stays", c.Text)
		}
	}
}

func FuzzRedact(f *testing.F) {
	for i, c := range positives(f) {
		if i%4 == 0 {
			f.Add(c.Text)
		}
	}
	for i, text := range lines(f, "testdata/negative.txt") {
		if i%8 == 0 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) { checkRedact(t, text) })
}

func ExampleRedact() {
	clean, kinds := redact.Redact("The wifi password is BlueTiger77, ask Bob for the rest.")
	fmt.Println(clean, kinds)
	// Output: The wifi password is [redacted:password], ask Bob for the rest. [password]
}
