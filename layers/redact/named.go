package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
)

// notItself matches what makes a label part of another thing's name.
var notItself = lazy.MustCompile(`^\s?(?:manager|hint|vault|generator|policy|store|app|tool|reset|format|length|field|管理|提示)`)

// Words of "X is my wifi password" and of its like in other languages.
var (
	copulas     = wordSet(`is as was ist als est es`)
	possessives = wordSet(`my the our your mein das mon le mi la`)
)

// backWindow bounds, in bytes, how far before a label its value is looked for.
const backWindow = 96

// named returns the value that stands in front of the label at t.raw[at:end]:
// "X is my wifi password", "use X as the password", "X是我的密码".
func named(t text, at, end int) (candidate, bool) {
	from := max(0, at-backWindow)
	last := asianCopula(t.low[from:at])
	if last < 0 {
		last = copula(t.low[from:at])
	}
	if last <= 0 || notItself.MatchString(t.low[end:min(len(t.low), end+16)]) {
		return candidate{}, false
	}
	return valueBefore(t.raw, from, from+last)
}

// copula returns where " is my wifi " starts at the end of s, -1 for none.
func copula(s string) int {
	const mostWords = 4 // from the possessive to the label
	end := len(strings.TrimRight(s, " "))
	for n := 0; n < mostWords && end > 0; n++ {
		start := strings.LastIndexByte(s[:end], ' ')
		if start < 0 {
			return -1
		}
		before := strings.TrimRight(s[:start], " ")
		verb := strings.LastIndexByte(before, ' ')
		if verb >= 0 && possessives[s[start+1:end]] && copulas[before[verb+1:]] {
			return verb
		}
		end = len(before)
	}
	return -1
}

// asianCopula returns where "是我的" starts at the end of s, -1 for none.
func asianCopula(s string) int {
	const mostBytes = 24 // 是 and seven characters
	at := strings.LastIndex(s, "是")
	if at < 0 || len(s)-at > mostBytes || strings.IndexFunc(s[at:], func(r rune) bool { return !unicode.Is(unicode.Han, r) }) >= 0 {
		return -1
	}
	return at
}

// valueBefore reads the word, or the quoted words, that end at s[end], not
// before s[from].
func valueBefore(s string, from, end int) (candidate, bool) {
	c := candidate{form: said, end: from + len(strings.TrimRight(s[from:end], " "))}
	for _, q := range quotes {
		if open := strings.LastIndex(strings.TrimSuffix(s[from:c.end], q.close), q.open); open >= 0 && strings.HasSuffix(s[from:c.end], q.close) {
			c.start, c.end, c.form = from+open+len(q.open), c.end-len(q.close), quoted
			return c.judge(s), c.start < c.end && !strings.Contains(s[c.start:c.end], "\n")
		}
	}
	notInWord := func(r rune) bool { return unicode.IsSpace(r) || r > unicode.MaxASCII }
	word := s[from:c.end]
	c.start = c.end - len(word) + strings.LastIndexFunc(word, notInWord) + 1
	for c.start < c.end && !utf8.RuneStart(s[c.start]) {
		c.start++
	}
	return c.judge(s), c.start < c.end
}
