package conversation_test

import (
	"slices"
	"testing"

	"mcp-memory/layers/conversation"
)

// A sentence that changes its language is one in each.
func TestSentences_OfTwoLanguages(t *testing.T) {
	for content, want := range map[string][]string{
		"I live in Porto, 但是我下个月搬到里斯本。":            {"I live in Porto", "我下个月搬到里斯本。"},
		"I live in Porto 但是我下个月搬到里斯本。":             {"I live in Porto", "我下个月搬到里斯本。"},
		"我住在上海, but I'm moving to Berlin soon.":    {"我住在上海", "I'm moving to Berlin soon."},
		"我叫李雷 and I live in Toronto.":              {"我叫李雷", "I live in Toronto."},
		"I'm vegetarian, でも私の妻は肉が好きです。":            {"I'm vegetarian", "私の妻は肉が好きです。"},
		"我在 Siemens 上班，住在 Berlin。":                 {"我在 Siemens 上班，住在 Berlin。"},
		"I work at 腾讯, in Shenzhen.":               {"I work at 腾讯, in Shenzhen."},
		"我喜欢用 Visual Studio Code, Go 和 Rust。":      {"我喜欢用 Visual Studio Code, Go 和 Rust。"},
		"我常用的编辑器有 Vim, Visual Studio Code, Emacs。": {"我常用的编辑器有 Vim, Visual Studio Code, Emacs。"},
		"我用React、Next.js 和 Tailwind CSS。":          {"我用React、Next.js 和 Tailwind CSS。"},
	} {
		var got []string
		for _, at := range conversation.Sentences(content) {
			got = append(got, content[at.Start:at.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", content, got, want)
		}
	}
}
