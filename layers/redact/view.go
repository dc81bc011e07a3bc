package redact

import (
	"unicode"
	"unicode/utf8"
)

// view is a text as a reader takes it in: full-width forms as ASCII, without
// invisible characters, with broken keys in one piece. Each byte knows the
// stretch of the original that it stands for.
//
//	original  ｐ a ZWSP s s   bytes 3 1 3 1 1
//	view      p a s s         starts 0 3 7 8, ends 3 4 8 9
type view struct {
	text         string
	starts, ends []int
}

// unmask returns the view of s, and whether it differs from s at all. A text
// that hides nothing costs one look at each byte.
func unmask(s string) (view, bool) {
	letters, folded := fold(s)
	whole, joined := join(letters.text)
	switch {
	case !joined:
		return letters, folded
	case !folded:
		return whole, true
	}
	for i := range whole.starts {
		whole.starts[i], whole.ends[i] = letters.starts[whole.starts[i]], letters.ends[whole.ends[i]-1]
	}
	return whole, true
}

// original returns f as a stretch of the original.
func (v view) original(f span) span {
	f.start, f.end = v.starts[f.start], v.ends[f.end-1]
	return f
}

// viewer collects a view; places are filled from the first change on.
type viewer struct {
	source  string
	out     []byte
	view    view
	changed bool
}

// keep adds the bytes source[from:to] as they are.
func (w *viewer) keep(from, to int) {
	for i := from; w.changed && i < to; i++ {
		w.put(w.source[i], i, i+1)
	}
}

// put adds c in place of source[from:to].
func (w *viewer) put(c byte, from, to int) {
	w.change(from)
	w.out = append(w.out, c)
	w.view.starts, w.view.ends = append(w.view.starts, from), append(w.view.ends, to)
}

// change says that the view differs from source[at:] on.
func (w *viewer) change(at int) {
	if w.changed {
		return
	}
	w.changed = true
	w.keep(0, at)
}

// done returns the view, which is the source where nothing changed.
func (w *viewer) done() (view, bool) {
	if !w.changed {
		return view{text: w.source}, false
	}
	w.view.text = string(w.out)
	return w.view, true
}

// fold writes full-width forms and odd blanks as ASCII and drops what is
// invisible.
func fold(s string) (view, bool) {
	w := viewer{source: s}
	last := rune(0) // what was written last, folded
	for i := 0; i < len(s); {
		if n := asciiRun(s[i:]); n > 0 {
			w.keep(i, i+n)
			i += n
			last = rune(s[i-1])
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if invisible(r) {
			w.change(i)
			i += n
			continue
		}
		next, _ := utf8.DecodeRuneInString(s[i+n:])
		if last = ascii(last, r, next); last != r {
			w.put(byte(last), i, i+n)
		} else {
			w.keep(i, i+n)
		}
		i += n
	}
	return w.done()
}

// asciiRun returns the length of the ASCII at the start of s.
func asciiRun(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return i
		}
	}
	return len(s)
}

// invisible says whether r shows nothing: format characters (Unicode category
// Cf: zero-width blanks and joiners, soft hyphen, marks of direction), the
// grapheme joiner, variation selectors and the fillers of Hangul.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector) || r == 0x034f || r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0
}

// fullWidth is what Unicode adds to "!" to "~" for the forms of U+FF01 on.
const fullWidth = 0xfee0

// ascii returns r, which is not ASCII, as what it looks like in ASCII, and r
// itself where it looks like nothing there. The punctuation of Chinese and
// Japanese sentences stays, as it ends a secret, unless it stands within a
// full-width word; dashes count between digits only.
func ascii(last, r, next rune) rune {
	switch {
	case unicode.Is(unicode.Zs, r):
		return ' '
	case 0x2010 <= r && r <= 0x2015, r == 0x2212, r == 'ー':
		if isNumeral(last) && isNumeral(next) {
			return '-'
		}
		return r
	case r < '！' || r > '～':
		return r
	}
	switch r {
	case '，', '；', '（', '）':
		return r
	case '：', '？', '！':
		if !wide(next) || !isASCIIWord(last) {
			return r
		}
	}
	return r - fullWidth
}

// wide says whether r is a full-width letter, digit or slash.
func wide(r rune) bool {
	return '！' <= r && r <= '～' && (isASCIIWord(r-fullWidth) || r == '／')
}

func isASCIIWord(r rune) bool { return r < utf8.RuneSelf && isWord(byte(r)) }

func isNumeral(r rune) bool { return '0' <= r && r <= '9' || '０' <= r && r <= '９' }
