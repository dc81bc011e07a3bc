package redact

import (
	"strings"

	"mcp-memory/internal/lazy"
)

// shape is what the secrets behind a label look like.
type shape int

const (
	asWord   shape = iota // a password: anything that is no prose
	asStrong              // a password, behind a label that means other things too
	asPin
	asCvv
	asCheck  // a card's check code, behind words that mean other things too
	asCode   // a one-time code
	asKey    // random letters and digits
	asSecret // a key, or a short password within quotes
	asStrict // a key, behind the mere word "key"
)

// accepts says whether the candidate is a secret of the shape.
func (s shape) accepts(c candidate) bool {
	switch s {
	case asWord:
		return wordShape(c)
	case asStrong:
		return c.form >= said && strong(c.value) && !strings.ContainsAny(c.value, `\(`) && !measure(c) && !location(c.value) && !isCode(c)
	case asPin:
		return c.form >= said && len(c.value) >= 4 && len(c.value) <= 8 && allDigits(c.value) && !measure(c)
	case asCvv:
		return (len(c.value) == 3 || len(c.value) == 4) && allDigits(c.value)
	case asCheck:
		return c.form >= said && asCvv.accepts(c) && !measure(c) && !counted.MatchString(c.after)
	case asCode:
		return codeShape(c)
	case asSecret:
		return keyShape(c) || c.form == quoted && strong(c.value) && !strings.ContainsAny(c.value, " /:") || c.form >= said && jumbled(c)
	case asStrict:
		return strictShape(c)
	}
	return keyShape(c)
}

// counted matches what makes the number before it a quantity.
var counted = lazy.MustCompile(`(?i)^\s?(?:%|€|\$|ms\b|sec|second|user|request|attempt|fail|error|line|people|person|message|email|mail|sms|char|digit|entr|eur|usd|dollar|` +
	`[毫微]?秒|元|块|人|条|封|名|毫|万|件|回|円|명|개|원|초)`)

// codeShape accepts a one-time code: four to eight digits, which are no year
// where nothing ties them to the label, and no quantity. Google writes "G-"
// before its codes.
func codeShape(c candidate) bool {
	digits := strings.TrimPrefix(c.value, "G-")
	n := len(digits)
	if n < 4 || n > 8 || !allDigits(digits) || measure(c) || counted.MatchString(c.after) {
		return false
	}
	year := n == 4 && (digits[:2] == "19" || digits[:2] == "20")
	return c.form > beside || !year
}

// jumbled accepts letters, digits and a symbol that neither joins words nor
// ends a sentence, mixed: "Zq8!mmWp22", not "repo#1234" nor "GPT4all!".
func jumbled(c candidate) bool {
	v := strings.TrimRight(c.value, "!"+trailing)
	return strong(v) && strings.ContainsAny(v, "!#$%^*~") && mixedRun(v) >= 3 && !strings.ContainsAny(v, ` /:\([{<>=`) &&
		!measure(c) && !isCode(c)
}

// wordShape accepts a password. A value with digits or symbols is one unless
// it is a date, a measure or code; bare letters only where the sentence, line
// or field ends with them, and they are no word that describes passwords.
func wordShape(c candidate) bool {
	l := look(c.value)
	switch {
	case len(c.value) < c.shortest():
		return false
	case c.form == quoted && !phrase(c.value), c.form != quoted && (isProse(c.value) || namesLabel(c.value)):
		return false
	case placeholder(c.value) || measure(c) || location(c.value) || isCode(c):
		return false
	case c.form == quoted:
		return true
	case c.form == beside:
		return l.hasDigit() && strong(c.value) && (l.symbols > 0 || len(c.value) >= 8) || c.glued && allDigits(c.value) && len(c.value) >= 6
	case l.hasDigit() || l.symbols > 0:
		return true
	}
	return l.lower+l.upper > 0 && l.lower+l.upper+strings.Count(c.value, "-")+strings.Count(c.value, "_") == len(c.value) && c.ends()
}

// shortest is the size, in bytes, of the shortest password that is recognised.
func (c candidate) shortest() int {
	if c.form == quoted || c.tight {
		return 3
	}
	return 4
}

// clauseEnd matches what stands behind the last word of a clause.
var clauseEnd = lazy.MustCompile(`^(?:$|[.,;!?)\]}"'…。，；！？、）」|&<]|\s*[\r\n]|\s*$|\s+(?:and|but|und|et|y|e)\s|\s+[#(|/–—-]|\s{2}|です|だ|입니다|이야|예요|哦|吧|啊|了)`)

// ends says whether a sentence, a line or a field ends with the value.
func (c candidate) ends() bool {
	if c.form == assigned && !c.spaced && (lettersFollowedByCode.MatchString(c.after) || !c.tight && strings.HasPrefix(c.after, ";")) {
		return false
	}
	return c.tight || clauseEnd.MatchString(c.after)
}

// lettersFollowedByCode matches what stands behind an argument in a program.
var lettersFollowedByCode = lazy.MustCompile(`^(?:,(?:\s|$)|[)\]\[(.])`)

// keyShape accepts random letters and digits: a mixed run of eight or more in a
// value of ten or more; sixteen where no sign or verb ties it to the label.
func keyShape(c candidate) bool {
	v := c.value
	if len(v) < 10 || strings.ContainsAny(v, " \t()") || c.form != quoted && namesKey(v) || placeholder(v) || location(v) || isCode(c) || measure(c) {
		return false
	}
	return mixedRun(v) >= 8 && entropy(v) > 2.5 && (c.form > beside || mixedRun(v) >= 16)
}

var digestPrefix = lazy.MustCompile(`(?i)^(?:sha\d+|md5|ssh-)`)

// strictShape accepts, behind the mere word "key", only what looks random to
// any eye: twenty or more characters with digits and both cases. A git hash, a
// UUID and a ULID have one case.
func strictShape(c candidate) bool {
	l := look(c.value)
	return keyShape(c) && c.form > beside && mixedRun(c.value) >= 20 && l.lower > 0 && l.upper > 0 && l.digits > 0 &&
		entropy(c.value) > 3.5 && !digestPrefix.MatchString(c.value)
}
