package llm

import (
	"encoding/json"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// strict rewrites the JSON value that a text begins with, an object or a list, where it
// is written as programs' languages write it rather than as JSON: with comments, commas
// before a bracket's end, strings in single quotes or over several lines, bare keys,
// Python's True, False and None. Nothing is added that is not there: brackets that do not
// match stay an error. n is how far it went. The error of a value that is cut off is
// io.ErrUnexpectedEOF.
func strict(s string) (value json.RawMessage, n int, err error) {
	l := loose{in: s}
	for {
		if done, err := l.next(); err != nil || done {
			if err == nil && !json.Valid([]byte(l.out.String())) {
				err = errMalformed
			}
			return json.RawMessage(l.out.String()), l.at, err
		}
	}
}

// loose is a value on its way from what a model wrote to JSON.
type loose struct {
	in    string
	at    int
	out   strings.Builder
	last  byte   // of what was written
	open  []byte // the brackets that are open
	comma bool   // one was read and not yet written: a value must follow it
}

// next rewrites one token; done says that the value has ended.
func (l *loose) next() (done bool, err error) {
	l.skip()
	if l.at >= len(l.in) {
		return false, io.ErrUnexpectedEOF
	}
	switch c := l.in[l.at]; {
	case c == ',':
		if l.comma || strings.IndexByte("[{:", l.last) >= 0 {
			return false, errMalformed
		}
		l.comma = true
		l.at++
	case c == '}' || c == ']':
		return l.end(c)
	case c == '{' || c == '[':
		l.put(string(c))
		l.open = append(l.open, c)
		l.at++
	case c == ':':
		l.put(":")
		l.at++
	case c == '"' || c == '\'':
		return false, l.text(c)
	default:
		return false, l.word()
	}
	return false, nil
}

// put writes a token, and the comma before it.
func (l *loose) put(token string) {
	if l.comma {
		l.out.WriteByte(',')
		l.comma = false
	}
	l.out.WriteString(token)
	l.last = token[len(token)-1]
}

// end closes a bracket; a comma before it says nothing.
func (l *loose) end(c byte) (done bool, err error) {
	last := len(l.open) - 1
	if last < 0 || l.open[last] == '{' != (c == '}') {
		return false, errMalformed
	}
	l.comma = false
	l.put(string(c))
	l.open = l.open[:last]
	l.at++
	return last == 0, nil
}

// skip goes over white space and comments.
func (l *loose) skip() {
	for l.at < len(l.in) {
		rest := l.in[l.at:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsSpace(r) || r == '\ufeff':
			l.at += size
		case strings.HasPrefix(rest, "//") || r == '#':
			l.at += upTo(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			l.at += upTo(rest, "*/")
		default:
			return
		}
	}
}

// upTo is where the first end in a text ends, else the text's length.
func upTo(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

// text writes a string in JSON's quotes. One in single quotes ends where a mark of JSON
// follows the quote: the others are apostrophes.
func (l *loose) text(quote byte) error {
	var s strings.Builder
	for i := l.at + 1; i < len(l.in); i++ {
		switch c := l.in[i]; {
		case c == '\\' && i+1 < len(l.in):
			i++
			s.WriteString(escape(l.in[i]))
		case c == quote && (c == '"' || endsText(l.in[i+1:])):
			l.put(`"` + s.String() + `"`)
			l.at = i + 1
			return nil
		case c == '"':
			s.WriteString(`\"`)
		case c == '\n':
			s.WriteString(`\n`)
		case c == '\t':
			s.WriteString(`\t`)
		case c < ' ':
			s.WriteByte(' ')
		default:
			s.WriteByte(c)
		}
	}
	return io.ErrUnexpectedEOF
}

// escape is a letter behind a backslash as JSON has it: Markdown's and Python's escapes
// are the letter itself.
func escape(c byte) string {
	switch {
	case strings.IndexByte(`"\/bfnrtu`, c) >= 0:
		return `\` + string(c)
	case c < ' ':
		return " "
	}
	return string([]byte{c})
}

func endsText(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest == "" || strings.IndexByte(",:]}", rest[0]) >= 0
}

// words are those of other languages for what JSON has a word for, or none.
var words = map[string]string{
	"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null",
	"undefined": "null", "NaN": "null", "Infinity": "null", "-Infinity": "null",
}

// word writes a number, one of the words, or a key without quotes.
func (l *loose) word() error {
	n := strings.IndexFunc(l.in[l.at:], func(r rune) bool {
		return !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-+.$", r))
	})
	if n < 0 {
		return io.ErrUnexpectedEOF
	}
	if n == 0 {
		return errMalformed
	}
	w := l.in[l.at : l.at+n]
	l.at += n
	if known, ok := words[w]; ok {
		l.put(known)
		return nil
	}
	if l.skip(); l.at < len(l.in) && l.in[l.at] == ':' {
		l.put(`"` + w + `"`)
		return nil
	}
	if !json.Valid([]byte(w)) {
		return errMalformed
	}
	l.put(w)
	return nil
}
