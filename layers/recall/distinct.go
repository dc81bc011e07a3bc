package recall

import (
	"slices"
	"strings"
)

// told is a line with those that say nothing beyond it.
type told struct {
	Line
	shown string // the line, as a context gives it
	same  []Line // the others, by rank
}

// distinct gives each content once. Of one turn a record may hold its words for each
// layer, and others a sentence of them: the longest of these lines speaks for all,
// where the first of them stood. Lines of different turns are never one, since the
// same may have been said twice, but for the same words on the same day.
func distinct(lines []Line) []told {
	var out []told
	for _, l := range lines {
		shown := contextLine(l.Date, l.Text)
		k := slices.IndexFunc(out, func(t told) bool { return t.holds(&l, shown) || within(t.Text, &l, &t.Line) })
		if k < 0 {
			out = append(out, told{Line: l, shown: shown})
			continue
		}
		t := &out[k]
		if t.holds(&l, shown) {
			t.same = append(t.same, l)
			continue
		}
		t.same = append(t.same, t.Line)
		l.Date = t.Date
		t.Line, t.shown = l, contextLine(l.Date, l.Text)
	}
	return out
}

// holds reports whether a line, which a context shows as given, says nothing beyond
// this one.
func (t *told) holds(l *Line, shown string) bool {
	return shown == t.shown || within(l.Text, &t.Line, l)
}

// within reports whether a text stands, as whole words, in what a line of the same
// turn says.
func within(text string, in, of *Line) bool {
	if in.Turn == "" || in.Turn != of.Turn {
		return false
	}
	text = strings.TrimRight(OneLine(text), ".。!！ ")
	return text != "" && Mentions(OneLine(in.Text), text)
}
