package redact

import (
	"encoding/base64"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
)

// samples are the keys printed in the manuals of AWS and of the Azurite
// emulator: public, and useful to remember.
var samples = []string{
	"AKIAIOSFODNN7EXAMPLE",
	"AKIAI44QH8DHBEXAMPLE",
	"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	"je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY",
	"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
}

// standIn matches what stands where a secret would: a variable, a template, a
// mask, a description in brackets.
var standIn = lazy.MustCompile(`^(?:` + strings.Join([]string{
	`<.*`, `\[.*`, `\{\{.*`, `\$\{.*`, `\$\(.*`, `#\{.*`, `%\(.*`, `\{[a-zA-Z_][\w.]*\}.*`, // templates
	`\$[A-Z_][A-Z0-9_]*`, `\$[a-z_]+`, `\$env:\w+`, `%\w*%?`, `:[a-z_]+`, `\?+`, // variables
	`!(?:secret|vault|env|include|ref|sub)\b.*`,                       // YAML tags
	`[*•●·.…xX#?_-]{3,}`,                                              // masks
	`(?i)your[-_ ].*`, `(?i).*[-_]here`, `(?i)(?:my|the)[-_][a-z_-]+`, // descriptions
}, "|") + `)$`)

// placeholder says whether s only stands for a secret.
func placeholder(s string) bool {
	for _, sample := range samples {
		if strings.Contains(s, sample) {
			return true
		}
	}
	low := lower(s)
	for _, mask := range []string{"****", "...", "…", "xxxx", "-your-", "_your_"} {
		if strings.Contains(low, mask) {
			return true
		}
	}
	return standIn.MatchString(s) || !look(s).hasDigit() && describes(low)
}

// describes says whether a text without digits holds a word of the kind that
// manuals put in place of a secret.
func describes(low string) bool {
	for _, word := range []string{"example", "placeholder", "changeme", "change-me", "change_me", "your", "dummy", "redacted", "replace", "insert", "foobar"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return false
}

// looks counts what a text is made of, in runes. Symbols are what passwords
// have and words do not; the marks that also join words (- _ . / ' and the
// like) are others, as is all that is not ASCII.
type looks struct {
	lower, upper, digits, symbols, others int
}

func (l looks) hasDigit() bool  { return l.digits > 0 }
func (l looks) hasLetter() bool { return l.lower+l.upper > 0 }

// look counts s.
func look(s string) (l looks) {
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z':
			l.lower++
		case 'A' <= r && r <= 'Z':
			l.upper++
		case '0' <= r && r <= '9':
			l.digits++
		case strings.ContainsRune("!@#$%^&*+=~?|", r):
			l.symbols++
		default:
			l.others++
		}
	}
	return l
}

// entropy is Shannon's, of the bytes of s, in bits per byte: 0 to 8. Random
// hexadecimal digits come near 4, random letters and digits near 5.
func entropy(s string) (bits float64) {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// always accepts all but placeholders.
func always(s string) bool { return !placeholder(s) }

// telling accepts what has letters and digits, or both cases. It is enough
// behind a prefix that is an issuer's own.
func telling(s string) bool {
	l := look(s)
	return (l.hasLetter() && l.hasDigit() || l.lower > 0 && l.upper > 0) && entropy(s) > 2 && !placeholder(s)
}

// dense accepts what no name of a thing looks like: an unbroken run of ten or
// more letters and digits, mixed. "sk-folding-cube-item-2" is a style sheet's.
func dense(s string) bool { return mixedRun(s) >= 10 && entropy(s) > 2.5 && !placeholder(s) }

// mixedRun returns the length of the longest run of ASCII letters and digits
// in s that has both.
func mixedRun(s string) (longest int) {
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf || !isWord(byte(r)) || r == '_' }) {
		if l := look(part); l.hasLetter() && l.hasDigit() {
			longest = max(longest, len(part))
		}
	}
	return longest
}

// strong accepts what is a password even where little says so: six or more
// characters with letters, and digits or symbols, not a name with a number.
func strong(s string) bool {
	l := look(s)
	return len(s) >= 6 && l.hasLetter() && (l.hasDigit() || l.symbols > 0) && !wordy(s) && !placeholder(s)
}

// trimmedStrong is strong without the punctuation of the sentence.
func trimmedStrong(s string) bool { return strong(strings.TrimRight(s, trailing)) }

// bearer accepts the credentials of an Authorization header; "Bearer of bad
// news" and "bearer authentication" have none.
func bearer(s string) bool {
	l := look(s)
	return l.hasLetter() && l.hasDigit() && mixedRun(s) >= 6 && !wordy(s) && !placeholder(s)
}

// basicPair accepts base64 of "user:password" (RFC 7617).
func basicPair(s string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil {
		return false
	}
	_, secret, ok := strings.Cut(string(raw), ":")
	return ok && secret != "" && utf8.Valid(raw) && strings.IndexFunc(string(raw), unicode.IsControl) < 0
}

// urlPort matches what is a port and not a password.
var urlPort = lazy.MustCompile(`^\d{1,5}(?:[?#/].*)?$`)

// urlPassword accepts the password of a URL: not a port, and not the word that
// manuals write there.
func urlPassword(s string) bool {
	return !urlPort.MatchString(s) && !placeholder(s) && !isLabelWord(strings.ToLower(s))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// isWord says whether c is a letter, digit or underscore of ASCII.
func isWord(c byte) bool { return c == '_' || isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }

func isBase64(r rune) bool {
	return r < utf8.RuneSelf && (isWord(byte(r)) && r != '_' || r == '+' || r == '/' || r == '=')
}

func allDigits(s string) bool { return look(s).digits == len(s) }

// lettersOnly says whether s is made of ASCII letters.
func lettersOnly(s string) bool {
	l := look(s)
	return l.lower+l.upper == len(s)
}
