package conversation

import (
	"strings"
	"unicode"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
)

// ByTongue returns the stretches of a sentence that changes from an alphabet to Han
// characters or kana, or back, between two of its clauses: "I live in Porto, 但是我下个月搬到
// 里斯本". Each says something by itself; a sentence that does not change is one stretch.
// Foreign names within a clause change nothing.
func ByTongue(s string) []text.Span {
	out := []text.Span{{Start: 0, End: len(s)}}
	for _, m := range turnsOver.FindAllStringSubmatchIndex(s, -1) {
		at := m[1]
		if word := max(m[2], m[4]); word >= 0 { // the next clause begins with it
			at = word
		}
		last := &out[len(out)-1]
		if at <= last.Start || at >= len(s) {
			continue
		}
		next := s[at:]
		if end := turnsOver.FindStringIndex(next); end != nil && end[0] > 0 {
			next = next[:end[0]]
		}
		left, right := clauseScript(s[last.Start:at]), clauseScript(next)
		if left == noScript || right == noScript || left == right {
			continue
		}
		last.End = at
		out = append(out, text.Span{Start: at, End: len(s)})
	}
	return out
}

// turnsOver matches where a sentence may change: after a pause, or before a word that
// goes on. Groups: that word, of an alphabet or of characters.
var turnsOver = lazy.MustCompile(`[,，;；、]\s*|\s[–—-]+\s|\s((?i:but|and|so|while|because)\s)|\s*(但是|不过|而且|然后|可是|所以|でも|しかし|そして|それに|\s[我私僕俺])`)

// clauseWriting is what a clause is written in.
type clauseWriting uint8

const (
	noScript clauseWriting = iota // too little to tell, or both
	alphabet
	characters
)

// A clause of an alphabet has so many words and no characters; one of characters has
// so many of them.
const (
	mixedWords      = 2
	mixedCharacters = 4
)

// predicated matches what a clause of an alphabet holds and a list of names does not.
var predicated = lazy.MustCompile(`(?i)\b(?:i|my|me|we|our|he|she|it|they|you|is|are|was|were|am|have|has|had|can|will|there|this|that|ich|je|yo|mi)\b`)

func clauseScript(s string) clauseWriting {
	wide, latin := 0, 0
	for _, r := range s {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			wide++
		}
	}
	for _, w := range strings.Fields(s) {
		if strings.ContainsFunc(w, unicode.IsLetter) {
			latin++
		}
	}
	switch {
	case wide == 0 && latin >= mixedWords && predicated.MatchString(s):
		return alphabet
	case wide >= mixedCharacters:
		return characters
	}
	return noScript
}

// inTongue returns the reading of a turn for a sentence of it that is written in an
// alphabet where most of the turn is not.
func (w *turnReading) inTongue(s string) *turnReading {
	if w.spaced() || script(s) != "en" || clauseScript(s) != alphabet {
		return w
	}
	other := *w
	other.tongue = tongueIn(s, "")
	return &other
}
