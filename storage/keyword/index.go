// Package keyword keeps the postings that BM25 needs: which document holds
// which term how often. It knows neither records nor words: the caller numbers
// its documents and brings terms that are already folded and stemmed.
//
// What it does not promise: ranking (the caller adds the weights up) and
// safety against a writer beside other callers. Any number of readers may run
// together as long as no Add or Remove runs.
package keyword

import (
	"iter"
	"math"
	"slices"
	"strings"
)

// Index is BM25's postings over documents numbered by the caller. Its content
// follows from the documents it holds alone, not from the order of calls that
// led there. New makes one; the zero value is not usable.
//
// Numbers should be given out from 0 upwards: beside its documents an index
// pays 8 bytes for every 512 numbers below its greatest one.
type Index struct {
	ids   map[string]uint32 // term to its place in lists
	terms []string          // place in lists to term, to forget a term by its place
	lists [][]posting       // ascending by document, without gaps
	free  []uint32          // places in lists whose last document went away
	docs  documents
}

// posting says how often one document holds a term.
type posting struct {
	doc uint32
	tf  uint32
}

// New returns an empty index.
func New() *Index {
	return &Index{ids: map[string]uint32{}}
}

// Add makes terms (in any order, with repeats) the content of document doc, in
// place of what it held before. A document without terms counts in Len. Nothing
// of terms is kept: a term that is new to the index is copied, so that it does
// not hold the text it was cut from.
func (x *Index) Add(doc uint32, terms []string) {
	x.Remove(doc)
	places := make([]uint32, len(terms))
	for i, term := range terms {
		places[i] = x.place(term)
	}
	slices.Sort(places)
	for start := 0; start < len(places); {
		end := start + 1
		for end < len(places) && places[end] == places[start] {
			end++
		}
		x.insert(places[start], posting{doc, uint32(end - start)})
		start = end
	}
	distinct := slices.Compact(places)
	x.docs.put(doc, document{places: slices.Clone(distinct), length: uint32(len(terms)), held: true})
}

// place returns where the postings of a term live, a new place for a new term.
func (x *Index) place(term string) uint32 {
	if at, ok := x.ids[term]; ok {
		return at
	}
	term = strings.Clone(term)
	var at uint32
	if last := len(x.free) - 1; last >= 0 {
		at, x.free = x.free[last], x.free[:last]
		x.terms[at] = term
	} else {
		at = uint32(len(x.lists))
		x.terms = append(x.terms, term)
		x.lists = append(x.lists, nil)
	}
	x.ids[term] = at
	return at
}

// insert puts p into its list; the usual case, a document newer than all
// others, is an append.
func (x *Index) insert(place uint32, p posting) {
	list := x.lists[place]
	if n := len(list); n == 0 || list[n-1].doc < p.doc {
		x.lists[place] = append(list, p)
		return
	}
	at, _ := slices.BinarySearchFunc(list, p.doc, byDoc)
	x.lists[place] = slices.Insert(list, at, p)
}

func byDoc(p posting, doc uint32) int {
	switch {
	case p.doc < doc:
		return -1
	case p.doc > doc:
		return 1
	}
	return 0
}

// Remove takes document doc out; an unknown one changes nothing. The cost is
// that of the document's own terms. A term that no document holds any more
// leaves no trace in memory.
func (x *Index) Remove(doc uint32) {
	for _, place := range x.docs.take(doc).places {
		list := x.lists[place]
		if at, found := slices.BinarySearchFunc(list, doc, byDoc); found {
			list = slices.Delete(list, at, at+1)
		}
		x.lists[place] = shrunk(list)
		if len(list) == 0 {
			x.drop(place)
		}
	}
}

// shrunk gives memory back when three quarters of it are unused.
func shrunk(list []posting) []posting {
	switch {
	case len(list) == 0:
		return nil
	case cap(list) > 16 && len(list) < cap(list)/4:
		return slices.Clone(list)
	}
	return list
}

func (x *Index) drop(place uint32) {
	delete(x.ids, x.terms[place])
	x.terms[place] = ""
	x.free = append(x.free, place)
}

// Len returns the number of documents.
func (x *Index) Len() int { return x.docs.n }

// Length returns the number of terms of document doc, repeats counted; 0 for
// an unknown one.
func (x *Index) Length(doc uint32) int { return int(x.docs.at(doc).length) }

// DocFreq returns the number of documents that hold term.
func (x *Index) DocFreq(term string) int { return len(x.list(term)) }

// IDF returns a term's inverse document frequency, ln(1 + (N − df + ½)/(df + ½))
// for df of N documents: above 0 always, and greatest for an unknown term.
// Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and
// Beyond (2009), with the 1 + inside the logarithm that Lucene adds.
func (x *Index) IDF(term string) float64 {
	n, df := float64(x.Len()), float64(x.DocFreq(term))
	return math.Log(1 + (n-df+.5)/(df+.5))
}

// Postings yields the documents that hold term with its frequency in each
// (1 and more), in ascending order of documents. The index must not be changed
// meanwhile.
func (x *Index) Postings(term string) iter.Seq2[uint32, int] {
	list := x.list(term)
	return func(yield func(uint32, int) bool) {
		for _, p := range list {
			if !yield(p.doc, int(p.tf)) {
				return
			}
		}
	}
}

func (x *Index) list(term string) []posting {
	if at, ok := x.ids[term]; ok {
		return x.lists[at]
	}
	return nil
}
