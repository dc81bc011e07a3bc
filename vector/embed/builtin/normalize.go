package builtin

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// normaliser replaces code points by others before a text is cut: compatibility
// forms by plain ones, white space by U+0020, control characters by nothing. It
// is sentencepiece's nmt_nfkc as far as single code points go; what has no entry
// stays.
type normaliser struct {
	entries []byte // code point and end in text, uint32 each; sorted
	text    string
	ascii   [utf8.RuneSelf]bool // has an entry
}

// entryBytes is the size of one entry.
const entryBytes = 8

// openNormaliser reads and checks the section of the normaliser.
func openNormaliser(data []byte) (normaliser, error) {
	if len(data) < 4 {
		return normaliser{}, fmt.Errorf("%d bytes, want at least the number of entries, 4", len(data))
	}
	count, rest := uint64(uint32At(data, 0)), data[4:]
	if count > uint64(len(rest))/entryBytes {
		return normaliser{}, fmt.Errorf("%d entries in %d bytes, want %d bytes an entry", count, len(rest), entryBytes)
	}
	size := int(count) * entryBytes
	n := normaliser{entries: rest[:size], text: string(rest[size:])}
	if !utf8.ValidString(n.text) {
		return n, errors.New("replacements are not UTF-8")
	}
	return n, n.check(int(count))
}

// check checks every entry and notes those of ASCII.
func (n *normaliser) check(count int) error {
	before, begin := int64(-1), uint32(0)
	for i := range count {
		point, end := uint32At(n.entries, 2*i), uint32At(n.entries, 2*i+1)
		if int64(point) <= before {
			return fmt.Errorf("entry %d is for U+%04X after U+%04X, want them sorted", i, point, before)
		}
		if end < begin || uint64(end) > uint64(len(n.text)) {
			return fmt.Errorf("entry %d ends at byte %d, want %d to %d", i, end, begin, len(n.text))
		}
		if point < utf8.RuneSelf {
			n.ascii[point] = true
		}
		before, begin = int64(point), end
	}
	if uint64(begin) != uint64(len(n.text)) {
		return fmt.Errorf("the last entry ends at byte %d, the replacements have %d", begin, len(n.text))
	}
	return nil
}

// find returns what replaces a code point, and whether anything does.
func (n *normaliser) find(point uint32) (string, bool) {
	if point < utf8.RuneSelf && !n.ascii[point] {
		return "", false
	}
	low, high := 0, len(n.entries)/entryBytes
	for low < high {
		middle := (low + high) / 2
		if uint32At(n.entries, 2*middle) < point {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == len(n.entries)/entryBytes || uint32At(n.entries, 2*low) != point {
		return "", false
	}
	begin := uint32(0)
	if low > 0 {
		begin = uint32At(n.entries, 2*low-1)
	}
	return n.text[begin:uint32At(n.entries, 2*low+1)], true
}

// decodePoint decodes the first code point of a text that is not empty, and says
// how many bytes it has. For UTF-8 it does what utf8.DecodeRuneInString does. For
// what is not UTF-8 it does what the reference does, so that ids are the same: a
// lead byte takes the bytes that it announces whatever they are, if there are as
// many, and is a code point of its own (Latin-1) if not; so is a stray
// continuation byte. So code points up to 0x1FFFFF and surrogates come out.
func decodePoint(text string) (point uint32, size int) {
	lead := text[0]
	switch {
	case lead>>5 == 0b110 && len(text) >= 2:
		point, size = uint32(lead&0x1f), 2
	case lead>>4 == 0b1110 && len(text) >= 3:
		point, size = uint32(lead&0x0f), 3
	case lead>>3 == 0b11110 && len(text) >= 4:
		point, size = uint32(lead&0x07), 4
	default:
		return uint32(lead), 1
	}
	for _, b := range []byte(text[1:size]) {
		point = point<<6 | uint32(b&0x3f)
	}
	return point, size
}

// appendPoint appends a code point up to 0x1FFFFF in UTF-8's scheme. Unlike
// utf8.AppendRune it writes those that are no characters as they are.
func appendPoint(text []byte, point uint32) []byte {
	tail := func(shift uint) byte { return 0x80 | byte(point>>shift)&0x3f }
	switch {
	case point < 1<<7:
		return append(text, byte(point))
	case point < 1<<11:
		return append(text, 0xc0|byte(point>>6), tail(0))
	case point < 1<<16:
		return append(text, 0xe0|byte(point>>12), tail(6), tail(0))
	}
	return append(text, 0xf0|byte(point>>18), tail(12), tail(6), tail(0))
}
