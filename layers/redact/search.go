package redact

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// span is one secret: bytes start to end of the searched text, never empty.
// The finding of lowest rank names the kind where several overlap.
type span struct {
	start, end int
	kind       string
	rank       int
}

// text is what is searched, with a lower-cased twin of the same length.
type text struct {
	raw, low string
}

// finder looks for a secret at every place where its anchor stands.
type finder struct {
	anchor string
	find   func(t text, at int) []span
}

// pairs leads from the first two bytes of a place to the finders to try there.
// One pass over the text serves all of them: a regular expression per format,
// each over the whole text, costs two orders of magnitude more.
type pairs struct {
	slot    [1 << 16]uint16 // place in finders, 0 for none
	finders [][]finder
}

func newPairs(all []finder) *pairs {
	p := &pairs{finders: make([][]finder, 1)}
	for _, f := range all {
		slot := &p.slot[int(f.anchor[0])<<8|int(f.anchor[1])]
		if *slot == 0 {
			*slot = uint16(len(p.finders))
			p.finders = append(p.finders, nil)
		}
		p.finders[*slot] = append(p.finders[*slot], f)
	}
	return p
}

// at returns the finders whose anchor may stand at s[i:]; i+1 < len(s).
func (p *pairs) at(s string, i int) []finder {
	return p.finders[p.slot[int(s[i])<<8|int(s[i+1])]]
}

// finders holds every finder: those whose anchors keep their case, and those
// whose anchors are lower case and looked up in the lower-cased text.
type finders struct {
	exact, folded *pairs
}

// allFinders compiles the tables on first use and not when the program starts.
var allFinders = sync.OnceValue(func() finders {
	exact := append(compile(formats, 0), finder{pemAnchor, findPEM}, finder{jwtAnchor, findJWT}, finder{azureAnchor, findAzure})
	folded := append(compile(places, rankPlace), labelFinders()...)
	return finders{newPairs(exact), newPairs(folded)}
})

// Ranks: a format knows better what a thing is than the place where it stands,
// a place better than a label. Rules add their row to it.
const (
	rankPlace = 1000
	rankLabel = 2000
)

// search returns the secrets of s, unordered and possibly overlapping.
func search(s string) (found []span) {
	t := text{raw: s, low: lower(s)}
	all := allFinders()
	for i := 0; i+1 < len(s); i++ {
		if isDigit(s[i]) && (i == 0 || !isDigit(s[i-1])) {
			found = append(found, findCard(t, i)...)
			found = append(found, findTelegram(t, i)...)
		}
		for _, f := range all.exact.at(s, i) {
			if strings.HasPrefix(s[i:], f.anchor) {
				found = append(found, f.find(t, i)...)
			}
		}
		for _, f := range all.folded.at(t.low, i) {
			if strings.HasPrefix(t.low[i:], f.anchor) {
				found = append(found, f.find(t, i)...)
			}
		}
	}
	return found
}

// merge orders found by start and joins what overlaps, so that no part of a
// secret is left; the kind is that of the lowest rank.
func merge(found []span) (out []span) {
	slices.SortFunc(found, func(a, b span) int {
		return cmp.Or(a.start-b.start, a.rank-b.rank, b.end-a.end)
	})
	for _, f := range found {
		if n := len(out); n == 0 || f.start >= out[n-1].end {
			out = append(out, f)
			continue
		}
		last := &out[len(out)-1]
		last.end = max(last.end, f.end)
		if f.rank < last.rank {
			last.kind, last.rank = f.kind, f.rank
		}
	}
	return out
}

// lower folds case and keeps every byte in its place: a rune whose lower case
// has another length stays as it is.
func lower(s string) string {
	out := []byte(s)
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			if 'A' <= s[i] && s[i] <= 'Z' {
				out[i] += 'a' - 'A'
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if l := unicode.ToLower(r); l != r && utf8.RuneLen(l) == n {
			utf8.EncodeRune(out[i:i+n], l)
		}
		i += n
	}
	return string(out)
}

// startsWord says whether a format may begin at t.raw[at]: not inside a word,
// nor after a dash inside one. The "n" of a written "\n" and the digits of a
// percent escape are no word. It also keeps the search linear: a format is
// tried once per run of word characters.
func (t text) startsWord(at int) bool {
	if at == 0 || !isWord(t.raw[at-1]) && t.raw[at-1] != '-' {
		return true
	}
	if t.raw[at-1] == '-' {
		return at == 1 || !isWord(t.raw[at-2])
	}
	if at >= 2 && t.raw[at-2] == '\\' && strings.IndexByte("nrt", t.raw[at-1]) >= 0 {
		return true
	}
	return at >= 3 && t.raw[at-3] == '%' && isHex(t.raw[at-1]) && isHex(t.raw[at-2])
}
