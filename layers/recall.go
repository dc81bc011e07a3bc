package layers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers/recall"
	"mcp-memory/storage"
	"mcp-memory/storage/keyword"
)

// Sizes of recall's answer.
const (
	defaultLimit  = 10
	maxLimit      = 100
	maxIDs        = 100
	maxTokensMost = 100_000
	matchText     = 2 << 10 // bytes of a text that a match shows
	profileFirst  = 5       // profile records that open an answer without a query
	workingTurns  = 20      // turns of a session that recall gives back
)

// question is a checked call of recall.
type question struct {
	in     RecallInput
	view   view
	filter filter
	recall.Question
	text    textSum // of the query, for identical texts
	limit   int
	floor   float64
	cursor  cursor
	only    []uint32 // ids asked for
	missing int      // ids that were left out

	rendered int // matches that the context holds
}

// Recall answers a question about what is remembered. It never changes what it
// reads. Errors: *InvalidError for what the caller must change, else the
// store's.
func (m *Memory) Recall(ctx context.Context, user string, in RecallInput) (RecallOutput, error) {
	q, err := m.question(in)
	if err != nil {
		return RecallOutput{}, err
	}
	var out RecallOutput
	err = m.read(user, func(sp *space) error {
		q.Question = recall.Understand(in.Query, q.view.at.In(m.opts.Location), sp.yearList(), &sp.people)
		if len(in.IDs) > 0 {
			q.only, q.missing = sp.known(in.IDs)
		}
		found := sp.candidates(q)
		var err error
		out, err = m.answer(ctx, sp, q, found)
		return err
	})
	if err != nil {
		return RecallOutput{}, fmt.Errorf("recall: %w", err)
	}
	m.log.Info("recalled", "matches", len(out.Matches), "candidates", out.Candidates)
	return out, nil
}

// question checks the arguments.
func (m *Memory) question(in RecallInput) (*question, error) {
	now := m.present()
	r := &filterReader{validator{loc: m.opts.Location, now: now}, m.userNames}
	in.Query = strings.TrimSpace(in.Query)
	q := &question{in: in, text: sumText(text.Fold(in.Query))}
	r.str("query", in.Query, maxText)
	q.filter = filter{
		layers: r.layers(in.Layers), tiers: r.tiers(in.Tiers),
		entity: r.entity(in.Entity), attribute: r.attribute(in.Attribute), tags: r.tags(in.Tags),
		project: r.project(in.Project), since: r.micros("since", in.Since), until: r.dayEnd("until", in.Until),
	}
	r.oneOf("format", in.Format, []string{FormatItems, FormatContext, FormatSummary}, FormatItems)
	q.limit = r.integer("limit", in.Limit, 1, maxLimit, defaultLimit)
	q.floor = r.number("min_score", in.MinScore, 0, 1, 0)
	r.integer("max_tokens", in.MaxTokens, 1, maxTokensMost, 0)
	r.field("session_id", in.SessionID)
	if in.Query == "" && q.floor > 0 {
		r.fail("min_score", "goes with a query: without one nothing is scored")
	}
	if len(in.IDs) > maxIDs {
		r.fail("ids", "there are %d; the limit is %d", len(in.IDs), maxIDs)
	}
	if len(in.IDs) > 0 && in.Limit == nil {
		q.limit = len(in.IDs)
	}
	r.view(q, now)
	if r.err != nil {
		return nil, r.err
	}
	return q, q.readCursor()
}

// view reads as_of, known_at and include_superseded.
func (r *filterReader) view(q *question, now time.Time) {
	asOf, knownAt := r.time("as_of", q.in.AsOf), r.time("known_at", q.in.KnownAt)
	q.view = view{at: now, asOf: !asOf.IsZero(), knownAt: micros(knownAt), all: q.in.IncludeSuperseded || len(q.in.IDs) > 0}
	switch {
	case !asOf.IsZero():
		q.view.at = asOf
	case !knownAt.IsZero():
		q.view.at = knownAt
	}
}

// known maps ids to records that may be shown, each once, in the order given;
// missing counts those that are unknown, forgotten or another user's.
func (sp *space) known(ids []string) (docs []uint32, missing int) {
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		n, ok := sp.byID[id]
		if !ok || sp.docs[n].forgotten() {
			missing++
			continue
		}
		docs = append(docs, n)
	}
	return docs, missing
}

// gathering collects candidates, each once, from whatever reaches them.
type gathering struct {
	sp    *space
	q     *question
	words *recall.Lexical
	at    []int32 // by doc: 1 + its place in out
	out   []*recall.Candidate
	pool  []recall.Candidate // where the next candidates lie
}

