package layers

import (
	"maps"
	"slices"

	"mcp-memory/layers/recall"
	"mcp-memory/storage"
	"mcp-memory/storage/keyword"
)

// gathering collects candidates, each once, from whatever reaches them.
type gathering struct {
	sp      *space
	q       *question
	scratch *recallScratch
	words   *recall.Lexical
	meaning *recall.Meaning // nil: words alone
	out     []*recall.Candidate
	pool    []recall.Candidate // where the next candidates lie
}

// candidates returns every record that answers the question, with its signals.
// Filters work here, before anything is cut. An error says that the vectors could
// not be asked.
func (sp *space) candidates(q *question) ([]*recall.Candidate, error) {
	scratch, _ := sp.scratch.Get().(*recallScratch)
	if scratch == nil {
		scratch = &recallScratch{}
	}
	scratch.fit(len(sp.docs))
	defer sp.scratch.Put(scratch)
	g := &gathering{sp: sp, q: q, scratch: scratch}
	defer g.clear()
	g.words = recall.Score(sp.words, sp, q.Terms, keyword.Weight, len(sp.docs), &scratch.Scratch)
	switch {
	case len(q.in.IDs) > 0:
		for _, n := range q.only {
			g.reach(n, 0)
		}
	case q.opens():
		g.open()
	case q.Folded == "":
		docs, _ := sp.passing(&q.filter, len(sp.docs))
		for _, n := range docs {
			g.reach(n, 0)
		}
	default:
		g.search()
	}
	err := g.look()
	for _, r := range scratch.reached {
		g.settle(r)
	}
	g.rate()
	return g.out, err
}

// opens reports whether the question is the one that opens a session: without a
// query, a filter or another moment than now.
func (q *question) opens() bool {
	now := !q.view.all && !q.view.asOf && q.view.knownAt == 0
	return q.Folded == "" && len(q.in.IDs) == 0 && q.filter.empty() && now && q.in.Cursor == ""
}

// open reaches what the first page of such a question shows, and counts the others.
func (g *gathering) open() {
	sp, q := g.sp, g.q
	for _, n := range sp.weighty(&q.view, profileFirst, kind.personal) {
		g.reach(n, 0)
	}
	for _, n := range sp.newest(&q.view, q.limit+1+profileFirst) {
		g.reach(n, 0)
	}
	all := sp.countUp(&q.view)
	q.total = all.states[current]
}

// search reaches what the query finds.
func (g *gathering) search() {
	for _, n := range g.words.Docs {
		g.reach(n, 0)
	}
	g.reachTimes()
	g.reachSpeaker()
	for n := range g.sp.sayingSame(g.q.text) {
		g.reach(n, 0)
	}
	for _, s := range g.sp.filtered(g.q) {
		g.reachSlot(s, 0)
	}
	for _, s := range g.sp.namedSlots(g.q) {
		g.reachSlot(s, 1)
	}
}

// rate gives every candidate its place in the order and its score.
func (g *gathering) rate() {
	g.q.Recent(g.out)
	scale := recall.Scale{Most: g.words.Most, Whole: g.words.Whole}
	for _, c := range g.out {
		scale.Best = max(scale.Best, c.Keyword)
	}
	for _, c := range g.out {
		scale.Rate(c)
	}
}

// recallScratch is what a question works in, kept for the next one.
type recallScratch struct {
	recall.Scratch
	at      []int32 // by doc: 1 + its place among the candidates
	reached []reached
	cosines cosines
}

// reached is a record that the question reaches, whatever it is answered with.
type reached struct {
	doc  uint32
	slot float64 // 1: the query names its slot
}

// fit makes room for n documents.
func (s *recallScratch) fit(n int) {
	if len(s.at) < n {
		s.at = make([]int32, n+n/4)
		s.cosines.at = make([]int32, n+n/4)
	}
}

// clear leaves the scratch as the next question expects it.
func (g *gathering) clear() {
	for _, c := range g.out {
		g.scratch.at[c.Doc] = 0
	}
	g.scratch.reached = g.scratch.reached[:0]
	g.scratch.cosines.clear()
}

// reachTimes takes what happened at the times that the query names, whatever its
// words.
func (g *gathering) reachTimes() {
	if len(g.q.Spans) == 0 {
		return
	}
	for n, event := range g.sp.columns.event {
		if g.q.Near(fromMicros(event)) > 0 {
			g.reach(uint32(n), 0)
		}
	}
}

