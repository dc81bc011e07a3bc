package text

// Words returns the folded words of s in order, unstemmed and with stop words:
// for exact phrases, and for texts that must hold all of a query's words. A
// code gives its parts (ADR-086 is adr, 086; C++ is c++), a run of Han, kana,
// Hangul, Thai, Lao, Burmese or Khmer its single units, an emoji itself.
func Words(s string) []string {
	pieces := scan(normalise(s))
	words := make([]string, 0, len(pieces))
	for _, p := range pieces {
		switch p.class {
		case classWord:
			parts(p.text, func(word string) {
				if folded := foldRunes(word); folded != "" {
					words = append(words, folded)
				}
			})
		case classEmoji:
			words = append(words, foldEmoji(p.text))
		default:
			words = append(words, units(p)...)
		}
	}
	return words
}