// candidates returns every record that answers the question, with its signals.
// Filters work here, before anything is cut.
func (sp *space) candidates(q *question) []*recall.Candidate {
	scratch, _ := sp.scratch.Get().(*recallScratch)
	if scratch == nil {
		scratch = &recallScratch{}
	}
	defer sp.scratch.Put(scratch)
	words := recall.Score(sp.words, sp, q.Terms, keyword.Weight, len(sp.docs), &scratch.Scratch)
	g := &gathering{sp: sp, q: q, words: words, at: scratch.places(len(sp.docs))}
	defer g.clear()
	switch {
	case len(q.in.IDs) > 0:
		for _, n := range q.only {
			g.reach(n, 0)
		}
	case q.Folded == "":
		for n := range sp.docs {
			g.reach(uint32(n), 0)
		}
	default:
		for _, n := range words.Docs {
			g.reach(n, 0)
		}
		g.reachTimes()
		g.reachSpeaker()
		for n := range sp.sayingSame(q.text) {
			g.reach(n, 0)
		}
		for _, s := range sp.filtered(q) {
			for _, n := range s.docs {
				g.reach(n, 0)
			}
		}
		for _, s := range sp.namedSlots(q) {
			for _, n := range s.docs {
				g.reach(n, 1)
			}
		}
	}
	q.Recent(g.out)
	best := 0.0
	for _, c := range g.out {
		best = max(best, c.Keyword)
	}
	for _, c := range g.out {
		c.Rate(words.Most, best)
	}
	return g.out
}

// recallScratch is what a question works in, kept for the next one.
type recallScratch struct {
	recall.Scratch
	at []int32
}

// places returns a zero for every document.
func (s *recallScratch) places(n int) []int32 {
	if len(s.at) < n {
		s.at = make([]int32, n+n/4)
	}
	return s.at
}

// clear leaves the places zero for the next question.
func (g *gathering) clear() {
	for _, c := range g.out {
		g.at[c.Doc] = 0
	}
}

// reachTimes takes what happened at the times that the query names, whatever its
// words.
func (g *gathering) reachTimes() {
	if len(g.q.Spans) == 0 {
		return
	}
	for n := range g.sp.docs {
		if g.q.Near(fromMicros(g.sp.docs[n].event)) > 0 {
			g.reach(uint32(n), 0)
		}
	}
}

// reachSpeaker takes what the one speaker said who is asked about.
func (g *gathering) reachSpeaker() {
	if !g.q.BySpeaker {
		return
	}
	for n := range g.sp.docs {
		if d := &g.sp.docs[n]; d.speaker == g.q.Speaker && d.tier == storage.Episodic {
			g.reach(uint32(n), 1)
		}
	}
}

// yearList returns the years that records were said in, in order.
func (sp *space) yearList() []int { return slices.Sorted(maps.Keys(sp.years)) }

// reach takes what a record that the question reaches is answered with.
func (g *gathering) reach(n uint32, slot float64) {
	itself, heads := g.sp.shown(n, &g.q.view)
	if itself {
		g.take(n, n, slot)
	}
	for _, head := range heads {
		g.take(head, n, slot)
	}
}

func (g *gathering) take(n, from uint32, slot float64) {
	if i := g.at[n]; i > 0 {
		c := g.out[i-1]
		c.Keyword, c.Slot = max(c.Keyword, g.words.Scores[from]), max(c.Slot, slot)
		c.Fit, c.Cover = max(c.Fit, g.words.Fit[from]), max(c.Cover, g.words.Cover[from])
		return
	}
	d := &g.sp.docs[n]
	if !g.q.filter.pass(d) || (g.q.cursor.Known != 0 && d.recorded() > g.q.cursor.Known) {
		return
	}
	if len(g.pool) == 0 {
		g.pool = make([]recall.Candidate, 256)
	}
	c := &g.pool[0]
	g.pool = g.pool[1:]
	event := fromMicros(d.event)
	*c = recall.Candidate{
		Doc: n, ID: d.id, Said: d.observed(), Time: d.observed(),
		Keyword: g.words.Scores[from], Fit: g.words.Fit[from], Cover: g.words.Cover[from], Slot: slot, Near: g.q.Near(event),
		Identical: g.q.Folded != "" && d.text == g.q.text,
	}
	if d.tier == storage.Episodic && g.q.Folded != "" {
		c.Time = -c.Time
	}
	c.Factor, c.Layer = g.q.Factor(&recall.Facts{Traits: d.traits, Speaker: d.speaker, User: d.role == "user", Layer: d.layer})
	g.out = append(g.out, c)
	g.at[n] = int32(len(g.out))
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

// ordered returns the first candidates in order, as many as the page needs.
// Without a query the most important standing records about the user come
// before the latest.
func (sp *space) ordered(q *question, found []*recall.Candidate) []*recall.Candidate {
	need := q.limit + 1
	if len(q.cursor.Shown) > 0 {
		need = len(found)
	}
	if len(q.only) > 0 && q.Folded == "" { // as they were asked for
		return found
	}
	if q.Folded != "" || len(q.only) > 0 || !q.filter.empty() {
		return recall.Best(found, need)
	}
	profile := sp.profile(recall.Best(found, len(found)))
	rest := slices.DeleteFunc(found, func(c *recall.Candidate) bool { return slices.Contains(profile, c) })
	return append(profile, rest...)
}
