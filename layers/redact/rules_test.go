package redact

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestRules_EveryAnchorIsInTheCorpus(t *testing.T) {
	raw, err := os.ReadFile("testdata/positive.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	corpus := strings.ReplaceAll(string(raw), "{{sep}}", "")
	low := lower(corpus)
	for _, r := range formats {
		for anchor := range strings.FieldsSeq(r.anchors) {
			if !strings.Contains(corpus, anchor) {
				t.Errorf("%s: no positive holds %q", r.name, anchor)
			}
		}
	}
	for _, r := range places {
		if !slices.ContainsFunc(strings.Fields(r.anchors), func(a string) bool { return strings.Contains(low, a) }) {
			t.Errorf("%s: no positive holds any of %q", r.name, r.anchors)
		}
	}
}

func TestRules_AnchorsCanBeLookedUp(t *testing.T) {
	kinds := []string{APIKey, Card, Password, PrivateKey, Token}
	for _, r := range slices.Concat(formats, places) {
		for anchor := range strings.FieldsSeq(r.anchors) {
			if len(anchor) < 2 {
				t.Errorf("%s: anchor %q is shorter than the two bytes of the index", r.name, anchor)
			}
		}
		if !slices.Contains(kinds, r.kind) {
			t.Errorf("%s: kind %q", r.name, r.kind)
		}
	}
	for _, r := range places {
		if r.anchors != lower(r.anchors) {
			t.Errorf("%s: anchors %q are looked up in lower case", r.name, r.anchors)
		}
	}
	for _, l := range labels {
		for _, w := range l.words {
			if w != lower(w) || len(w) < 2 {
				t.Errorf("label %q is not lower case, or too short", w)
			}
		}
	}
}

func TestLuhn(t *testing.T) {
	for digits, want := range map[string]bool{
		"4111111111111111": true, "4111111111111112": false, "79927398713": true, "79927398710": false, "0": true, "18": true, "81": false,
	} {
		if got := luhn(digits); got != want {
			t.Errorf("luhn(%q) = %v", digits, got)
		}
	}
}

func TestIsCard_KnowsIssuersAndLengths(t *testing.T) {
	for digits, want := range map[string]bool{
		"4111111111111111": true, "378282246310005": true, "2720990000000007": true, "2721000000000004": false,
		"4222222222222":    false, // Visa's old 13 digits
		"1234567812345670": false, // no such issuer
		"490154203237518":  false, // an IMEI
	} {
		if got := isCard(digits); got != want {
			t.Errorf("isCard(%q) = %v, luhn %v", digits, got, luhn(digits))
		}
	}
}

func TestPlaceholder(t *testing.T) {
	for s, want := range map[string]bool{
		"<token>": true, "${TOKEN}": true, "$TOKEN": true, "****": true, "xxxxxxxx": true, "your-api-key-1": true, "{{ key }}": true,
		"AKIAIOSFODNN7EXAMPLE": true, "changeme": true, "my-secret-key": true, "sk-...": true, "%PASS%": true,
		"hunter2": false, "Your5ecret!": false, "$ecret99!": false, "example99": false, "AKIAZ7Q3EXAMPLE9XYZ2": false, "x": false,
	} {
		if got := placeholder(s); got != want {
			t.Errorf("placeholder(%q) = %v", s, got)
		}
	}
}

func TestLook_CountsByClass(t *testing.T) {
	l := look("aB1!-é")
	if l.lower != 1 || l.upper != 1 || l.digits != 1 || l.symbols != 1 || l.others != 2 {
		t.Errorf("look = %+v", l)
	}
}

func TestEntropy(t *testing.T) {
	for s, want := range map[string]float64{"": 0, "aaaa": 0, "abab": 1, "abcd": 2, "0123456789abcdef": 4} {
		if got := entropy(s); got != want {
			t.Errorf("entropy(%q) = %v, want %v", s, got, want)
		}
	}
}

func TestLower_KeepsEveryByteInItsPlace(t *testing.T) {
	for s, want := range map[string]string{"AbC": "abc", "ПАРОЛЬ": "пароль", "İK": "İk", "\xffA": "\xffa", "密码ABC": "密码abc"} {
		if got := lower(s); got != want {
			t.Errorf("lower(%q) = %q, want %q", s, got, want)
		}
	}
}

// typical is 16 KiB of the corpus's prose, code and logs.
func typical(b *testing.B) string {
	raw, err := os.ReadFile("testdata/negative.txt")
	if err != nil {
		b.Fatal(err)
	}
	text := bytes.Repeat(raw, 2)
	return string(text[:min(len(text), 16<<10)])
}

func BenchmarkRedact(b *testing.B) {
	const sentence = "The boat is moored in the harbour until May, and the crew of four meets on Fridays. "
	for _, c := range []struct{ name, text string }{
		{"prose", strings.Repeat(sentence, 16<<10/len(sentence))},
		{"talk about secrets", typical(b)},
		{"same label again and again", strings.Repeat("password ", 16<<10/9)},
		{"same anchor again and again", strings.Repeat("sk-", 16<<10/3)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				Redact(c.text)
			}
		})
	}
}
