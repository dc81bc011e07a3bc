package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a stretch of a text: bytes Start up to, not including, End.
type Span struct {
	Start, End int
}

// Sentences returns the spans of the sentences of s in order. They do not
// overlap, begin and end with something visible, and leave out nothing but
// white space. A sentence ends at . ! ? … or their forms in other scripts,
// with the quotes and brackets that close there, and at the end of a line
// unless the next line goes on in lower case. It does not end inside 3.5 or
// node.js, after Dr. or J., after the number of a list item, or where a quoted
// question goes on: "Why?" he asked.
func Sentences(s string) []Span {
	var spans []Span
	for start := skipSpace(s, 0); start < len(s); {
		end := sentenceEnd(s, start)
		spans = append(spans, Span{start, start + len(strings.TrimRightFunc(s[start:end], unicode.IsSpace))})
		start = skipSpace(s, end)
	}
	return spans
}

func skipSpace(s string, at int) int {
	return len(s) - len(strings.TrimLeftFunc(s[at:], unicode.IsSpace))
}

// sentenceEnd returns where the sentence that starts at start ends.
func sentenceEnd(s string, start int) int {
	for at := start; at < len(s); {
		r, size := decode(s, at)
		next := at + size
		switch {
		case r == '\n':
			if endsLine(s, start, at) {
				return at
			}
		case isTerminator(r):
			var closed bool
			next, closed = stretch(s, at)
			if ends(s, start, at, next, closed) {
				return next
			}
		}
		at = next
	}
	return len(s)
}

const (
	// wideTerminators end a sentence whatever follows: their scripts set no space.
	wideTerminators = "。！？｡"
	terminators     = ".!?…‽؟۔।॥።" + wideTerminators
	closers         = "\"'”’»)]}）」』】》〉›*_"
)

func isTerminator(r rune) bool { return strings.ContainsRune(terminators, r) }

// stretch returns the end of the terminators and closers that begin at at, and
// whether a closer is among them.
func stretch(s string, at int) (end int, closed bool) {
	end = at
	for end < len(s) {
		r, size := decode(s, end)
		switch {
		case strings.ContainsRune(closers, r):
			closed = true
		case !isTerminator(r) || closed:
			return end, closed
		}
		end += size
	}
	return end, closed
}

// endsLine tells whether the line feed at at ends the sentence from start: not
// where a letter or comma is followed by lower case, as in wrapped text.
func endsLine(s string, start, at int) bool {
	before := strings.TrimRightFunc(s[start:at], unicode.IsSpace)
	after := strings.TrimLeft(s[at+1:], " \t\r")
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := decode(after, 0)
	wrapped := unicode.IsLower(next) && (unicode.IsLetter(last) || last == ',')
	return !wrapped
}

// ends tells whether the terminators at at, which reach with their closers to
// next, end the sentence from start.
func ends(s string, start, at, next int, closed bool) bool {
	first, _ := decode(s, at)
	following, size := decode(s, skipSpace(s, next))
	after, _ := decode(s, next)
	switch {
	case size == 0 || strings.ContainsRune(wideTerminators, first):
		return true
	case !unicode.IsSpace(after) && !isHan(after) && !isKana(after):
		return false
	case closed && unicode.IsLower(following):
		return false
	case first != '.' && first != '…':
		return true
	case unicode.IsLower(following) && !startsLower(s, start):
		return false
	}
	return first != '.' || next-at > 1 && !closed || !isAbbreviation(s, start, at, next)
}

// startsLower tells a writer who does without capitals.
func startsLower(s string, start int) bool {
	first, _ := decode(s, start)
	return unicode.IsLower(first)
}

// isAbbreviation tells whether the full stop at at belongs to the word before
// it rather than to the sentence.
func isAbbreviation(s string, start, at, next int) bool {
	word := s[start:at]
	if cutAt := strings.LastIndexFunc(word, isOutsideAbbreviation); cutAt >= 0 {
		_, size := decode(word, cutAt)
		word = word[cutAt+size:]
	}
	folded := strings.ToLower(word)
	switch {
	case abbreviations[folded] == neverEnds:
		return true
	case isNumber(word):
		return len(word) == at-start || len(word) <= 2 && startsWithMonth(s[skipSpace(s, next):]) // the number of a list item, or am 3. Oktober
	case abbreviations[folded] == mayEnd, utf8.RuneCountInString(word) == 1, strings.Contains(word, "."):
		return !startsWithStopWord(s[skipSpace(s, next):])
	}
	return false
}

func isOutsideAbbreviation(r rune) bool {
	return r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

func isNumber(word string) bool {
	return word != "" && strings.Trim(word, "0123456789") == ""
}

// startsWithMonth tells the month of a date in German, the language that writes a day
// with a full stop and what follows it with a capital.
func startsWithMonth(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	switch strings.TrimRightFunc(word, unicode.IsPunct) {
	case "Januar", "Jänner", "Februar", "Feber", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember":
		return true
	}
	return false
}

// startsWithStopWord tells a new sentence after an abbreviation by its first
// word: "at 5 p.m. We left" and "at 5 p.m. Monday".
func startsWithStopWord(s string) bool {
	first, _ := decode(s, 0)
	if !unicode.IsUpper(first) {
		return false
	}
	word := s[:runEnd(s, 0, classWord)]
	v := stops()
	return v.words[foldRunes(word)].stop&v.set("en") != 0
}

// ending says whether a sentence may end with an abbreviation.
type ending uint8

const (
	neverEnds ending = iota + 1
	mayEnd
)

var abbreviations = abbreviationList(
	"mr mrs ms mx dr prof st mt ft gen col capt lt sgt rev hon pres gov sen rep vs viz approx dept fig nr hr fr sra mme mlle bzw bspw ca",
	"etc inc ltd co corp jr sr no vol est ave blvd rd al ed eds phd usw jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun")

func abbreviationList(never, may string) map[string]ending {
	list := map[string]ending{}
	for word := range strings.FieldsSeq(never) {
		list[word] = neverEnds
	}
	for word := range strings.FieldsSeq(may) {
		list[word] = mayEnd
	}
	return list
}
