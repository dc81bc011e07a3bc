package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Around cuts a text to at most limit bytes around the first place where one of
// the terms stands, else from the start, on rune borders. An ellipsis marks
// each side that was cut; cut is false when the text fits.
func Around(text string, terms []string, limit int) (window string, cut bool) {
	if len(text) <= limit {
		return text, false
	}
	const ellipsis = "…"
	room := limit - 2*len(ellipsis)
	from := max(0, firstOf(text, terms)-room/4)
	from = border(text, from)
	to := border(text, min(len(text), from+room))
	if to == len(text) {
		from = border(text, max(0, to-room))
	}
	window = text[from:to]
	if from > 0 {
		window = ellipsis + window
	}
	if to < len(text) {
		window += ellipsis
	}
	return window, true
}

// border moves i back to the start of a rune.
func border(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// firstOf returns where the rarest-looking (longest) of the terms first stands
// in the text as a word's start, ignoring case; 0 if none does. Terms are stems,
// so a prefix of a word is a hit.
func firstOf(text string, terms []string) int {
	lower := strings.Map(unicode.ToLower, text)
	if len(lower) != len(text) { // a fold changed lengths: offsets would be off
		lower = text
	}
	best, length := 0, 0
	for _, t := range terms {
		if len(t) <= length {
			continue
		}
		if i := strings.Index(lower, t); i >= 0 {
			best, length = i, len(t)
		}
	}
	return best
}
