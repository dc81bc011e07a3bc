package dates

import (
	"strconv"
	"strings"
	"time"
)

// longestWord bounds how many tokens a word of a class may have (个星期 has three).
const longestWord = 4

// A vocabulary holds the words of a class.
type vocabulary map[string]int

// class reads the longest word at tokens[i].
func (v vocabulary) class(tokens []token, i int) (value, end int, ok bool) {
	key := tokens[i].low
	value, ok = v[key]
	end = i + 1
	for j := i + 1; j < min(i+longestWord, len(tokens)) && tokens[j].kind == glyph && tokens[j-1].kind == glyph; j++ {
		key += tokens[j].low
		if n, found := v[key]; found {
			value, end, ok = n, j+1, true
		}
	}
	return value, end, ok
}

// builtin gives the classes that are no list of words.
func (b *book) builtin() map[string]class {
	return map[string]class{
		"n": b.count, "n2": b.count,
		"year": readYear, "m": within(1, 12), "d": within(1, 31), "a": within(1, 31), "b": within(1, 31),
		"mm": twoDigits(1, 12), "min": readMinute, "hour": readHour, "q": within(1, 4),
		"day": b.day, "stamp": readStamp,
		"ed": suffixed("ed"), "ing": suffixed("ing"),
	}
}

// count reads how many, in halves: "3", "1.5", "two", "twenty-one", 十二. What is
// part of a longer number, or vague (三四天, 十几), is none.
func (b *book) count(tokens []token, i int) (value, end int, ok bool) {
	t := tokens[i]
	switch t.kind {
	case number:
		return digitCount(tokens, i)
	case glyph:
		if i > 0 && strings.Contains("第几数多", tokens[i-1].low) && tokens[i-1].gap != broken {
			return 0, 0, false
		}
		n, end, ok := numeral(tokens, i)
		return 2 * n, end, ok
	}
	n, ok := b.words["number"][t.low]
	if !ok {
		return 0, 0, false
	}
	if n >= 20 && i+2 < len(tokens) && tokens[i+1].low == "-" && tokens[i+2].gap == glued {
		if ones := b.words["number"][tokens[i+2].low]; ones > 0 && ones < 10 {
			return 2 * (n + ones), i + 3, true
		}
	}
	return 2 * n, i + 1, true
}

// digitCount reads up to three digits, and ".5" after them. Longer numbers are
// years, ports and amounts.
func digitCount(tokens []token, i int) (value, end int, ok bool) {
	n, ok := digits(tokens[i], 1, 3)
	if !ok {
		return 0, 0, false
	}
	if i+2 < len(tokens) && tokens[i+1].low == "." && tokens[i+1].gap == glued &&
		tokens[i+2].kind == number && tokens[i+2].gap == glued {
		return 2*n + 1, i + 3, tokens[i+2].low == "5"
	}
	return 2 * n, i + 1, true
}

// digits gives the number a token writes with least to most digits.
func digits(t token, least, most int) (int, bool) {
	if t.kind != number || len(t.low) < least || len(t.low) > most {
		return 0, false
	}
	n, err := strconv.Atoi(t.low)
	return n, err == nil
}

// within reads a number of one or two digits, or a Chinese numeral, in a range.
func within(least, most int) class {
	return func(tokens []token, i int) (value, end int, ok bool) {
		n, ok := digits(tokens[i], 1, 2)
		end = i + 1
		if tokens[i].kind == glyph {
			n, end, ok = numeral(tokens, i)
		}
		return n, end, ok && n >= least && n <= most
	}
}

func twoDigits(least, most int) class {
	return func(tokens []token, i int) (value, end int, ok bool) {
		n, ok := digits(tokens[i], 2, 2)
		return n, i + 1, ok && n >= least && n <= most
	}
}

// The years that a bare number may mean.
const (
	firstYear = 1900
	lastYear  = 2099
)

// readYear reads four digits, or four Chinese ones (二〇二三).
func readYear(tokens []token, i int) (value, end int, ok bool) {
	n, ok := digits(tokens[i], 4, 4)
	end = i + 1
	if tokens[i].kind == glyph {
		n, end, ok = digitByDigit(tokens, i, 4)
	}
	return n, end, ok && n >= firstYear && n <= lastYear
}

// clearHour is added to an hour that was written with two digits: it needs no
// "am" or "pm".
const clearHour = 100

func readHour(tokens []token, i int) (value, end int, ok bool) {
	n, end, ok := within(0, 24)(tokens, i)
	if ok && tokens[i].kind == number && len(tokens[i].low) == 2 {
		n += clearHour
	}
	return n, end, ok
}

func readMinute(tokens []token, i int) (value, end int, ok bool) {
	if tokens[i].kind == glyph {
		return within(1, 59)(tokens, i)
	}
	return twoDigits(0, 59)(tokens, i)
}

// day reads the day of a month: "3", "3rd", "third", "twenty-first".
func (b *book) day(tokens []token, i int) (value, end int, ok bool) {
	n, end := 0, i+1
	if tokens[i].kind == word {
		if n, ok = b.words["ordinal"][tokens[i].low]; ok {
			return n, end, true
		}
		tens := b.words["number"][tokens[i].low]
		if (tens == 20 || tens == 30) && i+2 < len(tokens) && tokens[i+1].low == "-" {
			ones := b.words["ordinal"][tokens[i+2].low]
			return tens + ones, i + 3, ones > 0 && ones < 10 && tens+ones <= 31
		}
		return 0, 0, false
	}
	if n, ok = digits(tokens[i], 1, 2); !ok || n < 1 || n > 31 {
		return 0, 0, false
	}
	if end < len(tokens) && tokens[end].gap == glued && isOrdinalSuffix(tokens[end].low) {
		end++
	}
	return n, end, true
}

func isOrdinalSuffix(s string) bool { return s == "st" || s == "nd" || s == "rd" || s == "th" }

// suffixed reads a word with an ending, of at least five letters: "need", "used"
// and "ring" are none.
func suffixed(ending string) class {
	return func(tokens []token, i int) (value, end int, ok bool) {
		t := tokens[i]
		return 0, i + 1, t.kind == word && len(t.low) >= 5 && strings.HasSuffix(t.low, ending)
	}
}

// stampTokens is how many tokens a full RFC 3339 time may have.
const stampTokens = 20

// readStamp reads a time as RFC 3339 writes it. The value is seconds of Unix
// time, doubled, and one more where no offset was written.
func readStamp(tokens []token, i int) (value, end int, ok bool) {
	if _, ok := digits(tokens[i], 4, 4); !ok || i+6 >= len(tokens) || tokens[i+1].low != "-" {
		return 0, 0, false
	}
	last := i + 1
	for last < min(i+stampTokens, len(tokens)) && tokens[last].gap == glued && tokens[last].kind != glyph {
		last++
	}
	for ; last >= i+7; last-- {
		var s strings.Builder
		for _, t := range tokens[i:last] {
			s.WriteString(strings.ToUpper(t.low))
		}
		if value, ok := parseStamp(s.String()); ok {
			return value, last, true
		}
	}
	return 0, 0, false
}

func parseStamp(s string) (int, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, s); err == nil {
			return int(2 * t.Unix()), true
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, s); err == nil {
			return int(2*t.Unix()) + 1, true
		}
	}
	return 0, false
}
