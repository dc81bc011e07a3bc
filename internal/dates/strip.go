package dates

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Strip gives the text without the expressions found in it, role words and all.
// What stood on either side is joined by one space, or by none before a mark of
// punctuation and between letters that are written without spaces; a comma that
// followed an expression at the begin goes with it. found must be of this text,
// in order; spans that are not, or come twice, are passed over.
func Strip(text string, found []Found) string {
	kept := make([]byte, 0, len(text))
	at := 0
	for _, f := range found {
		if f.Open < at || f.Close > len(text) || f.Open >= f.Close {
			continue
		}
		kept = join(kept, text[at:f.Open], at > 0)
		at = f.Close
	}
	if at == 0 {
		return text
	}
	return strings.TrimSpace(string(join(kept, text[at:], true)))
}

// join appends a piece; cut says that an expression stood between.
func join(kept []byte, piece string, cut bool) []byte {
	if !cut {
		return append(kept, piece...)
	}
	left := bytes.TrimRightFunc(kept, unicode.IsSpace)
	right := strings.TrimLeftFunc(piece, unicode.IsSpace)
	first, _ := utf8.DecodeRuneInString(right)
	last, _ := utf8.DecodeLastRune(left)
	apart := len(left) != len(kept) || len(right) != len(piece)
	switch {
	case len(left) == 0:
		return append(left, strings.TrimLeft(right, ",，、 ")...)
	case right != "" && !strings.ContainsRune(".,;:!?)]。，；：！？）」”", first) &&
		apart && !(isGlyph(first) && isGlyph(last)):
		left = append(left, ' ')
	}
	return append(left, right...)
}
