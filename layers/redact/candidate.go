package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
)

// form is how a value stands beside its label: the looser the tie, the more
// the value itself must look like a secret.
type form int

const (
	beside   form = iota // "password X", "set the password to X"
	said                 // "the password is X"
	assigned             // "password: X", "password=X"
	quoted               // said or assigned, with quotes around X
)

// candidate is what stands where a label announces a secret: t.raw[start:end].
type candidate struct {
	start, end int
	value      string // its beginning, at most judged bytes
	after      string // the text behind it
	form       form
	tight      bool // "=" with no blanks: a shell, a URL, a connection string
	spaced     bool // ": ", as in running text or a file
	glued      bool // nothing between a Chinese or Japanese label and the value
}

// quotes are the marks that may enclose a value, with their partners.
var quotes = []struct{ open, close string }{
	{`\"`, `\"`}, {`"`, `"`}, {`'`, `'`}, {"`", "`"}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"「", "」"}, {"『", "』"}, {"‘", "’"},
}

const (
	longest = 2048 // the size of the largest value that is taken, in bytes
	judged  = 128  // how much of it is looked at to tell whether it is a secret
)

// read fills in the value that starts at c.start, within quotes or up to the
// next white space.
func (c candidate) read(s string) (candidate, bool) {
	for strings.HasPrefix(s[c.start:], "**") && c.start+2 < len(s) && s[c.start+2] != '*' {
		c.start += 2
	}
	for _, q := range quotes {
		if strings.HasPrefix(s[c.start:], q.open) && c.form != beside {
			return c.readQuoted(s, q.open, q.close)
		}
	}
	near := s[c.start:min(len(s), c.start+longest)]
	value := c.cut(near[:wordEnd(near)])
	c.end = c.start + len(value)
	return c.judge(s), value != ""
}

// readQuoted reads up to the closing mark on the same line.
func (c candidate) readQuoted(s, open, closeMark string) (candidate, bool) {
	c.start += len(open)
	near := s[c.start:min(len(s), c.start+longest)]
	n := strings.Index(near, closeMark)
	if n <= 0 || strings.Contains(near[:n], "\n") {
		return c, false
	}
	c.end, c.form = c.start+n, quoted
	return c.judge(s), true
}

// judge fills in what the shapes look at.
func (c candidate) judge(s string) candidate {
	c.value, c.after = s[c.start:min(c.end, c.start+judged)], s[c.end:]
	return c
}

// wordEnd returns where the word at the start of s ends: at white space, a
// quote, or where a script without blanks goes on after ASCII.
func wordEnd(s string) int {
	for i, r := range s {
		if r < utf8.RuneSelf {
			if r <= ' ' || r == '"' || r == '`' || r == '<' || r == 0x7f {
				return i
			}
		} else if unicode.IsSpace(r) || strings.ContainsRune("”«»…", r) || isCJK(r) {
			return i
		}
	}
	return len(s)
}

// trailing is the punctuation of a sentence at the end of a value.
const trailing = ".,;:?)]}>*'_\\"

// nextField matches what stands between an assigned value and the next name.
var nextField = lazy.MustCompile(`^[,;&}](?:\s*[\w.-]{1,40}\s*[=:]|\s|$)`)

// cut drops what follows the value in the same word: the next field of an
// assignment, and the punctuation of the sentence.
func (c candidate) cut(word string) string {
	if c.form == assigned {
		word = word[:fieldEnd(word)]
	}
	if !c.tight {
		return strings.TrimRight(word, trailing)
	}
	return strings.TrimRight(word, ".,;)}'")
}

// fieldEnd returns where the next field starts in the word, its length where
// there is none. Passwords hold such marks too, so that a name must follow.
func fieldEnd(word string) int {
	for i := 1; i < len(word); i++ {
		if strings.IndexByte(",;&}", word[i]) >= 0 && nextField.MatchString(word[i:min(len(word), i+48)]) {
			return i
		}
	}
	return len(word)
}

// isCJK says whether r belongs to a script that is written without blanks, or
// to its full-width forms.
func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) ||
		0xff00 <= r && r <= 0xffef || 0x3000 <= r && r <= 0x303f || r == 'ー'
}
