package recall

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/text"
)

// Around cuts a text to at most limit bytes around the place where most of the
// terms stand close together, else from the start, on rune borders. An ellipsis
// marks each side that was cut; cut is false when the text fits.
func Around(whole string, terms []string, limit int) (window string, cut bool) {
	if len(whole) <= limit {
		return whole, false
	}
	const ellipsis = "…"
	room := limit - 2*len(ellipsis)
	lead := room / 4 // before the first hit
	from := border(whole, max(0, densest(hits(whole, terms), room-lead)-lead))
	to := border(whole, min(len(whole), from+room))
	if to == len(whole) {
		from = border(whole, max(0, to-room))
	}
	window = whole[from:to]
	if from > 0 {
		window = ellipsis + window
	}
	if to < len(whole) {
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

// hit is a place in a text at which a term stands.
type hit struct{ at, end, term, weight int }

// Bounds of what is looked for: the rarest-looking (longest) terms of a question,
// and of each its first places.
const (
	maxHitTerms  = 64
	maxHitPlaces = 64
)

// hits finds the terms in a text as words begin there, in order. Terms are folded
// stems, so the text is folded too and a word's beginning is enough.
func hits(whole string, terms []string) []hit {
	folded, at := text.FoldAt(whole)
	wanted := slices.Compact(slices.Sorted(slices.Values(terms)))
	slices.SortStableFunc(wanted, func(a, b string) int { return len(b) - len(a) })
	var out []hit
	for i, term := range wanted[:min(len(wanted), maxHitTerms)] {
		for from, places := 0, 0; places < maxHitPlaces; {
			n := strings.Index(folded[from:], term)
			if n < 0 || term == "" {
				break
			}
			from += n + len(term)
			if begins(folded, from-len(term)) {
				places++
				out = append(out, hit{at: at[from-len(term)], end: at[from], term: i, weight: len(term)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b hit) int { return a.at - b.at })
	return out
}

// begins reports whether a word may begin at a place. Of scripts that write words
// together, or an article to its word (الكتاب), any place will do.
func begins(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	first, _ := utf8.DecodeRuneInString(s[at:])
	return !spaced(before) || !spaced(first)
}

func spaced(r rune) bool {
	return unicode.IsDigit(r) || unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}

// densest returns where the stretch of at most size bytes begins whose hits weigh
// most, each term once; the first of several, 0 without hits.
func densest(found []hit, size int) int {
	best, most := 0, 0
	counts, weight, next := map[int]int{}, 0, 0
	for _, h := range found {
		for ; next < len(found) && found[next].end-h.at <= size; next++ {
			if counts[found[next].term]++; counts[found[next].term] == 1 {
				weight += found[next].weight
			}
		}
		if weight > most {
			best, most = h.at, weight
		}
		if counts[h.term]--; counts[h.term] == 0 {
			weight -= h.weight
		}
	}
	return best
}
