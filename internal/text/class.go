package text

import (
	"unicode"
	"unicode/utf8"
)

// class says what a rune is to the scanner.
type class uint8

const (
	classBreak     class = iota // space, punctuation, symbols
	classWord                   // letters, digits and marks of scripts that set spaces
	classHan                    // units are runes: Han and kana
	classHangul                 // units are runes: syllables with particles glued on
	classCluster                // units are grapheme clusters: Thai, Lao, Burmese, Khmer
	classEmoji                  // each sequence is a unit
	classInvisible              // part of the word it stands in, gone when folded
)

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		return classOfASCII(byte(r))
	case r < 0x0300:
		return wordOrBreak(r) // Latin supplements, the usual case beyond ASCII
	case isInvisible(r):
		return classInvisible
	case isHan(r) || isKana(r):
		return classHan
	case r >= 0xAC00 && r <= 0xD7A3:
		return classHangul
	case isCluster(r):
		return clusterOrBreak(r)
	case isEmoji(r):
		return classEmoji
	}
	return wordOrBreak(r)
}

func classOfASCII(b byte) class {
	if b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' {
		return classWord
	}
	return classBreak
}

func wordOrBreak(r rune) class {
	switch {
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
		return classWord
	case r == 0xAD:
		return classInvisible
	}
	return classBreak
}

func clusterOrBreak(r rune) class {
	if wordOrBreak(r) == classWord {
		return classCluster
	}
	return classBreak
}

// isHan includes 々〆〇, which stand in words like any character.
func isHan(r rune) bool {
	return r >= 0x3400 && r <= 0x9FFF || r >= 0x3005 && r <= 0x3007 ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x3FFFF
}

func isKana(r rune) bool {
	return r >= 0x3041 && r <= 0x3096 || r >= 0x309D && r <= 0x309F ||
		r >= 0x30A1 && r <= 0x30FA || r >= 0x30FC && r <= 0x30FF || r >= 0x31F0 && r <= 0x31FF
}

func isCluster(r rune) bool {
	return r >= 0x0E00 && r <= 0x0EFF || r >= 0x1000 && r <= 0x109F ||
		r >= 0x1780 && r <= 0x17FF || r >= 0x19E0 && r <= 0x19FF
}

// isEmoji holds the blocks in which nearly every sign is a pictograph; arrows
// and box drawings are left out.
func isEmoji(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x27BF ||
		r >= 0x2B05 && r <= 0x2B55 || r >= 0x231A && r <= 0x23FF
}
