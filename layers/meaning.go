package layers

import (
	"fmt"
	"math"

	"mcp-memory/layers/recall"
	"mcp-memory/vector"
)

// meaning is what is known of one user's records by their vectors, by document
// number: all that are not forgotten, older versions too, since a question worded
// like one of those finds what replaced it.
type meaning struct {
	index   vector.Index
	moments *vector.Moments // of all vectors in index
	buffer  []float32       // for one vector on its way in or out
	changed int             // vectors entered and taken out since the graph was saved
}

// Indexes opens and keeps the indexes of vectors, one for each user.
type Indexes interface {
	// Open puts an index over set, and owns it from then on. Where the graph that
	// was saved last is one over just these vectors, it is used.
	Open(user string, set *vector.Set) (vector.Index, error)
	// Save keeps the graph of an index, if it has one; changed says whether vectors
	// came or went since it was kept. It reports whether one is kept.
	Save(user string, index vector.Index, changed bool) (kept bool, err error)
	// Resave is Save of what changed, durably: nothing is left of the graph that was
	// kept before.
	Resave(user string, index vector.Index) error
}

// exactIndexes is the Indexes of who names none.
type exactIndexes struct{}

func (exactIndexes) Open(_ string, set *vector.Set) (vector.Index, error) {
	return vector.Open(vector.EngineExact, set)
}

func (exactIndexes) Save(string, vector.Index, bool) (bool, error) { return false, nil }

func (exactIndexes) Resave(string, vector.Index) error { return nil }

// newMeaning puts an index over set.
func newMeaning(user string, set *vector.Set, moments *vector.Moments, indexes Indexes) (*meaning, error) {
	index, err := indexes.Open(user, set)
	if err != nil {
		return nil, fmt.Errorf("open an index of vectors: %w", err)
	}
	return &meaning{index: index, moments: moments, buffer: make([]float32, set.Dim())}, nil
}

// emptyVectors returns what vectors of dim numbers are gathered in.
func emptyVectors(dim int) (*vector.Set, *vector.Moments, error) {
	set, err := vector.NewSet(dim)
	if err != nil {
		return nil, nil, err
	}
	moments, err := vector.NewMoments(dim)
	return set, moments, err
}

// putVector enters the vector of a record. One that was forgotten meanwhile needs
// none.
func (sp *space) putVector(user string, n uint32, v []float32, indexes Indexes) error {
	if !sp.lacks(n) {
		return nil
	}
	if sp.meaning == nil {
		set, moments, err := emptyVectors(len(v))
		if err != nil {
			return err
		}
		if sp.meaning, err = newMeaning(user, set, moments, indexes); err != nil {
			return err
		}
	}
	m := sp.meaning
	if err := m.index.Add(n, v); err != nil {
		return fmt.Errorf("enter the vector of %s: %w", sp.docs[n].id, err)
	}
	m.index.Vector(n, m.buffer) // as the index keeps it: the same will be taken out
	if err := m.moments.Add(m.buffer); err != nil {
		return fmt.Errorf("count the vector of %s: %w", sp.docs[n].id, err)
	}
	sp.docs[n].embedded = true
	m.changed++
	sp.advance()
	return nil
}

// goWithout accounts for a record that gets no vector, so that it holds up no
// other.
func (sp *space) goWithout(n uint32) {
	sp.docs[n].refused = true
	sp.advance()
}

// advance moves vectored to the first record that waits for its vector. Vectors
// are made in order, so it moves by a few each time.
func (sp *space) advance() {
	for int(sp.vectored) < len(sp.docs) && !sp.lacks(sp.vectored) {
		sp.vectored++
	}
}

// dropVector takes the vector of a record out, if it has one.
func (sp *space) dropVector(n uint32) {
	sp.docs[n].embedded = false
	m := sp.meaning
	if m == nil || !m.index.Vector(n, m.buffer) {
		return
	}
	m.index.Remove(n)
	m.changed++
	_ = m.moments.Remove(m.buffer) // where they cannot follow they are off by one vector
}

// lacks reports whether a record has no vector and waits for one.
func (sp *space) lacks(n uint32) bool {
	d := &sp.docs[n]
	return !d.embedded && !d.refused && !d.forgotten() && d.text != (textSum{})
}

// nearest is how many records a query's meaning reaches beyond those that its
// words do: more gain less than .0003 NDCG@10 on LoCoMo.
const nearest = 50

