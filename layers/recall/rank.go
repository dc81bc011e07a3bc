// Package recall ranks and renders. It decides what a question means and which
// candidate answers it best; storage and keyword only say what they hold.
//
// It is pure: values in, values out. The clock comes in as a parameter.
package recall

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/storage"
)

// Candidate is a record that may be shown, with the signals that rank it.
type Candidate struct {
	Doc       uint32
	Identical bool    // its text is the query
	Raw       float64 // order among those that are not identical
	Score     float64 // 0 to 1, comparable between questions and stores
	Worded    float64 // the same by its words alone

	Keyword  float64 // signals: what its words give, Σ idf·v
	Vector   float64 // what its meaning gives, w·max(0, D)
	Fit      float64 // the same as a share of what they could give
	Cover    float64 // share of the weight of the query's words that it has or is lent
	Nearness         // of its meaning; zero without vectors
	Slot     float64 // 1: the query names its slot
	Near     float64 // how well its time fits, 0 to 1
	Factor   float64 // by how much its nature fits, about 1
	Layer    float64 // 1: it is of the kind that the query names

	Said int64 // when it was last said, Unix microseconds
	// Time breaks ties, the greater first: when it was last said, in Unix
	// microseconds, negative for turns that a query found: what is known comes
	// before what was said, and turns stand in the order of the talk.
	Time int64
	ID   string
}

// What a record that has a word of the query gains beyond its words, as a share of
// what they can reach together: where the query names its slot, and where it
// names its kind (the seed's type match).
const (
	slotShare = 0.25
	typeShare = 0.1
)

// Scale is what candidates of one question are measured by.
type Scale struct {
	Most  float64 // what the words of the query could reach together, Σ qtf·idf
	Whole float64 // the same over smoothed weights
	Best  float64 // the most that the words of any candidate give
}

// lean is what one standard deviation of meaning weighs.
func (s *Scale) lean() float64 {
	if s.Most == 0 {
		return lean(0)
	}
	return lean(s.Best / s.Most)
}

// Rate computes raw and score of a candidate from its signals:
// raw = (S + gain + w·max(0, D))·f·(1 + B) + B, and score the same over Fit, as a
// share of what words and meaning could reach together.
// A record that has only the time in common with the query stays behind the best
// of those that have words. One that has no vector yet, beside others that have,
// is not put behind them for that: it counts as near in meaning as its words fit.
func (s *Scale) Rate(c *Candidate) {
	near := c.Near
	if s.Best > 0 {
		near *= min(1, s.Best/2)
	}
	gain := slotShare * c.Slot
	if c.Keyword > 0 {
		gain += typeShare * c.Layer
	}
	w := s.lean()
	c.Vector = w * max(0, c.Depth)
	meant := c.Vector
	if c.Most == 0 {
		meant = w * c.Unknown * c.Fit
	}
	c.Raw = (c.Keyword+gain*s.Most+meant)*c.Factor*(1+c.Near) + near
	rated := func(share float64) float64 {
		return min(1, (share+gain)*c.Factor*(1+c.Near)+nearShare*c.Near)
	}
	c.Worded, c.Score = rated(c.Fit), rated(s.share(c, w))
	if c.Identical {
		c.Worded, c.Score = 1, 1
	}
}

// share is what words and meaning give a candidate, of what they could reach.
func (s *Scale) share(c *Candidate, w float64) float64 {
	if c.Most == 0 {
		return c.Fit
	}
	return (c.Fit*s.Whole + c.Vector) / (s.Whole + w*c.Most)
}

// nearShare is the score of a record whose time is what was asked for and whose
// words are not.
const nearShare = 0.2

// before orders candidates: identical text first, then raw score, then the later
// said, then id, so that the same question always has the same answer.
func before(a, b *Candidate) int {
	if a.Identical != b.Identical {
		if a.Identical {
			return -1
		}
		return 1
	}
	if a.Raw != b.Raw {
		return cmp.Compare(b.Raw, a.Raw)
	}
	return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.ID, b.ID))
}

// Best puts the first k candidates in order to the front and returns them: the
// others are not wanted, so they are not sorted.
func Best(cs []*Candidate, k int) []*Candidate {
	if k < len(cs) {
		selectFirst(cs, k)
		cs = cs[:k]
	}
	slices.SortFunc(cs, before)
	return cs
}

// selectFirst moves the first k in order to the front, in no order among
// themselves (Hoare's quickselect, with the middle as pivot).
func selectFirst(cs []*Candidate, k int) {
	for low, high := 0, len(cs)-1; low < high; {
		pivot, i, j := cs[(low+high)/2], low, high
		for i <= j {
			for before(cs[i], pivot) < 0 {
				i++
			}
			for before(pivot, cs[j]) < 0 {
				j--
			}
			if i <= j {
				cs[i], cs[j] = cs[j], cs[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j+1:
			high = j
		case k > i:
			low = i
		default:
			return
		}
	}
}

// Name is one name of an attribute: folded, and its terms.
type Name struct {
	Folded string
	Terms  []string
}

// Names reports whether the query names an attribute by one of its names: a name
// in Han where it stands in the query, any other by all its terms. Of an
// attribute of taste (a favourite, a preference) the names count only beside a
// word of liking.
func (q *Question) Names(names []Name, taste bool) bool {
	if taste && !slices.Contains(q.Layers, storage.Preference) {
		return false
	}
	for _, n := range names {
		if han(n.Folded) && strings.Contains(q.Folded, n.Folded) || !han(n.Folded) && len(n.Terms) > 0 && holdsAll(q.words, n.Terms) {
			return true
		}
	}
	return false
}

// han reports whether a name is written in Han, of at least two characters: one
// alone stands in too many words.
func han(s string) bool {
	n := 0
	for _, r := range s {
		if !unicode.Is(unicode.Han, r) {
			return false
		}
		n++
	}
	return n > 1
}

// Mentions reports whether a folded text holds a folded name as whole words.
// Han has no spaces, so there any place counts.
func Mentions(text, name string) bool {
	if name == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !joined(before, text[start:]) && !joined(after, text[start:]) {
			return true
		}
		from = end
	}
}

// joined reports whether r continues the word beside it.
func joined(r rune, word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	if unicode.Is(unicode.Han, r) || unicode.Is(unicode.Han, first) {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func holdsAll(set map[string]bool, terms []string) bool {
	for _, t := range terms {
		if !set[t] {
			return false
		}
	}
	return true
}

// Set returns terms as a set.
func Set(terms []string) map[string]bool {
	out := make(map[string]bool, len(terms))
	for _, t := range terms {
		out[t] = true
	}
	return out
}

// OneLine replaces every run of white space by one space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
