package main

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSplitParagraphs(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     []string
	}{
		{"wrapped lines are one", "I work as\na nurse.\n\nI live\r\nin Oslo.", []string{"I work as a nurse.", "I live in Oslo."}},
		{"items and headings stand alone", "# Me\nI am Bo.\n- one\n  still one\n* two\n1. three", []string{"Me", "I am Bo.", "one still one", "two", "three"}},
		{"labelled lines stand alone", "I am Bo.\nEmployer: Acme\nCity: Oslo\nI ski.", []string{"I am Bo.", "Employer: Acme", "City: Oslo", "I ski."}},
		{"code is one piece", "a\n```go\n- x\n\ny\n```\nb", []string{"a", "```go\n- x\n\ny\n```", "b"}},
		{"code without an end", "```\nx\n\ny", []string{"```\nx\n\ny"}},
		{"a byte order mark", "\ufeff# Me", []string{"Me"}},
		{"nothing", " \n\n", nil},
	} {
		if got := splitParagraphs(tc.in); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestLabelled(t *testing.T) {
	for in, want := range map[string]string{
		"Employer: Acme":                  "employer=Acme",
		"**Lives in:** Oslo":              "home_city=Oslo",
		"语言：中文、英语":                        "languages=中文|languages=英语",
		"goals: run, then rest":           "goals=run, then rest",
		"Employer:":                       "",
		"Remember: the key is under it":   "",
		"My plan for this year is: rest.": "",
	} {
		var got []string
		for _, a := range labelled(in) {
			got = append(got, a.question.Key+"="+a.value)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzParseBackground(f *testing.F) {
	f.Add("# Me\n\nI work as\na nurse.\n- **Employer:** Acme\n```\ncode\n```\n语言：中文、英语")
	f.Add("```\n\n- \n# \n: \nname:")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip() // extract refuses it
		}
		b := parseBackground(text)
		for _, p := range b.paragraphs {
			if strings.TrimSpace(p) == "" || !utf8.ValidString(p) {
				t.Errorf("paragraph %q", p)
			}
		}
		for _, a := range b.answers {
			if a.value == "" || a.question.Key == "" {
				t.Errorf("answer %+v", a)
			}
		}
	})
}

func FuzzParseProfile(f *testing.F) {
	f.Add([]byte("name: Ada\nlanguages: [a, b]\ngoals:\n  - run\nbirthday: 1990-04-12"))
	f.Add([]byte("name: &a [*a]"))
	f.Add([]byte("name: {a: b}\n? [x]\n: y"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		answers, err := parseProfile(raw)
		if err == nil && len(answers) == 0 {
			t.Error("neither answers nor an error")
		}
		for _, a := range answers {
			if a.value == "" || a.value != strings.TrimSpace(a.value) {
				t.Errorf("%s: %q", a.question.Key, a.value)
			}
		}
	})
}