// look asks the vectors about the question: it reaches the nearest records, and
// looks up how near all lie that are reached.
func (g *gathering) look() error {
	m := g.sp.meaning
	if m == nil || g.q.meant == nil || m.index.Len() == 0 {
		return nil
	}
	if g.q.seen == nil {
		mean, std := m.moments.Score(g.q.meant.focus)
		g.q.seen = &vantage{Before: g.sp.vectored, Count: m.index.Len(), Mean: mean, Std: std}
	}
	if len(g.q.in.IDs) == 0 {
		if err := g.reachNearest(m.index); err != nil {
			return err
		}
	}
	c := &g.scratch.cosines
	for _, r := range g.scratch.reached {
		c.want(r.doc)
		for _, k := range []int{-1, 1} {
			if beside, ok := g.sp.Beside(r.doc, k); ok {
				c.want(beside)
			}
		}
	}
	if err := c.look(m.index, g.q.meant.focus); err != nil {
		return fmt.Errorf("compare vectors: %w", err)
	}
	seen := g.q.seen
	cosine := func(n uint32) (float64, bool) {
		if n >= seen.Before {
			return 0, false
		}
		return c.cosine(n)
	}
	g.meaning = &recall.Meaning{Spread: g.q.meant.gauge(seen.Mean, seen.Std, seen.Count), Turns: g.sp, Words: g.sp.words, Cosine: cosine}
	return nil
}

// reachNearest reaches the records nearest in meaning that may answer, so that
// nothing else costs one of them its place. Versions of one slot take one place
// together.
func (g *gathering) reachNearest(index vector.Index) error {
	search := func(k int) ([]vector.Hit, error) { return index.Search(g.q.meant.focus, k, g.mayAnswer) }
	if docs, few := g.fewMayAnswer(); few {
		search = func(k int) ([]vector.Hit, error) { return vector.Among(index, g.q.meant.focus, docs, k) }
	}
	for k := nearest; ; k *= 2 {
		hits, err := search(k)
		if err != nil {
			return fmt.Errorf("search vectors: %w", err)
		}
		if k < maxNearest && len(hits) == k && g.distinct(hits) < nearest {
			continue
		}
		for _, h := range hits {
			g.reach(h.ID, 0)
		}
		return nil
	}
}

// scanShare is how many records are compared one by one rather than looked for in a
// graph: the square of those that pass a filter, over all that there are. A walk
// through the graph takes the longer the fewer pass, a scan the longer the more do.
const scanShare = 8192

// fewMayAnswer lists the records that may answer a question with a filter, older
// versions too, where they are few among all.
func (g *gathering) fewMayAnswer() (docs []uint32, few bool) {
	if g.q.filter.empty() {
		return nil, false
	}
	passed, few := g.sp.passing(&g.q.filter, int(math.Sqrt(scanShare*float64(len(g.sp.docs)))))
	if !few {
		return nil, false
	}
	seen := map[*slotState]bool{}
	for _, n := range passed {
		versions := []uint32{n}
		if s := g.sp.docs[n].slot; s != nil {
			if seen[s] {
				continue
			}
			seen[s], versions = true, s.docs
		}
		for _, v := range versions {
			if g.mayAnswer(v) {
				docs = append(docs, v)
			}
		}
	}
	return docs, true
}

// maxNearest ends the search for other slots than the one whose versions fill all
// places.
const maxNearest = 64 * nearest

// mayAnswer reports whether a record, or what replaced it, may answer.
func (g *gathering) mayAnswer(n uint32) bool {
	if n >= g.q.seen.Before {
		return false
	}
	itself, heads := g.sp.shown(n, &g.q.view)
	if itself && g.q.answers(&g.sp.docs[n]) {
		return true
	}
	for _, head := range heads {
		if g.q.answers(&g.sp.docs[head]) {
			return true
		}
	}
	return false
}

// distinct counts the records that hits lead to; all of one slot are one.
func (g *gathering) distinct(hits []vector.Hit) int {
	slots, n := map[*slotState]bool{}, 0
	for _, h := range hits {
		if s := g.sp.docs[h.ID].slot; s == nil {
			n++
		} else {
			slots[s] = true
		}
	}
	return n + len(slots)
}

// cosines are looked up all at once, each once. The zero value is ready but for
// room in at.
type cosines struct {
	at  []int32 // by doc: 1 + its place in what follows
	ids []uint32
	of  []float32 // NaN: no vector
}

// want asks for the cosine of a record.
func (c *cosines) want(n uint32) {
	if c.at[n] == 0 {
		c.ids = append(c.ids, n)
		c.at[n] = int32(len(c.ids))
	}
}

// look gets all that is wanted.
func (c *cosines) look(index vector.Index, query []float32) error {
	if cap(c.of) < len(c.ids) {
		c.of = make([]float32, len(c.ids), 2*len(c.ids))
	}
	c.of = c.of[:len(c.ids)]
	return index.Cosines(query, c.ids, c.of)
}

// cosine is that of a record; not ok if it has no vector.
func (c *cosines) cosine(n uint32) (float64, bool) {
	i := c.at[n]
	if i == 0 || math.IsNaN(float64(c.of[i-1])) {
		return 0, false
	}
	return float64(c.of[i-1]), true
}

// clear forgets all that was wanted.
func (c *cosines) clear() {
	for _, n := range c.ids {
		c.at[n] = 0
	}
	c.ids, c.of = c.ids[:0], c.of[:0]
}
