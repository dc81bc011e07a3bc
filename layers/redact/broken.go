package redact

import (
	"strings"
	"sync"
)

// join drops line ends, with the indentation behind them, that break a key of
// a documented format.
func join(s string) (view, bool) {
	w := viewer{source: s}
	from, open := 0, "" // the beginning of the key that goes on at from
	for {
		at := strings.IndexByte(s[from:], '\n')
		if at < 0 {
			break
		}
		at += from
		line := strings.TrimSuffix(strings.TrimSuffix(s[from:at], "\r"), `\`)
		next := at + 1 + indentation(s[at+1:])
		head := keyEnd(line)
		if len(head) == len(line) {
			head = open + head
		}
		if !brokenKey(head, s[next:]) {
			w.keep(from, at+1)
			from, open = at+1, ""
			continue
		}
		w.keep(from, from+len(line))
		w.change(from + len(line))
		from, open = next, head[:min(len(head), judged)]
	}
	w.keep(from, len(s))
	return w.done()
}

// indentation returns the length of the blanks and marks of quoted mail at the
// start of s.
func indentation(s string) int {
	i := 0
	for i < len(s) && strings.IndexByte(" \t>", s[i]) >= 0 {
		i++
	}
	return i
}

// keyMark says whether c may stand in a key.
func keyMark(c byte) bool { return isWord(c) || c == '-' || c == '.' }

// keyEnd returns the characters of a key at the end of s, at most window.
func keyEnd(s string) string {
	i := len(s)
	for i > 0 && len(s)-i < window && keyMark(s[i-1]) {
		i--
	}
	return s[i:]
}

// keyStart returns the characters of a key at the start of s, at most window.
func keyStart(s string) string {
	i := 0
	for i < len(s) && i < window && keyMark(s[i]) {
		i++
	}
	return s[:i]
}

// brokenKey says whether a line that ends with head goes on in rest: head is
// the beginning of a key, and rest starts with a word, alone on its line, that
// is its random remainder and no name, commit or other key.
func brokenKey(head, rest string) bool {
	prefix := keyPrefix(head)
	if prefix == 0 {
		return false
	}
	tail := keyStart(rest)
	if !closesLine(rest[len(tail):]) || keyPrefix(tail) > 0 {
		return false
	}
	if size := keySizes[head[:min(len(head), 4)]]; len(tail) > 0 && len(head)+len(tail) == size {
		return true
	}
	if bareHex(tail) {
		const commit = 7 // digits of the short name of a commit
		return len(tail) > commit && bareHex(head[prefix:])
	}
	l := look(tail)
	if l.lower == 0 || !l.hasDigit() || l.upper == 0 && mixedRun(tail) < 16 {
		return false
	}
	letters, classes := flips(tail)
	return letters >= 3 || len(tail) >= 12 && 2*classes >= len(tail)-1
}

// keySizes are the sizes in bytes, prefix included, of keys whose issuers have
// one size only (AWS IAM, GitHub, Google Cloud and npm documents). What makes
// a short beginning exactly that long is the rest of it, random or not.
var keySizes = map[string]int{
	"AKIA": 20, "ASIA": 20, "AIza": 39, "ghp_": 40, "gho_": 40, "ghu_": 40, "ghs_": 40, "npm_": 40,
}

// closesLine says whether nothing but closing marks follows on the line.
func closesLine(s string) bool {
	line, _, _ := strings.Cut(s[:min(len(s), window)], "\n")
	return strings.Trim(line, " \t\r\"'`,;)]}") == ""
}

// bareHex says whether s is made of hexadecimal digits and dashes.
func bareHex(s string) bool {
	for i := range len(s) {
		if !isHex(s[i]) && s[i] != '-' {
			return false
		}
	}
	return s != ""
}

// flips counts how often s changes between letter and digit, and between any
// two of digit, lower case and the rest. Random letters and digits change class
// at two of three places, names at few.
func flips(s string) (letters, classes int) {
	for i := 1; i < len(s); i++ {
		if isDigit(s[i]) != isDigit(s[i-1]) {
			letters++
		}
		if class(s[i]) != class(s[i-1]) {
			classes++
		}
	}
	return letters, classes
}

// class tells digits, lower-case letters and the rest apart.
func class(c byte) int {
	switch {
	case isDigit(c):
		return 0
	case 'a' <= c && c <= 'z':
		return 1
	}
	return 2
}

// keyPrefixes are the beginnings of the documented formats.
var keyPrefixes = sync.OnceValue(func() []string {
	out := []string{jwtAnchor}
	for _, r := range formats {
		out = append(out, strings.Fields(r.anchors)...)
	}
	return out
})

// keyPrefix returns the length of the format's beginning that s starts with,
// 0 for none.
func keyPrefix(s string) (longest int) {
	for _, p := range keyPrefixes() {
		if strings.HasPrefix(s, p) {
			longest = max(longest, len(p))
		}
	}
	return longest
}
