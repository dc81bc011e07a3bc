package main

import (
	"maps"
	"strings"
	"testing"
)

func TestParseTokens_ReadsUsers(t *testing.T) {
	one, two := strings.Repeat("1", 16), "tok-._~+/="+strings.Repeat("2", 16)
	for _, test := range []struct {
		name  string
		given string
		want  map[string]string
	}{
		{"none", "", nil},
		{"one", "ada:" + one, map[string]string{one: "ada"}},
		{"blanks around pairs", "ada:" + one + " , bob:" + two, map[string]string{one: "ada", two: "bob"}},
		{"two tokens of a user", "ada:" + one + ",ada:" + two, map[string]string{one: "ada", two: "ada"}},
		{"a colon in the token", "ada:a:" + one, map[string]string{"a:" + one: "ada"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := parseTokens(test.given)
			if err != nil || !maps.Equal(got, test.want) {
				t.Errorf("tokens = %v, %v; want %v", got, err, test.want)
			}
		})
	}
}

func TestParseTokens_RefusesAndKeepsTheTokenToItself(t *testing.T) {
	secret := "s3cret-s3cret-s3cret"
	for _, test := range []struct{ name, given, want string }{
		{"no colon", secret, "user:token is wanted"},
		{"no user", ":" + secret, `user ""`},
		{"no token", "ada:", "at least 16"},
		{"short token", "ada:s3cret", "has 6 characters"},
		{"empty pair", "ada:" + secret + ",", "token 2"},
		{"the same token twice", "ada:" + secret + ",bob:" + secret, `"bob" has the same token as user "ada"`},
		{"the same pair twice", "ada:" + secret + ",ada:" + secret, "the same token"},
		{"a blank in the token", "ada:" + secret + " x", "HTTP header"},
		{"not ASCII", "ada:" + secret + "é", "HTTP header"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseTokens(test.given)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error = %v, want it to say %q", err, test.want)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("error %q tells a token", err)
			}
		})
	}
}

func FuzzParseTokens(f *testing.F) {
	f.Add("ada:0123456789abcdef,bob:fedcba9876543210")
	f.Add("ada:,:x,,")
	f.Fuzz(func(t *testing.T, given string) {
		tokens, err := parseTokens(given)
		if err != nil && tokens != nil {
			t.Error("tokens beside an error")
		}
		for token, user := range tokens {
			if len(token) < minTokenBytes || user == "" || !strings.Contains(given, user+":"+token) {
				t.Errorf("%q is not a pair of %q", user, given)
			}
		}
	})
}
