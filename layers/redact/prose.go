package redact

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"mcp-memory/internal/lazy"
)

// proseWords are words that follow "the password is" without being one.
//
//go:embed words.txt
var proseWords string

// prose is the set of them, in lower case.
var prose = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(proseWords) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for word := range strings.FieldsSeq(line) {
			set[word] = true
		}
	}
	return set
})

// endings are those of English participles, adjectives and adverbs.
var endings = []string{"ed", "ing", "able", "ible", "ly", "less", "n't"}

// isProse says whether v is a word, or a compound that ends with a word, that
// says something about a secret: "required", "case-sensitive", "SHA-256".
func isProse(v string) bool {
	v = strings.Trim(v, trailing+`("’`)
	if prose()[lower(v)] {
		return true
	}
	if i := strings.LastIndexAny(v, "-/|"); i > 0 && i < len(v)-1 {
		return isProse(v[i+1:])
	}
	return len(v) >= 5 && v == lower(v) && slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(v, e) }) &&
		!look(v).hasDigit()
}

// phrase accepts what stands between quotes as a password: one word, or up to
// eight of which at most a quarter belong to a sentence about passwords.
func phrase(v string) bool {
	words, told := strings.Fields(v), 0
	for _, w := range words {
		if namesLabel(w) || constantName.MatchString(w) {
			return false
		}
		if isProse(w) {
			told++
		}
	}
	return len(words) > 0 && len(words) <= 8 && told <= len(words)/4
}

var constantName = lazy.MustCompile(`^[A-Z]+(?:_[A-Z]+)+$`)

// namesLabel says whether v is a name, without digits, that has a label as one
// of its parts: "db_password", "Password", "auth.secret".
func namesLabel(v string) bool {
	l := look(v)
	return !l.hasDigit() && l.symbols == 0 && slices.ContainsFunc(parts(v), func(p string) bool { return isLabelWord(lower(p)) })
}

// identifier matches the names of programs.
var identifier = lazy.MustCompile(`^[A-Za-z_]\w*$`)

// namesKey says whether v is a program's name for a key, such as
// "testEd25519PrivateKey": it may hold digits.
func namesKey(v string) bool {
	return identifier.MatchString(v) && slices.ContainsFunc(parts(v), func(p string) bool {
		return isLabelWord(lower(strings.TrimRight(p, "0123456789")))
	})
}

// parts splits a name where it changes from lower to upper case, and at all
// that is no letter or digit.
func parts(v string) (out []string) {
	start, last := 0, rune(0)
	cut := func(end int) {
		if end > start {
			out = append(out, v[start:end])
		}
	}
	for i, r := range v {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			cut(i)
			start = i + len(string(r))
		case unicode.IsUpper(r) && unicode.IsLower(last):
			cut(i)
			start = i
		}
		last = r
	}
	cut(len(v))
	return out
}

// wordy says whether v is a name of words and numbers, such as "my-app-2024".
func wordy(v string) bool {
	if look(v).symbols > 0 {
		return false
	}
	return !slices.ContainsFunc(strings.FieldsFunc(v, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), func(p string) bool {
		l := look(p)
		return l.hasLetter() && l.hasDigit() && !prose()[lower(p)]
	})
}

var (
	measureValue = lazy.MustCompile(`(?i)^(?:\d{4}-\d{2}-\d{2}.*|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d{2}.*|v?\d+(?:\.\d+)+|v\d+|\d+%|0x[0-9a-f]{1,8}|\d+[-–]\d+|[<>≥≤=~]+\d+|` +
		`\d+[-+]?(?:chars?|characters?|bits?|bytes?|digits?|letters?|words?|days?|hours?|months?|years?|times|min|zeichen|tage)(?:-.*)?)$`)
	measureUnit = lazy.MustCompile(`(?i)^\+?\s?(?:chars?|characters?|bits?|bytes?|digits?|letters?|words?|symbols?|days?|weeks?|months?|years?|hours?|minutes?|times|` +
		`or more|zeichen|stellen|caract|位|个|個|年|月|日|天|次|字|分|小时|号|桁|文字|자)`)
)

// measure says whether the value is a date, a time, a version or a quantity.
func measure(c candidate) bool {
	return measureValue.MatchString(c.value) || allDigits(c.value) && measureUnit.MatchString(c.after)
}

var place = lazy.MustCompile(`^(?:(?:\.{0,2}|~)/[\w.-]+|[A-Za-z]:\\|\\\\|[a-z][a-z+.-]*://|arn:|file:|vault:|keychain:)`)

// location says whether v is a path or an address.
func location(v string) bool { return place.MatchString(v) }

var (
	codeCall = lazy.MustCompile(`^[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)*[(\[]`)
	codePath = lazy.MustCompile(`^(?:[a-z_]+|[A-Z][A-Za-z]+)(?:(?:\.|->|::|\?\.)[A-Za-z_][A-Za-z_]*)+$|^[a-z]+\d*\.[A-Z][A-Za-z]+$`)
	codeName = lazy.MustCompile(`^[a-z]+(?:_[a-z]+)+$`)
	codeMark = lazy.MustCompile(`^(?:[&*][A-Za-z_][\w.]*(?:\{.*)?|[{}()\[\]|&=]+|@\w+\(.*)$`)
)

// isCode says whether a value is an expression or a type and not the secret.
func isCode(c candidate) bool {
	v := c.value
	return (c.form == assigned || c.form == beside) && (codeCall.MatchString(v) || codePath.MatchString(v) || codeMark.MatchString(v) || !c.tight && codeName.MatchString(v))
}
