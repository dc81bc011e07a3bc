package bunt

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzMatcher: a word is found wherever it stands, in every form; and nothing is
// found that is not there.
func FuzzMatcher(f *testing.F) {
	f.Add("zorblatquin", "before ", " after")
	f.Add("他住在柏林", "\x00\xff", "\n")
	f.Add("a \"quoted\" <tag>", "", "")
	f.Fuzz(func(t *testing.T, word, before, after string) {
		m := newMatcher(word)
		if len(word) < shortMatch {
			if m.in([]byte(before + word + after)) {
				t.Fatal("a word that is too short is looked for")
			}
			return
		}
		escaped, err := json.Marshal(before + word + after)
		if err != nil {
			t.Fatal(err)
		}
		plain := before + word + after
		if !m.in([]byte(plain)) {
			t.Fatalf("%q is not found as it is", word)
		}
		if strings.ToValidUTF8(word, "") == word && strings.ToValidUTF8(plain, "") == plain && !m.in(escaped) {
			t.Fatalf("%q is not found in JSON %s", word, escaped)
		}
		if len(word) >= 12 && !m.in([]byte(base64.StdEncoding.EncodeToString([]byte(plain)))) {
			t.Fatalf("%q is not found in base64 of %q", word, plain)
		}
	})
}
