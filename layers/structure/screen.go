package structure

import (
	"strings"

	"mcp-memory/internal/lazy"
)

// sincere reports whether a text may be taken at its word. It may not if it
// jokes, supposes, tells a story, passes on what others say, or is made of
// code or logs.
func (l *language) sincere(s string) bool {
	if machine.MatchString(s) || l.contains("insincere", l.without("meant", s)) {
		return false
	}
	for _, quoted := range quotation.FindAllString(s, -1) {
		if l.speaks(quoted) {
			return false
		}
	}
	return true
}

// without returns s less the words of a list.
func (l *language) without(list, s string) string {
	for {
		start, end, ok := l.list(list).find(l.plain(s))
		if !ok {
			return s
		}
		s = s[:start] + " " + s[end:]
	}
}

// machine matches what is code, a log or a trace, not speech.
var machine = lazy.MustCompile("```|" +
	`^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:|^\s*\[?\d\d:\d\d:\d\d|^\s*\[\w+\]|exit code|HTTP/\d|^\s*(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b|\b(?:Exception|Traceback|stderr|stdout)\b|` +
	`(?m)^\s*(?:[>$#|]|\w+\(.*\)|import |func |def |class |SELECT )|[{};]\s*$|=>|==|\w+\(\)|</?\w+>|https?://`)

// quotation matches what stands between quotes.
var quotation = lazy.MustCompile(`"[^"]+"|“[^”]+”|‘[^’]+’|「[^」]+」|『[^』]+』|(?:^|[\s:：])'[^']{3,}'(?:$|[\s.,!?])`)

// speaks reports whether quoted words are somebody's speech: a title holds few
// words and no pronoun.
func (l *language) speaks(quoted string) bool {
	switch {
	case l.code == japaneseCode:
		return speechInKana(quoted)
	case !l.spaced:
		return strings.ContainsAny(quoted, "我你您，。！？")
	}
	words := strings.Fields(strings.Trim(strings.ToLower(quoted), `"'“”‘’.,!? `))
	if len(words) > 6 {
		return true
	}
	for _, w := range words {
		if l.is("pronoun", w) {
			return true
		}
	}
	return false
}

// asks reports whether a sentence is a question, or leaves it open (…吧).
func (l *language) asks(s string) bool {
	s = strings.TrimRight(s, "\"'”’)） \t\n")
	if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") {
		return true
	}
	s = strings.ToLower(strings.TrimLeft(s, "\"'“‘ "))
	if l.suffix("hedged end", strings.TrimRight(s, edges)) > 0 && (l.code == japaneseCode || !strings.Contains(s, "，")) {
		return true
	}
	if l.begins("statement", s) {
		return false
	}
	return l.begins("question", s) || l.contains("asking", l.without("meant", s))
}
