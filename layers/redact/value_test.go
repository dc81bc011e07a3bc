package redact_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/layers/redact"
)

func TestField_TakesTheNameForTheLabel(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"wifi password", "swordfish", "[redacted:password]"},
		{"password", "correct horse battery staple", "[redacted:password]"},
		{"DB_PASSWORD_PROD", "a1b", "[redacted:password]"},
		{"clientSecret", "s3cr3tV4lue!", "[redacted:token]"},
		{"apiKey", "Zt4Rk9QmX2vLw8NcYb6H", "[redacted:api_key]"},
		{"pin", "4821", "[redacted:password]"},
		{"密码", "tiger2024", "[redacted:password]"},
		{"路由器密码", "tiger2024", "[redacted:password]"},
		{"", "my password is hunter2", "my password is [redacted:password]"},
		{"password", "[redacted:password]", "[redacted:password]"},
		{"password", "changed in May", "changed in May"},
		{"password", "required", "required"},
		{"password hint", "first pet", "first pet"},
		{"password_file", "/run/secrets/db1", "/run/secrets/db1"},
		{"password manager", "KeePass2", "KeePass2"},
		{"favourite key", "C minor", "C minor"},
		{"max tokens", "4096", "4096"},
		{"public key", "Zt4Rk9QmX2vLw8NcYb6HsJd1Fa5GuEo3", "Zt4Rk9QmX2vLw8NcYb6HsJd1Fa5GuEo3"},
		{"city", "swordfish", "swordfish"},
	} {
		clean, kinds := redact.Field(c.name, c.value)
		if clean != c.want || (clean == c.value) != (len(kinds) == 0) {
			t.Errorf("Field(%q, %q) = %q, %v; want %q", c.name, c.value, clean, kinds, c.want)
		}
	}
}

func TestValue_CleansStringsKeysAndNumbersAtEveryDepth(t *testing.T) {
	const key = "ghp_" + "Zt4Rk9QmX2vLw8NcYb6HsJd1Fa5GuEo3TiPz"
	for name, c := range map[string]struct {
		in, want string
		kinds    []string
	}{
		"string":            {`"use ` + key + `"`, `"use [redacted:token]"`, []string{"token"}},
		"nested":            {`{"a":[{"b":"` + key + `"},1,true,null]}`, `{"a":[{"b":"[redacted:token]"},1,true,null]}`, []string{"token"}},
		"key is a label":    {`{"password":"swordfish","user":"bob"}`, `{"password":"[redacted:password]","user":"bob"}`, []string{"password"}},
		"list under label":  {`{"passwords":["swordfish","a1b2"]}`, `{"passwords":["[redacted:password]","[redacted:password]"]}`, []string{"password"}},
		"name and value":    {`{"name":"DB_PASSWORD","value":"swordfish"}`, `{"name":"DB_PASSWORD","value":"[redacted:password]"}`, []string{"password"}},
		"value under label": {`{"password":{"value":"swordfish"}}`, `{"password":{"value":"[redacted:password]"}}`, []string{"password"}},
		"card as number":    {`{"n":4111111111111111}`, `{"n":"[redacted:card]"}`, []string{"card"}},
		"pin as number":     {`{"pin":4821,"year":4821}`, `{"pin":"[redacted:password]","year":4821}`, []string{"password"}},
		"secret as key":     {`{"` + key + `":1}`, `{"[redacted:token]":1}`, []string{"token"}},
		"keys that collide": {`{"` + key + `":1,"` + key + `9":2}`, `{"[redacted:token]":1,"[redacted:token] 2":2}`, []string{"token"}},
		"kinds are sorted":  {`["pw: hunter2","4111111111111111"]`, `["pw: [redacted:password]","[redacted:card]"]`, []string{"card", "password"}},
		"nothing":           {`{"city":"Freiburg","n":3.5}`, `{"city":"Freiburg","n":3.5}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, kinds := redact.Value(decode(t, c.in))
			if diff := cmp.Diff(decode(t, c.want), got); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.kinds, kinds); diff != "" {
				t.Errorf("kinds (-want +got):\n%s", diff)
			}
		})
	}
}

func TestValue_LeavesItsArgumentAsItWas(t *testing.T) {
	in := decode(t, `{"password":"swordfish","list":["pw: hunter2"]}`)
	redact.Value(in)
	if diff := cmp.Diff(decode(t, `{"password":"swordfish","list":["pw: hunter2"]}`), in); diff != "" {
		t.Errorf("argument (-before +after):\n%s", diff)
	}
}

func TestValue_TakesNumbersAsDecodersGiveThem(t *testing.T) {
	for _, card := range []any{json.Number("4111111111111111"), float64(4111111111111111), 4111111111111111, int64(4111111111111111), uint64(4111111111111111)} {
		if got, kinds := redact.Value(card); got != "[redacted:card]" || len(kinds) != 1 {
			t.Errorf("Value(%T) = %v, %v", card, got, kinds)
		}
	}
	if got, kinds := redact.Value(json.Number("12.50")); got != json.Number("12.50") || kinds != nil {
		t.Errorf("Value(12.50) = %v, %v", got, kinds)
	}
}

func TestValue_IsIdempotentOnTheCorpus(t *testing.T) {
	for _, c := range positives(t) {
		once, _ := redact.Value(map[string]any{"password": c.Text, c.Text: []any{c.Text}})
		twice, kinds := redact.Value(once)
		if diff := cmp.Diff(once, twice); diff != "" || kinds != nil {
			t.Errorf("%q: kinds %v, second pass (-once +twice):\n%s", c.Text, kinds, diff)
		}
		if strings.Contains(fmt.Sprint(once), c.Secret) {
			t.Errorf("%v still holds %q", once, c.Secret)
		}
	}
}

func decode(t *testing.T, s string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("decode %s: %v", s, err)
	}
	return v
}
