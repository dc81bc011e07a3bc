package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// piece is a stretch of normalised text of one kind.
type piece struct {
	text  string
	class class // word (a chunk: one word or several in one code), Han, Hangul, cluster or emoji
}

// scan cuts normalised text into its pieces, in order. Word borders are those
// of Unicode Standard Annex 29, widened for codes: ADR-086, user@host, C++ are
// one chunk each.
func scan(s string) []piece {
	pieces := make([]piece, 0, len(s)/5+1)
	for at := 0; at < len(s); {
		r, size := decode(s, at)
		kind := classOf(r)
		end := at + size
		switch kind {
		case classWord:
			end = chunkEnd(s, at)
		case classHan, classHangul, classCluster:
			end = runEnd(s, at, kind)
		case classEmoji:
			cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(s[at:], -1)
			end = at + len(cluster)
		}
		if kind != classBreak && kind != classInvisible {
			pieces = append(pieces, piece{s[at:end], kind})
		}
		at = end
	}
	return pieces
}

// decode is utf8.DecodeRuneInString with the usual case inlined.
func decode(s string, at int) (rune, int) {
	if at >= len(s) {
		return ' ', 0
	}
	if b := s[at]; b < utf8.RuneSelf {
		return rune(b), 1
	}
	return utf8.DecodeRuneInString(s[at:])
}

// runEnd returns where the run of one class that starts at from ends.
func runEnd(s string, from int, kind class) int {
	at := from
	for at < len(s) {
		r, size := decode(s, at)
		if c := classOf(r); c != kind && c != classInvisible {
			break
		}
		at += size
	}
	return at
}

// chunkEnd returns where the chunk that starts at from ends: runs of word runes
// held together by single joiners, and the tail of C++ or C#.
func chunkEnd(s string, from int) int {
	at := runEnd(s, from, classWord)
	for at < len(s) {
		joiner := s[at]
		next, _ := decode(s, at+1)
		if classOf(next) != classWord {
			break
		}
		if !joins(s[from:at], joiner, s[at+1:], next) {
			break
		}
		at = runEnd(s, at+1, classWord)
	}
	return at + tail(s[from:at], s[at:])
}

// joins tells whether joiner holds the chunk before it and the text after it,
// which begins with the word rune next, together.
func joins(before string, joiner byte, after string, next rune) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	switch joiner {
	case '.':
		return !startsSentence(last, after, next)
	case ':', ',':
		return unicode.IsDigit(last) && unicode.IsDigit(next)
	case '"':
		return unicode.Is(unicode.Hebrew, last) && unicode.Is(unicode.Hebrew, next)
	}
	return isJoiner(joiner)
}

// startsSentence tells "home.Then", a full stop without its space, from
// "Node.js", "README.MD" and "v1.8".
func startsSentence(last rune, after string, next rune) bool {
	second, size := decode(after, utf8.RuneLen(next))
	return unicode.IsLower(last) && unicode.IsUpper(next) && (size == 0 || !unicode.IsUpper(second))
}

// tail returns the length of the signs that end the name of a language: C++,
// C#, F#.
func tail(chunk, rest string) int {
	for _, sign := range []string{"++", "#"} {
		if len(chunk) > 2 || !strings.HasPrefix(rest, sign) {
			continue
		}
		if next, _ := decode(rest, len(sign)); classOf(next) != classWord {
			return len(sign)
		}
	}
	return 0
}
