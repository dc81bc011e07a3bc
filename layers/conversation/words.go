package conversation

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"mcp-memory/internal/text"
)

//go:embed words/*.txt
var wordFiles embed.FS

// lists are the tables of one language: name → expression. A list that the file
// does not have matches nothing.
type lists map[string]list

// list is one table, as it is looked up: anywhere in a text, at its begin, or as
// the whole of it. Each is compiled when it is first needed.
type list struct{ within, begin, whole func() *regexp.Regexp }

// The languages with tables, read when they are first needed.
var tables = map[string]func() lists{
	"en": sync.OnceValue(func() lists { return mustLists("en") }),
	"zh": sync.OnceValue(func() lists { return mustLists("zh") }),
	"ja": sync.OnceValue(func() lists { return mustLists("ja") }),
}

func mustLists(code string) lists {
	var file strings.Builder
	for _, name := range []string{code, "work_" + code} {
		b, err := wordFiles.ReadFile("words/" + name + ".txt")
		if err != nil && !(code == "ja" && errors.Is(err, fs.ErrNotExist)) {
			panic(err)
		}
		file.WriteString(macros[code].Replace(string(b)) + "\n")
	}
	l, err := parseLists(file.String())
	if err != nil {
		panic(fmt.Errorf("words of %s: %w", code, err))
	}
	return l
}

// macros are what stands in braces in the tables of a language.
var macros = map[string]*strings.Replacer{"en": workMacros, "zh": workMacrosZh, "ja": strings.NewReplacer()}

// parseLists reads "name: expression" lines.
func parseLists(file string) (lists, error) {
	lines := map[string][]string{}
	for i, line := range strings.Split(file, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, expression, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("line %d: %q has no list name", i+1, line)
		}
		if _, err := regexp.Compile(expression); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		lines[name] = append(lines[name], bounded(expression))
	}
	out := lists{}
	for name, all := range lines {
		any := "(?:" + strings.Join(all, "|") + ")"
		out[name] = list{
			within: compiled(`(?i)` + any),
			begin:  compiled(`(?i)^` + any),
			whole:  compiled(`(?i)^` + any + `$`),
		}
	}
	return out, nil
}

func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// bounded sets word boundaries where an expression begins or ends with letters
// of a script that sets spaces. \b knows ASCII letters only, which is enough:
// the tables of the other scripts need none.
func bounded(expression string) string {
	out := "(?:" + expression + ")"
	if first := rune(expression[0]); first < unicode.MaxASCII && (unicode.IsLetter(first) || first == '(' && spaced(expression)) {
		out = `\b` + out
	}
	if last := rune(expression[len(expression)-1]); last < unicode.MaxASCII && (unicode.IsLetter(last) || last == ')' && spaced(expression)) {
		out += `\b`
	}
	return out
}

// spaced reports whether an expression is of a script that sets spaces: one with
// Latin letters and no Han or kana, and no group at its ends that may be
// something else than a word.
func spaced(expression string) bool {
	for _, r := range expression {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			return false
		}
	}
	return !strings.ContainsAny(expression, "^$") && !strings.Contains(expression, `\s`)
}

// tongue is the language that a stretch of text is judged in.
type tongue struct {
	code  string
	lists lists
}

// tongueOf judges by script: text of a dozen words has no surer sign. Latin
// script of any language is looked up in the English tables, whose words do
// little harm elsewhere.
func tongueOf(s string) tongue {
	code := script(s)
	return tongue{code, tables[code]()}
}

// script returns ja for text with kana, zh for text with Han letters, else en.
// Kana must be more than one letter in eight: Chinese borrows の.
func script(s string) string {
	han, kana := 0, 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Han, r):
			han++
		}
	}
	switch {
	case kana*8 > han+kana:
		return "ja"
	case han > 0:
		return "zh"
	}
	return "en"
}

// plain prepares a text for the tables: typographic signs plain, Chinese in
// simplified letters.
func (t tongue) plain(s string) string {
	s = plainSigns.Replace(s)
	if t.code == "zh" {
		s = text.Simplified(s)
	}
	return s
}

var plainSigns = strings.NewReplacer("’", "'", "ʼ", "'", "\u00a0", " ", "\n", " ", "\t", " ")

// edges stand around a sentence without being part of it.
const edges = " \t\r\n.,!?;:…~。，！？；：、～'\"“”‘’()（）[]【】*-–—😂😅🙂😊🤣😭👍🙏❤️🎉"

// has reports whether a list matches somewhere in s.
func (t tongue) has(name, s string) bool {
	l, ok := t.lists[name]
	return ok && l.within().MatchString(t.plain(s))
}

// find returns the byte of s where a list first matches, -1 for nowhere. It is
// looked up as it is written but for traditional letters, so that places fit.
func (t tongue) find(name, s string) int {
	l, ok := t.lists[name]
	if !ok {
		return -1
	}
	looked := s
	if simple := text.Simplified(s); len(simple) == len(s) {
		looked = simple
	}
	loc := l.within().FindStringIndex(looked)
	if loc == nil {
		return -1
	}
	return loc[0]
}

// begins reports whether s, less what stands around it, begins with one of a list.
func (t tongue) begins(name, s string) bool {
	l, ok := t.lists[name]
	return ok && l.begin().MatchString(strings.TrimLeft(t.plain(s), edges))
}

// is reports whether s is one of a list as a whole, or each of its parts between
// commas is.
func (t tongue) is(name, s string) bool {
	if t.isOne(name, s) {
		return true
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(",.!;，。！；、", r) })
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool { return strings.Trim(p, edges) != "" && !t.isOne(name, p) })
}

// isOne reports whether s, less what stands around it, is one of a list as a
// whole; commas inside do not count.
func (t tongue) isOne(name, s string) bool {
	l, ok := t.lists[name]
	if !ok {
		return false
	}
	s = strings.Trim(t.plain(s), edges)
	return s != "" && (l.whole().MatchString(s) || l.whole().MatchString(collapse(commas.Replace(s))))
}

var commas = strings.NewReplacer(",", " ", "!", " ", ".", " ", "，", "", "！", "", "。", "", "、", "")

// collapse makes single blanks of white space.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }
