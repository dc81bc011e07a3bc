package recall

import (
	"iter"
	"math"
)

// Words are the postings that scores are computed from. It is what
// keyword.Index offers.
type Words interface {
	IDF(term string) float64
	DocFreq(term string) int
	Len() int
	Postings(term string) iter.Seq2[uint32, int]
	Length(doc uint32) int
}

// Turns tell which documents stand beside each other in a conversation.
type Turns interface {
	// Beside returns the turn k places after doc (before it where k is
	// negative) in a session that at least two speakers share.
	Beside(doc uint32, k int) (neighbour uint32, ok bool)
	// Asks reports whether a document holds a question mark.
	Asks(doc uint32) bool
}

// Weigh is a term's weight in a document: term frequency and document length in
// terms to 0–1.
type Weigh func(tf, length int) float64

// The neighbour window: a turn is about what the turns around it are about. The
// k-th turn before lends lendBefore·beforeFade^(k−1) of a term's weight, the k-th
// after lends lendAfter·afterFade^(k−1), as a maximum; the turn right after a
// question is its answer. A long turn speaks for itself. Tuned on LoCoMo's
// conversations 0–4 alone.
const (
	window     = 4
	lendBefore = 0.6
	beforeFade = 0.7
	lendAfter  = 0.3
	afterFade  = 0.6
	answer     = 0.9
	windowFull = 40 // terms up to which a turn takes all its neighbours lend
)

// Lexical is what the words of a query give every document. Scores order; Fit and
// Cover say how well a document fits, on a scale that does not hang on how large
// the store is.
type Lexical struct {
	Scores []float64 // by document number: Σ qtf·idf·v
	Fit    []float64 // the same over smoothed weights, as a share of what any could reach
	Cover  []float64 // the share of those weights whose words it has or is lent
	Docs   []uint32  // those that have a score
	Most   float64   // what any could reach of Scores, Σ qtf·idf
	Whole  float64   // the same over smoothed weights
}

// background is how many documents without any of the words are added where the
// weight of a word is put in proportion to that of others. In a store of three
// records a word that two of them hold would else weigh nothing beside one that
// none holds.
const background = 200

// smooth is BM25's idf among the background documents too.
func smooth(w Words, term string) float64 {
	n, df := float64(w.Len()+background), float64(w.DocFreq(term))
	return math.Log(1 + (n-df+0.5)/(df+0.5))
}

// Scratch is what scoring works in, kept from one question to the next: at 100,000
// documents it is three megabytes. The zero value is ready; it is not safe for
// concurrent use.
type Scratch struct {
	lexical Lexical
	lent    []float64
	touched []uint32
}

// fit makes room for documents below size and clears what the last question left.
func (s *Scratch) fit(size int) {
	for _, doc := range s.lexical.Docs {
		s.lexical.Scores[doc], s.lexical.Fit[doc], s.lexical.Cover[doc] = 0, 0, 0
	}
	s.lexical.Docs, s.lexical.Most, s.lexical.Whole = s.lexical.Docs[:0], 0, 0
	if len(s.lent) >= size {
		return
	}
	size += size / 4 // room for what is remembered meanwhile
	s.lent = make([]float64, size)
	s.lexical.Scores, s.lexical.Fit, s.lexical.Cover = make([]float64, size), make([]float64, size), make([]float64, size)
}

// Score weighs every document that holds a term of the query, or stands beside
// one that does: S = Σ qtf·idf·v, v the best of its own BM25 weight and what its
// neighbours lend. size is one more than the largest document number. The result
// lies in scratch and holds until that is used again.
func Score(w Words, t Turns, terms []string, weigh Weigh, size int, scratch *Scratch) *Lexical {
	scratch.fit(size)
	s := scorer{Scratch: scratch, words: w, turns: t, weigh: weigh}
	out := &scratch.lexical
	qs := counted(terms)
	for _, q := range qs {
		out.Whole += smooth(w, q.term) * float64(q.n)
	}
	for _, q := range qs {
		idf, share := w.IDF(q.term)*float64(q.n), smooth(w, q.term)*float64(q.n)/out.Whole
		out.Most += idf
		s.term(q.term)
		for _, doc := range s.touched {
			if out.Cover[doc] == 0 {
				out.Docs = append(out.Docs, doc)
			}
			out.Scores[doc] += idf * s.lent[doc]
			out.Fit[doc] += share * s.lent[doc]
			out.Cover[doc] += share
			s.lent[doc] = 0
		}
		s.touched = s.touched[:0]
	}
	return out
}

// OwnWords is what a document scores without what its neighbours lend.
func OwnWords(w Words, terms []string, weigh Weigh, doc uint32) (score float64) {
	for _, q := range counted(terms) {
		for d, tf := range w.Postings(q.term) {
			if d == doc {
				score += w.IDF(q.term) * float64(q.n) * weigh(tf, w.Length(doc))
			}
			if d >= doc {
				break
			}
		}
	}
	return score
}

// scorer gathers one term's weights.
type scorer struct {
	*Scratch
	words Words
	turns Turns
	weigh Weigh
}

func (s *scorer) term(term string) {
	for doc, tf := range s.words.Postings(term) {
		a := s.weigh(tf, s.words.Length(doc))
		s.raise(doc, a)
		forth, back := lendBefore, lendAfter
		for k := 1; k <= window; k++ {
			if next, ok := s.turns.Beside(doc, k); ok {
				lend := forth
				if k == 1 && s.turns.Asks(doc) {
					lend = max(lend, answer)
				}
				s.raise(next, lend*a*open(s.words, next))
			}
			if prev, ok := s.turns.Beside(doc, -k); ok {
				s.raise(prev, back*a*open(s.words, prev))
			}
			forth, back = forth*beforeFade, back*afterFade
		}
	}
}

// open is how much a turn takes of what its neighbours lend: dm.
func open(w Words, doc uint32) float64 {
	return min(1, windowFull/float64(max(w.Length(doc), 1)))
}

func (s *scorer) raise(doc uint32, v float64) {
	if s.lent[doc] == 0 {
		s.touched = append(s.touched, doc)
	}
	s.lent[doc] = max(s.lent[doc], v)
}

type countedTerm struct {
	term string
	n    int
}

// counted returns the distinct terms in the order of their first use. A map's
// order would change the last bit of a sum from call to call.
func counted(terms []string) []countedTerm {
	at := make(map[string]int, len(terms))
	var out []countedTerm
	for _, t := range terms {
		if i, ok := at[t]; ok {
			out[i].n++
			continue
		}
		at[t] = len(out)
		out = append(out, countedTerm{t, 1})
	}
	return out
}
