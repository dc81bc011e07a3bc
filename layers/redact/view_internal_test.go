package redact

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestUnmask_LooksAsItReads(t *testing.T) {
	for s, want := range map[string]string{
		"plain\ntext":     "plain\ntext",
		"密码：abc，x":        "密码：abc，x",
		"ａ１－＿＠":           "a1-_@",
		"a\u200bb\u00adc": "abc",
		"a\u3000b\u00a0c": "a b c",
		"1–2 a–b":         "1-2 a–b",
		"Ｚ！ｍ！":            "Z!m！",
		"\xffａ\xfe":       "\xffa\xfe",
	} {
		if v, hides := unmask(s); v.text != want || hides != (s != want) {
			t.Errorf("unmask(%q) = %q, %v; want %q", s, v.text, hides, want)
		}
	}
}

// Every byte of a view stands for a stretch of the original, in order and
// without overlap, that reads as that byte.
func TestUnmask_LeadsBackToTheOriginal(t *testing.T) {
	pieces := []string{"a", "ghp_Zt4Rk9QmX2vL", "\nw8NcYb6HsJd1Fa5GuEo3", "\r\n ", "\u200b", "ｐ", "：", "－", "密", "\xff", "4", " "}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		v, hides := unmask(s)
		if !hides {
			return
		}
		if len(v.starts) != len(v.text) || len(v.ends) != len(v.text) {
			t.Fatalf("%q: %d bytes, %d starts, %d ends", s, len(v.text), len(v.starts), len(v.ends))
		}
		last := 0
		for i := range v.text {
			f := v.original(span{start: i, end: i + 1})
			if f.start < last || f.end <= f.start || f.end > len(s) {
				t.Fatalf("%q: byte %d stands for [%d:%d] after %d", s, i, f.start, f.end, last)
			}
			if f.end-f.start == 1 && s[f.start] != v.text[i] {
				t.Fatalf("%q: byte %d is %q, was %q", s, i, v.text[i], s[f.start])
			}
			last = f.end
		}
	})
}
