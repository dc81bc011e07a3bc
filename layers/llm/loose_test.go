package llm

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// What is JSON stays what it is, and what comes out is JSON, whatever goes in.
func FuzzStrict(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e3,true,null,"\u00e9\n"],"b":{}}`, `[{'a':'it isn\'t', b: None,},]`, "{//x\n\"a\":\"b\nc\"}", `{"a"`, `{]`, `{a b}`, `{,}`, `['\"']`, "{'\xff':\"\\\x00\"}", `{:1}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if s == "" || s[0] != '{' && s[0] != '[' {
			return
		}
		value, n, err := strict(s)
		if n > len(s) || err == nil && !json.Valid(value) {
			t.Fatalf("%q: %q after %d bytes", s, value, n)
		}
		d := json.NewDecoder(bytes.NewReader([]byte(s)))
		var want, got any
		if d.Decode(&want) != nil {
			return
		}
		if err != nil || json.Unmarshal(value, &got) != nil || !reflect.DeepEqual(got, want) || n != int(d.InputOffset()) {
			t.Errorf("%q: %q, %d, %v", s, value, n, err)
		}
	})
}
