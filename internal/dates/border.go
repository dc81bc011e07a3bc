package dates

import "strings"

// allowed reports whether an expression of tokens [i, end) may stand between its
// neighbours by the guards of the files.
func (s *scene) allowed(i, end int) bool {
	return s.notBannedBefore(i) && s.notBanned(end)
}

func (s *scene) notBannedBefore(i int) bool {
	if i == 0 {
		return true
	}
	t, before := s.tokens[i], s.tokens[i-1].low
	if t.kind == number && s.book.notBefore["#"][before] {
		return false
	}
	if s.tokens[i-1].kind == number {
		before = "#"
	}
	return t.gap != glued || !s.book.notBefore[t.low][before]
}

// notBanned checks what follows an expression that ends before tokens[end].
func (s *scene) notBanned(end int) bool {
	if end >= len(s.tokens) {
		return true
	}
	last, next := s.tokens[end-1], s.tokens[end]
	if last.kind == number && s.book.notAfter["#"][next.low] {
		return false
	}
	if next.gap != glued {
		return true
	}
	if s.book.notAfter[last.low][next.low] {
		return false
	}
	return end < 2 || !s.book.notAfter[s.tokens[end-2].low+last.low][next.low]
}

// fitsStart reports whether tokens[i] begins a word, and not the middle of an
// identifier, an amount or a path.
func (s *scene) fitsStart(i int) bool {
	t := s.tokens[i]
	if i == 0 || t.gap != glued || t.kind == glyph || t.kind == mark {
		return true
	}
	before := s.tokens[i-1]
	switch {
	case before.kind == word || before.kind == number:
		return false
	case before.kind == glyph:
		return true
	case strings.Contains(`@#$€£¥&\_`, before.low):
		return false
	case before.low == ":":
		return t.kind != number || i < 2 || s.tokens[i-2].kind != number
	case before.low == "." && t.capital:
		return true
	case t.kind == number:
		return !strings.Contains("-./+–—~", before.low) || before.low == "-" && before.gap != glued
	}
	return !strings.Contains("-./", before.low) || before.gap != glued
}

// fitsEnd is fitsStart for the other side: tokens[end-1] is the last.
func (s *scene) fitsEnd(end int) bool {
	if end >= len(s.tokens) || s.tokens[end].gap != glued || s.tokens[end-1].kind == glyph {
		return true
	}
	last, next := s.tokens[end-1], s.tokens[end]
	switch {
	case next.kind == word || next.kind == number:
		return last.kind == mark
	case next.kind == glyph:
		return true
	case strings.Contains("%°$€£¥@", next.low):
		return false
	case !strings.Contains(`-./\_:+~`, next.low) && !(last.kind == number && strings.Contains("–—", next.low)):
		return true
	}
	return end+1 >= len(s.tokens) || s.tokens[end+1].gap != glued ||
		s.tokens[end+1].kind == mark || s.tokens[end+1].kind == glyph || next.low == "." && s.tokens[end+1].capital
}
