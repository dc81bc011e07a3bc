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

	"mcp-memory/internal/lazy"
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

// The languages with tables, read when they are first needed. Those after Japanese
// have what makes a sentence no statement, and no more.
var tables = map[string]func() lists{
	"en": listsOf("en", bounded),
	"zh": listsOf("zh", bounded),
	"ja": listsOf("ja", bounded),
	"de": listsOf("de", set),
	"es": listsOf("es", set),
	"fr": listsOf("fr", set),
	"it": listsOf("it", set),
	"ko": listsOf("ko", grouped),
	"pt": listsOf("pt", set),
	"ru": listsOf("ru", set),
}

func listsOf(code string, bound func(expression string) string) func() lists {
	return sync.OnceValue(func() lists { return mustLists(code, bound) })
}

func mustLists(code string, bound func(expression string) string) lists {
	var file strings.Builder
	for _, name := range []string{code, "work_" + code} {
		b, err := wordFiles.ReadFile("words/" + name + ".txt")
		if err != nil && (macros[code] != nil || name == code || !errors.Is(err, fs.ErrNotExist)) {
			panic(err)
		}
		content := string(b)
		if m := macros[code]; m != nil {
			content = m.Replace(content)
		}
		file.WriteString(content + "\n")
	}
	l, err := parseLists(file.String(), bound)
	if err != nil {
		panic(fmt.Errorf("words of %s: %w", code, err))
	}
	return l
}

// macros are what stands in braces in the tables of a language.
var macros = map[string]*strings.Replacer{"en": workMacros, "zh": workMacrosZh}

// parseLists reads "name: expression" lines; bound sets the ends of an expression
// to where words end.
func parseLists(file string, bound func(expression string) string) (lists, error) {
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
		lines[name] = append(lines[name], bound(expression))
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

// set is bounded for alphabets beyond ASCII, of which \b knows nothing.
func set(expression string) string {
	return `(?:^|[^\p{L}\p{N}])(?:` + expression + `)(?:[^\p{L}\p{N}]|$)`
}

// grouped is bounded for languages whose words end in what other languages have
// words for.
func grouped(expression string) string { return "(?:" + expression + ")" }

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

// tongueOf is tongueIn for a text of which no talk is known.
func tongueOf(s string) tongue { return tongueIn(s, "") }

// tongueIn judges kana and Han by script: text of a dozen words has no surer sign.
// What is written in an alphabet is judged by its words; where they do not tell,
// it is in the language of its talk, if that is known and written so too, else in
// English. Of a language without tables nothing is known.
func tongueIn(s, talk string) tongue {
	code := script(s)
	if code == "en" {
		code = alphabetic(s, talk)
	}
	if read := tables[code]; read != nil {
		return tongue{code, read()}
	}
	return tongue{code: code}
}

func alphabetic(s, talk string) string {
	code := text.Language(s)
	if code == "en" || tables[code] == nil {
		if mark := marked(s); mark != "" {
			return mark
		}
	}
	switch {
	case code == "bg" && !strings.ContainsRune(s, 'ъ') && (tongue{"ru", tables["ru"]()}).has("first", s):
		return "ru" // a few words of Russian without a letter of its own
	case code != "" && code != "zh" && code != "ja":
		return code
	case talk != "" && talk != "en" && talk != "zh" && talk != "ja":
		return talk
	case code == "" && accented.MatchString(s):
		return likest(s)
	}
	return "en"
}

// marks are words that no other language with an alphabet writes so, for sentences too
// short to be told by frequent words and written without an accent.
var marks = []struct {
	code  string
	match *lazy.Regexp
}{
	{"de", lazy.MustCompile(`(?i)\b(ich (bin|habe?|mag|esse|trinke|wohne|lebe|arbeite|komme|hasse|liebe)|bitte keine?|mein name ist)\b`)},
	{"fr", lazy.MustCompile(`(?i)(\b(je (suis|vis|mange|bois|travaille|m'appelle|ne)|j'(ai|habite|aime|adore)|ma fille|mon fils)\b)`)},
	{"es", lazy.MustCompile(`(?i)\b((me|nos) (gustan?|encantan?|llamo)|(yo )?(soy|vivo|odio|prefiero|trabajo|tengo) (de|en|el|la|los|las|como|un|una|dos|tres)|no (como|bebo|soporto)|nunca uses)\b`)},
	{"it", lazy.MustCompile(`(?i)\b(mi (piace|piacciono|chiamo)|(abito|vivo|lavoro) (a|in|per|come) [a-z]+|non (mangio|bevo|sopporto)|sono (un|una|di|nato|nata|vegetarian[oa]|vegan[oa]))\b`)},
	{"pt", lazy.MustCompile(`(?i)\b((eu )?(gosto|moro|trabalho) (de|do|da|dos|das|em|no|na|como)|me chamo|meu nome|(eu )?sou (de|do|da|um|uma)|tenho (um|uma|dois|duas|alergia))\b`)},
}

// marked returns the language of the marks in a sentence; "" for none.
func marked(s string) string {
	s = plainSigns.Replace(s)
	for _, m := range marks {
		if m.match.MatchString(s) {
			return m.code
		}
	}
	return ""
}

// accented matches a letter that English does not write.
var accented = lazy.MustCompile(`[À-ÖØ-öø-ÿœ]`)

// likest returns the language, of those written like English, of which most lists
// match; English where none does.
func likest(s string) string {
	best, most := "en", 0
	for _, code := range []string{"de", "es", "fr", "it", "pt"} {
		t, n := (tongue{code, tables[code]()}), 0
		for name := range t.lists {
			if t.has(name, s) {
				n++
			}
		}
		if n > most {
			best, most = code, n
		}
	}
	return best
}

// KnowsWords reports whether a language has tables.
func KnowsWords(language string) bool { return tables[language] != nil }

// personal reports whether a sentence speaks in the first person, or wishes something
// for always. Korean leaves both out, and of other languages nothing is known.
func (t tongue) personal(s string) bool {
	return t.lists == nil || t.code == "ko" || t.has("first", s) || t.has("standing", s)
}

// spaced reports whether the language sets blanks between its words.
func (t tongue) spaced() bool { return t.code != "zh" && t.code != "ja" }

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
// looked up as it is written but for traditional letters of Chinese, so that places fit.
func (t tongue) find(name, s string) int {
	if at := t.span(name, s); at != nil {
		return at.Start
	}
	return -1
}

// span is find for where a list matches to, too; nil for nowhere.
func (t tongue) span(name, s string) *text.Span {
	l, ok := t.lists[name]
	if !ok {
		return nil
	}
	looked := s
	if simple := text.Simplified(s); t.code != "ja" && len(simple) == len(s) {
		looked = simple
	}
	loc := l.within().FindStringIndex(looked)
	if loc == nil {
		return nil
	}
	return &text.Span{Start: loc[0], End: loc[1]}
}

// first returns the words of s that a list first matches, "" for none.
func (t tongue) first(name, s string) string {
	l, ok := t.lists[name]
	if !ok {
		return ""
	}
	return l.within().FindString(t.plain(s))
}

// begins reports whether s, less what stands around it, begins with one of a list.
func (t tongue) begins(name, s string) bool {
	return t.starts(name, t.plain(s))
}

// starts is begins of what is plain already.
func (t tongue) starts(name, plain string) bool {
	l, ok := t.lists[name]
	return ok && l.begin().MatchString(strings.TrimLeft(plain, edges))
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
