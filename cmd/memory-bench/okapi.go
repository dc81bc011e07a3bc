package main

import (
	"cmp"
	"slices"

	"mcp-memory/internal/text"
	"mcp-memory/storage/keyword"
)

// Plain BM25 as every search engine has it (Robertson and Zaragoza 2009), with
// the usual constants.
const (
	okapiK1 = 1.2
	okapiB  = 0.75
)

// okapi is plain BM25 over the turns of a talk: the same terms as recall's, but
// no window, no factors, no times. It is what recall is compared with.
type okapi struct {
	index  *keyword.Index
	ids    []string // by document
	length float64  // average
}

func newOkapi(t *talk) *okapi {
	o := &okapi{index: keyword.New()}
	for _, s := range t.Sittings {
		for _, u := range s.Utterances {
			terms := text.Terms(u.Text)
			o.index.Add(uint32(len(o.ids)), terms)
			o.ids = append(o.ids, u.ID)
			o.length += float64(len(terms))
		}
	}
	if o.length /= float64(max(len(o.ids), 1)); o.length == 0 {
		o.length = 1
	}
	return o
}

// ranked returns the first n turns that share a term with the query; of equal
// ones the earlier leads.
func (o *okapi) ranked(query string, n int) []hit {
	scores := make([]float64, len(o.ids))
	for _, term := range text.QueryTerms(query) {
		idf := o.index.IDF(term)
		for doc, tf := range o.index.Postings(term) {
			f, dl := float64(tf), float64(o.index.Length(doc))
			scores[doc] += idf * f * (okapiK1 + 1) / (f + okapiK1*(1-okapiB+okapiB*dl/o.length))
		}
	}
	var out []hit
	for doc, s := range scores {
		if s > 0 {
			out = append(out, hit{o.ids[doc], s})
		}
	}
	slices.SortStableFunc(out, func(a, b hit) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(len(out), n)]
}
