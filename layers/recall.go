package layers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers/recall"
)

// Sizes of recall's answer.
const (
	defaultLimit  = 10
	maxLimit      = 100
	maxIDs        = 100
	maxTokensMost = 100_000
	matchText     = 2 << 10 // bytes of a text that a match shows
	profileFirst  = 5       // profile records that open an answer without a query
)

// question is a checked call of recall.
type question struct {
	user   string
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
	meant   *meant   // nil: words alone
	worded  string   // why words alone, where vectors were to be had
	seen    *vantage // what is known by vectors; nil: nothing

	total    int // records that would answer, where only the first are gathered
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
	if in.Cursor == "" || q.seen != nil { // pages of an answer by words alone stay that
		if q.meant, q.worded, err = m.embedQuery(ctx, user, q.in.Query); err != nil {
			return RecallOutput{}, fmt.Errorf("recall: %w", err)
		}
	}
	q.user = user
	var out RecallOutput
	err = m.read(user, func(sp *space) error {
		q.Question = recall.Understand(in.Query, q.view.at.In(m.opts.Location), sp.yearList(), &sp.people)
		if len(in.IDs) > 0 {
			q.only, q.missing = sp.known(in.IDs)
		}
		found, err := sp.candidates(q)
		if err != nil {
			m.log.Warn("vectors not searched", "err", err)
			q.worded = "the vectors could not be searched: words alone were"
		}
		out, err = m.answer(ctx, sp, q, found)
		return err
	})
	if err != nil {
		return RecallOutput{}, fmt.Errorf("recall: %w", err)
	}
	m.summarise(ctx, q, &out)
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
	if q.filter.since != 0 && q.filter.until != 0 && q.filter.until < q.filter.since {
		r.fail("until", "%s is before since %s: nothing lies between them", quoted(in.Until), quoted(in.Since))
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
	profile := sp.profile(found)
	rest := slices.DeleteFunc(found, func(c *recall.Candidate) bool { return slices.Contains(profile, c) })
	return append(profile, recall.Best(rest, need)...)
}
