package redact

import (
	"regexp"
	"strings"
)

// window bounds how far a rule looks, in bytes, so that a search stays linear.
const window = 1024

// pattern is a rule ready to search.
type pattern struct {
	rule
	re   *regexp.Regexp // anchored at the end of the rule's anchor
	rank int
}

// compile makes a finder per anchor of the rules.
func compile(rules []rule, rank int) (out []finder) {
	for i, r := range rules {
		p := pattern{rule: r, re: regexp.MustCompile(`^` + r.rest), rank: rank + i}
		if rank == rankPlace {
			p.re = regexp.MustCompile(`(?i)^` + r.rest)
		}
		for anchor := range strings.FieldsSeq(r.anchors) {
			out = append(out, finder{anchor, p.finder(anchor)})
		}
	}
	return out
}

// finder returns the search for p behind one of its anchors.
func (p pattern) finder(anchor string) func(text, int) []span {
	return func(t text, at int) []span {
		if isWord(anchor[0]) && !t.startsWord(at) {
			return nil
		}
		from := at + len(anchor)
		found := p.re.FindStringSubmatchIndex(t.raw[from:min(len(t.raw), from+window)])
		switch {
		case found == nil:
			return nil
		case len(found) == 2:
			return p.whole(t, at, from+found[1])
		}
		return p.groups(t, from, found[2:])
	}
}

// whole is the match as one secret, with the rest of the word it ends in.
func (p pattern) whole(t text, start, end int) []span {
	for end < len(t.raw) && isWord(t.raw[end]) {
		end++
	}
	if !p.isSecret(t.raw[start:end]) {
		return nil
	}
	return []span{{start, end, p.kind, p.rank}}
}

// groups are the groups of a match as secrets: pairs of places after from,
// -1 for a group that took no part.
func (p pattern) groups(t text, from int, places []int) (out []span) {
	for i := 0; i < len(places); i += 2 {
		start, end := from+places[i], from+places[i+1]
		if places[i] >= 0 && start < end && p.isSecret(t.raw[start:end]) {
			out = append(out, span{start, end, p.kind, p.rank})
		}
	}
	return out
}

// isSecret applies the rule's check, telling where it has none, to the
// beginning of what was matched.
func (p pattern) isSecret(secret string) bool {
	secret = secret[:min(len(secret), judged)]
	if p.check == nil {
		return telling(secret)
	}
	return p.check(secret)
}
