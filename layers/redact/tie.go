package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
)

// Words that tie a label to its value, in lower case. "password is now X",
// "password for the guest network: X", "set the password to X".
var (
	verbs = wordSet(`is was are equals reads ist lautet war est était es era é è är er jest je это adalah là`)
	// longVerbs are verbs of two words; the first is looked up in verbs' place.
	longVerbs = wordSet(`has-been will-be should-be must-be to-jest`)
	adverbs   = wordSet(`now still just simply currently actually set changed reset to jetzt ahora maintenant`)
	forWhat   = wordSet(`for of to on at in from de del della di du da do für fürs vom zum zur von voor van от для к`)
	toWhat    = wordSet(`to auf a à на`)
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// signs assign. The longer stand before those that begin them.
var signs = []string{":=", "=>", "===", "==", "=", ":", "：", "＝", "->", "→"}

// maxAbout is the number of words that "for the guest network" may have, the
// preposition apart.
const maxAbout = 5

// announced returns the value that follows the label at t.raw[at:end]. A sign
// of assignment goes before a verb, a verb before mere neighbourhood.
func announced(t text, at, end int) (candidate, bool) {
	start := end + closing(t.low[end:])
	if c, ok := assign(t.low, start); ok {
		return c.read(t.raw)
	}
	if size := markup(t.low[start:]); size > 0 {
		return candidate{start: start + size, form: assigned}.read(t.raw)
	}
	if size := sentence(t.low[start:]); size > 0 {
		return candidate{start: start + size, form: said}.read(t.raw)
	}
	if c, ok := remark(t, start); ok {
		return c.read(t.raw)
	}
	return neighbour(t, at, end, start)
}

// closing returns the length of the quotes, brackets and the remark in
// parentheses that may stand between a label and its tie.
func closing(s string) int {
	i := 0
	for n := 0; n < 4 && i < len(s) && !strings.HasPrefix(s[i:], "'s ") && strings.IndexByte("\\\"'`])*", s[i]) >= 0; n++ {
		i++
	}
	return i + max(parenthesis(s[i:]), aside(s[i:]))
}

var asideTie = lazy.MustCompile(`^, [^,.:;\n]{1,32},`)

// aside returns the length of ", by the way," at the start of s, else 0.
func aside(s string) int {
	if !strings.HasPrefix(s, ", ") {
		return 0
	}
	return len(asideTie.FindString(s[:min(len(s), 64)]))
}

// parenthesis returns the length of " (wifi)" at the start of s, else 0.
func parenthesis(s string) int {
	const longest = 48
	rest := strings.TrimPrefix(s[:min(len(s), longest)], " ")
	if !strings.HasPrefix(rest, "(") && !strings.HasPrefix(rest, "（") {
		return 0
	}
	end := strings.IndexAny(rest, ")）\n")
	if end < 0 || rest[end] == '\n' {
		return 0
	}
	_, size := utf8.DecodeRuneInString(rest[end:])
	return min(len(s), longest) - len(rest) + end + size
}

// blanks returns the length of the white space at the start of s, at most eight.
func blanks(s string) int {
	i := 0
	for i < len(s) && i < 8 && strings.IndexByte(" \t\r\n", s[i]) >= 0 {
		i++
	}
	return i
}

// assign reads a sign of assignment at s[start:], with blanks around it.
func assign(s string, start int) (candidate, bool) {
	at := start + blanks(s[start:])
	for _, sign := range signs {
		if !strings.HasPrefix(s[at:], sign) {
			continue
		}
		end := at + len(sign)
		for end < len(s) && s[end] == '*' && end < at+len(sign)+2 { // **Password:** X
			end++
		}
		value := end + blanks(s[end:])
		tight := sign == "=" && at == start && value == end
		return candidate{start: value, form: assigned, tight: tight, spaced: sign == ":" && value > end}, true
	}
	return candidate{}, false
}

var markupTie = lazy.MustCompile(`^(?:\s+value=|\s*\n\s*value:\s*|>)`)

// markup returns the length of what ties a name and a value in XML and YAML.
func markup(s string) int {
	if s == "" || s[0] != '>' && blanks(s) == 0 {
		return 0
	}
	if found := markupTie.FindStringIndex(s[:min(len(s), 48)]); found != nil {
		return found[1]
	}
	return 0
}

var asianVerb = lazy.MustCompile(`^\s{0,2}(?:我|已经|现在|目前|暂时|统一|都|还|应该|被){0,2}(?:设置|设|設|改|用|换|換|变|變)?(?:的|了)?就?` +
	`(?:是|为|為|成|叫|は|が|는|은|이|가)了?\s{0,2}[:：]?\s{0,2}`)

// sentence returns the length of the verb at the start of s, 0 for none.
func sentence(s string) int {
	for _, possessive := range []string{"'s ", "’s "} {
		if strings.HasPrefix(s, possessive) {
			return len(possessive)
		}
	}
	if r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s[:min(len(s), 8)], " ")); isCJK(r) {
		if found := asianVerb.FindStringIndex(s[:min(len(s), 96)]); found != nil {
			return found[1]
		}
		return 0
	}
	return verb(s)
}

