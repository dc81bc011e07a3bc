package endpoint

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/vector/embed"
)

// blank stands for a text without anything visible: every tokenizer makes a
// token of it.
const blank = "."

// prepare returns what is sent for a text.
func (e *Embedder) prepare(kind embed.Kind, text string) string {
	prefix := e.options.PassagePrefix
	if kind == embed.Query {
		prefix = e.options.QueryPrefix
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", " ")
	if strings.TrimFunc(text, invisible) == "" {
		text = blank
	}
	return cut(prefix+text, e.options.MaxTextBytes)
}

func invisible(r rune) bool { return unicode.In(r, unicode.White_Space, unicode.Cc, unicode.Cf) }

// cut returns the first whole characters of s, limit bytes at most.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// next returns how many of the texts go into the next request.
func (e *Embedder) next(texts []string) int {
	most := min(len(texts), int(e.batch.Load()))
	bytes := len(texts[0])
	for n := 1; n < most; n++ {
		if bytes += len(texts[n]); bytes > e.options.BatchBytes {
			return n
		}
	}
	return most
}
