package layers

import (
	"fmt"
	"slices"
	"strings"

	"mcp-memory/internal/text"
)

// selection is a checked call of forget.
type selection struct {
	in     ForgetInput
	mode   string
	filter filter
	words  []string // of the query, all of which a record must hold
}

// verb says what becomes of what is selected.
func (s *selection) verb() string {
	if s.mode == ModeErase {
		return "erased"
	}
	return "forgotten"
}

// set is what a confirm token is good for: a token that was given for a soft forget
// erases nothing.
func (s *selection) set(ids []string) []string {
	return append([]string{s.mode}, ids...)
}

// selection checks the arguments.
func (m *Memory) selection(in ForgetInput) (*selection, error) {
	r := &filterReader{validator{loc: m.opts.Location, now: m.now()}, m.userNames}
	mode := r.oneOf("mode", in.Mode, []string{ModeSoft, ModeErase}, ModeSoft)
	r.field("reason", in.Reason)
	r.str("query", in.Query, maxText)
	s := &selection{in: in, mode: mode, filter: filter{
		layers: r.layers(in.Layers), entity: r.entity(in.Entity), attribute: r.attribute(in.Attribute),
		tags: r.tags(in.Tags), source: r.field("source_id", in.SourceID),
		before: r.micros("before", in.Before), project: r.project(in.Project), alone: true,
	}}
	s.words = text.QueryTerms(in.Query)
	if r.err != nil {
		return nil, r.err
	}
	return s, s.check()
}

// asked tells the selectors of calls apart; "" where it cannot.
func (s *selection) asked() string {
	in := s.in
	in.Confirm, in.Reason, in.DryRun, in.Call = "", "", false, Call{}
	b, err := marshal(in)
	if err != nil {
		return ""
	}
	return string(b)
}

// wholeSource is the source of which all is selected; "" for none.
func (s *selection) wholeSource() string {
	rest := s.filter
	rest.source = ""
	if len(s.in.IDs) > 0 || len(s.words) > 0 || !rest.empty() {
		return ""
	}
	return s.filter.source
}

// check refuses selectors that do not go together.
func (s *selection) check() error {
	in := &s.in
	none := len(in.IDs) == 0 && len(s.words) == 0 && s.filter.empty()
	switch {
	case in.Undo && s.mode == ModeErase:
		return invalid("undo", "does not go with mode erase: what is erased is gone for good; leave mode out")
	case in.Undo && (len(in.IDs) == 0 || len(s.words) > 0 || !s.filter.empty() || in.All || in.Confirm != "" || in.Reason != ""):
		return invalid("undo", "goes with ids alone: those of records, or of the receipt that a forget answered")
	case strings.TrimSpace(in.Query) != "" && len(s.words) == 0:
		return invalid("query", "%s holds no word; give words that the records hold", quoted(in.Query))
	case s.filter.attribute != "" && s.filter.entity == "":
		return invalid("entity", "is missing beside attribute; say whose it is (\"user\" for the user)")
	case in.All && !none:
		return invalid("all", "stands alone; leave out the other selectors, or leave out all")
	case !in.All && none:
		return invalid("", "forget needs a selector: ids, query, entity (with attribute), tags, source_id, layers, before, project, or all: true")
	}
	return nil
}

// selected returns the records that all selectors match, current or not, in the
// order they were recorded; for an erase also those that were forgotten and have
// their content. An unknown id is an error.
func (sp *space) selected(s *selection) ([]uint32, error) {
	only, err := sp.named(s.in.IDs)
	if err != nil {
		return nil, err
	}
	var out, before []uint32
	for n := range sp.docs {
		d := &sp.docs[n]
		if !s.filter.pass(d) || (len(s.in.IDs) > 0 && !only[uint32(n)]) {
			continue
		}
		switch {
		case !d.forgotten():
			out = append(out, uint32(n))
		case s.mode == ModeErase && d.text != textSum{}:
			before = append(before, uint32(n))
		}
	}
	out = sp.holdingAll(out, s.words)
	before, err = sp.readingAll(before, s.words)
	out = append(out, before...)
	slices.Sort(out)
	return out, err
}

// readingAll is holdingAll for records that no index holds.
func (sp *space) readingAll(docs []uint32, terms []string) (out []uint32, err error) {
	for _, n := range docs {
		e, err := sp.entry(n)
		if err != nil {
			return nil, fmt.Errorf("read a record: %w", err)
		}
		have := indexTerms(&e.Record)
		if !slices.ContainsFunc(terms, func(t string) bool { return !slices.Contains(have, t) }) {
			out = append(out, n)
		}
	}
	return out, nil
}

// named maps ids to records. Unknown ids are refused, forgotten ones are known.
func (sp *space) named(ids []string) (map[uint32]bool, error) {
	out := map[uint32]bool{}
	for i, id := range ids {
		n, ok := sp.byID[strings.TrimSpace(id)]
		if !ok {
			return nil, invalid(fmt.Sprintf("ids[%d]", i), "%s is no record's id; nothing was changed", quoted(id))
		}
		out[n] = true
	}
	return out, nil
}

// holdingAll keeps the records that hold every term.
func (sp *space) holdingAll(docs []uint32, terms []string) []uint32 {
	if len(terms) == 0 {
		return docs
	}
	held := map[uint32]int{}
	distinct := map[string]bool{}
	for _, t := range terms {
		if distinct[t] {
			continue
		}
		distinct[t] = true
		for n := range sp.words.Postings(t) {
			held[n]++
		}
	}
	return slices.DeleteFunc(docs, func(n uint32) bool { return held[n] < len(distinct) })
}

// exact reports whether a selection names what goes so that nobody need be
// asked: ids, or one slot.
func (sp *space) exact(s *selection, found []uint32) bool {
	if len(s.in.IDs) > 0 {
		return true
	}
	if s.filter.entity == "" || s.filter.attribute == "" {
		return false
	}
	for _, n := range found[min(1, len(found)):] {
		if sp.docs[n].slot != sp.docs[found[0]].slot {
			return false
		}
	}
	return true
}