// verb returns the length of "is now: " and the like at the start of s.
func verb(s string) int {
	word, end := nextWord(s)
	second, after := nextWord(s[end:])
	switch {
	case longVerbs[word+"-"+second]:
		end += after
	case !verbs[strings.TrimRight(word, ":：")]:
		return 0
	}
	for range 2 {
		if word, size := nextWord(s[end:]); adverbs[strings.TrimRight(word, ":")] {
			end += size
		}
	}
	if rest := strings.TrimLeft(s[end:], " "); strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "：") {
		_, size := utf8.DecodeRuneInString(rest)
		end = len(s) - len(rest) + size
	}
	if size := blanks(s[end:]); size > 0 {
		return end + size
	}
	return 0
}

// nextWord returns the word at the start of s, behind at least one blank, and
// where it ends; "" and 0 for none.
func nextWord(s string) (word string, end int) {
	start := blanks(s)
	if start == 0 {
		return "", 0
	}
	const longest = 24
	end = start
	for end < len(s) && end-start <= longest && !strings.ContainsRune(" \t\r\n", rune(s[end])) {
		end++
	}
	return s[start:end], end
}

// remark reads what a secret is for, and the tie behind that: "for the guest
// network is", "Gmail is". Before a colon it holds no digits: they would be a
// time, as in "the password for the call at 10:30".
func remark(t text, start int) (candidate, bool) {
	s := t.low
	word, size := nextWord(s[start:])
	if !forWhat[word] {
		if r, _ := utf8.DecodeRuneInString(t.raw[start+size-len(word):]); word == "" || !unicode.IsUpper(r) {
			return candidate{}, false
		}
		size = 0
	}
	digits := false
	for range maxAbout {
		start += size
		if word, size = nextWord(s[start:]); word == "" {
			return candidate{}, false
		}
		name := strings.TrimRight(word, ":=：")
		if strings.ContainsAny(name, ":=,;!?") || strings.HasSuffix(name, ".") {
			return candidate{}, false
		}
		if digits = digits || look(name).hasDigit(); !digits {
			if c, ok := assign(s, start+size-len(word)+len(name)); ok {
				return c, true
			}
		}
		if end := sentence(s[start+size:]); end > 0 {
			return candidate{start: start + size + end, form: said}, true
		}
	}
	return candidate{}, false
}

// neighbour reads the value right behind the label at t.raw[at:end].
func neighbour(t text, at, end, start int) (candidate, bool) {
	last, _ := utf8.DecodeLastRuneInString(t.raw[:end])
	if strings.HasPrefix(t.low[start:], ", ") {
		start++
	}
	size := blanks(t.low[start:])
	c := candidate{start: start + size, form: beside, glued: size == 0}
	if c.glued && !isCJK(last) {
		return c, false
	}
	if word, size := nextWord(t.low[start:]); toWhat[word] || word == "|" || word == "/" || word == "-" || word == "–" || word == "—" {
		c.start = start + size + blanks(t.low[start+size:])
	}
	if strings.HasSuffix(t.raw[:at], "--") {
		c.form = assigned
	}
	return c.read(t.raw)
}