// reachSpeaker takes what the one speaker said who is asked about.
func (g *gathering) reachSpeaker() {
	speaker, known := g.sp.columns.names[g.q.Speaker]
	if !g.q.BySpeaker || !known {
		return
	}
	for n, of := range g.sp.columns.speaker {
		if of != speaker {
			continue
		}
		if d := &g.sp.docs[n]; d.speaker == g.q.Speaker && d.tier == storage.Episodic {
			g.reach(uint32(n), 1)
		}
	}
}

// yearList returns the years that records were said in, in order.
func (sp *space) yearList() []int { return slices.Sorted(maps.Keys(sp.years)) }

// reachSlot takes all that was said in a slot.
func (g *gathering) reachSlot(s *slotState, slot float64) {
	for _, n := range s.docs {
		g.reach(n, slot)
	}
}

// reach notes a record that the question reaches.
func (g *gathering) reach(n uint32, slot float64) {
	g.scratch.reached = append(g.scratch.reached, reached{n, slot})
}

// settle takes what a record that the question reaches is answered with.
func (g *gathering) settle(r reached) {
	itself, heads := g.sp.shown(r.doc, &g.q.view)
	if itself {
		g.take(r.doc, r)
	}
	for _, head := range heads {
		g.take(head, r)
	}
}

// take adds a record that the question reached by another, which may be an older
// version of it, or itself: the best of all its versions counts.
func (g *gathering) take(n uint32, by reached) {
	if !g.q.answers(&g.sp.docs[n]) {
		return
	}
	i := g.scratch.at[n]
	if i == 0 {
		g.out = append(g.out, g.candidate(n))
		i = int32(len(g.out))
		g.scratch.at[n] = i
	}
	c := g.out[i-1]
	c.Keyword, c.Slot = max(c.Keyword, g.words.Scores[by.doc]), max(c.Slot, by.slot)
	c.Fit, c.Cover = max(c.Fit, g.words.Fit[by.doc]), max(c.Cover, g.words.Cover[by.doc])
	if g.meaning != nil {
		c.Nearness = c.Nearer(g.meaning.Of(by.doc))
	}
}

// answers reports whether a record may answer the question: it passes the filter,
// and was there when the first page was read.
func (q *question) answers(d *doc) bool {
	return q.filter.pass(d) && (q.cursor.Known == 0 || d.recorded() <= q.cursor.Known)
}

// candidate is a record without the signals of what reached it.
func (g *gathering) candidate(n uint32) *recall.Candidate {
	if len(g.pool) == 0 {
		g.pool = make([]recall.Candidate, 256)
	}
	c, d := &g.pool[0], &g.sp.docs[n]
	g.pool = g.pool[1:]
	*c = recall.Candidate{
		Doc: n, ID: d.id, Said: d.observed(), Time: d.observed(), Near: g.q.Near(fromMicros(d.event)),
		Identical: g.q.Folded != "" && d.text == g.q.text,
	}
	if d.tier == storage.Episodic && g.q.Folded != "" {
		c.Time = -c.Time
	}
	c.Factor, c.Layer = g.q.Factor(&recall.Facts{Traits: d.traits, Speaker: d.speaker, User: d.role == "user", Layer: d.layer})
	return c
}

// namedSlots returns the slots that the query names: the attribute by any of its
// names, and the entity unless it is the user.
func (sp *space) namedSlots(q *question) (named []*slotState) {
	for _, a := range sp.attributes {
		if q.Names(a.names, a.taste) {
			named = append(named, sp.ofEntities(q, a.slots)...)
		}
	}
	return named
}

// ofEntities keeps the slots whose entity the query names; the user's need no
// naming.
func (sp *space) ofEntities(q *question, slots []*slotState) (out []*slotState) {
	for _, s := range slots {
		if s.key.entity == userEntity || recall.Mentions(q.Folded, s.key.entity) {
			out = append(out, s)
		}
	}
	return out
}

// filtered returns the slots of the attribute that the call asks for by name:
// its records answer whatever their words.
func (sp *space) filtered(q *question) []*slotState {
	if a := sp.attributes[q.filter.attribute]; a != nil && q.filter.attribute != "" {
		return a.slots
	}
	return nil
}
