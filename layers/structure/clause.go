package structure

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/text"
)

// clause is a stretch of the text made ready for the rules: signs plain, white
// space single, English endings apart ("I 'm", "do n't"), Han characters
// simplified, what was taken out (times, reasons) missing. Each of its bytes
// knows where in the text it comes from.
type clause struct {
	from string // the text
	text string
	span []text.Span // of each byte of text, in from
}

// part returns the stretch from start to end of c.text as a clause.
func (c *clause) part(start, end int) *clause {
	return &clause{from: c.from, text: c.text[start:end], span: c.span[start:end]}
}

// source returns the words of the text from which start to end was made. A
// stretch may not be empty.
func (c *clause) source(start, end int) string {
	return strings.Join(strings.Fields(c.from[c.span[start].Start:c.span[end-1].End]), " ")
}

// gap returns the first place in start to end before which something was
// taken out of the text, else end.
func (c *clause) gap(start, end int) int {
	for i := start + 1; i < end; i++ {
		if c.span[i].Start > c.span[i-1].End && strings.TrimSpace(c.from[c.span[i-1].End:c.span[i].Start]) != "" {
			return i
		}
	}
	return end
}

// writer makes a clause.
type writer struct {
	c *clause
	b strings.Builder
}

func (w *writer) put(s string, at text.Span) {
	w.b.WriteString(s)
	for range len(s) {
		w.c.span = append(w.c.span, at)
	}
}

// last returns the last rune written, 0 at the beginning.
func (w *writer) last() rune {
	if w.b.Len() == 0 {
		return 0
	}
	r, _ := utf8.DecodeLastRuneInString(w.b.String())
	return r
}

func (w *writer) blank(at int) {
	if last := w.last(); last != 0 && last != ' ' {
		w.put(" ", text.Span{Start: at, End: at})
	}
}

func (w *writer) done() *clause {
	w.c.text = w.b.String()
	end := len(strings.TrimRight(w.c.text, " "))
	return w.c.part(0, end)
}

// normalise makes a clause of a stretch of the text, without the cuts, which
// are in order.
func (l *language) normalise(from string, at text.Span, cuts []text.Span) *clause {
	w := &writer{c: &clause{from: from}}
	for i := at.Start; i < at.End; {
		if len(cuts) > 0 && i >= cuts[0].Start {
			if i < cuts[0].End {
				i = cuts[0].End
			}
			cuts = cuts[1:]
			w.blank(i)
			continue
		}
		r, size := utf8.DecodeRuneInString(from[i:])
		l.write(w, r, text.Span{Start: i, End: i + size})
		i += size
	}
	if l.spaced {
		return w.done().apart()
	}
	c := w.done().tight()
	if l.code == japaneseCode {
		return c
	}
	c.text = mainland.Replace(c.text)
	return c
}

// mainland maps words of Taiwan and Hong Kong to those that the Chinese rules know.
// Both are of the same length, so that each byte keeps its place.
var mainland = strings.NewReplacer("程式", "程序", "资料库", "数据库", "软体", "软件", "硬体", "硬件", "网路", "网络",
	"伺服器", "服务器", "专案", "项目", "作业系统", "操作系统", "计程车", "出租车", "脚踏车", "自行车", "捷运", "地铁")

func (l *language) write(w *writer, r rune, at text.Span) {
	switch {
	case unicode.IsSpace(r):
		w.blank(at.Start)
	case r == utf8.RuneError:
	case l.spaced:
		w.put(plain(r), at)
	case l.code == japaneseCode:
		w.put(kanaSign(r), at)
	case unicode.Is(unicode.Han, r):
		w.put(text.Fold(string(r)), at)
	default:
		w.put(wide(r), at)
	}
}

// plain returns the form of a sign that English rules know.
func plain(r rune) string {
	switch r {
	case '’', '‘', 'ʼ', '＇':
		return "'"
	case '“', '”', '„':
		return "\""
	case '–', '—', '―':
		return " - "
	case '，':
		return ","
	}
	return string(r)
}

// wide returns the form of a sign that Chinese rules know.
func wide(r rune) string {
	switch r {
	case ',', '､':
		return "，"
	case ';':
		return "；"
	case ':':
		return "："
	case '!':
		return "！"
	case '?':
		return "？"
	case '—', '–':
		return "，"
	}
	return string(r)
}

// endings are written together with a word and are words of their own.
var endings = []string{"n't", "'m", "'re", "'ve", "'ll", "'d", "'s"}

// apart sets English endings and signs apart from their words.
func (c *clause) apart() *clause {
	w := &writer{c: &clause{from: c.from}}
	for i := 0; i < len(c.text); i++ {
		if i > 0 && c.text[i-1] != ' ' && (startsEnding(c.text, i) || startsPause(c.text, i)) {
			w.blank(c.span[i].Start)
		}
		if c.text[i] == ' ' && w.last() == ' ' {
			continue
		}
		w.put(c.text[i:i+1], c.span[i])
	}
	return w.done()
}

func startsEnding(s string, i int) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return endsWord(s, i, e) })
}

// startsPause reports whether a sign at i ends a word: the comma of "1,000" and
// the colon of 3:30 do not.
func startsPause(s string, i int) bool {
	return strings.IndexByte(",;:()", s[i]) >= 0 && (i+1 == len(s) || s[i+1] == ' ')
}

// endsWord reports whether the ending stands at i, at the end of a word.
func endsWord(s string, i int, ending string) bool {
	if len(s)-i < len(ending) || !strings.EqualFold(s[i:i+len(ending)], ending) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(s[i+len(ending):])
	return !unicode.IsLetter(next)
}

// tight drops blanks beside Han characters and wide signs.
func (c *clause) tight() *clause {
	w := &writer{c: &clause{from: c.from}}
	for i := 0; i < len(c.text); {
		r, size := utf8.DecodeRuneInString(c.text[i:])
		next, _ := utf8.DecodeRuneInString(c.text[i+size:])
		if r != ' ' || !glued(w.last()) && !glued(next) {
			w.b.WriteString(c.text[i : i+size])
			w.c.span = append(w.c.span, c.span[i:i+size]...)
		}
		i += size
	}
	return w.done()
}

// glued reports whether r stands without blanks.
func glued(r rune) bool {
	return unicode.Is(unicode.Han, r) || isKana(r) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF
}
