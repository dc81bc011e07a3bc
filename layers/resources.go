package layers

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"mcp-memory/layers/recall"
	"mcp-memory/layers/slot"
	"mcp-memory/storage"
	"mcp-memory/vector"
)

// Sizes of the resources.
const (
	profileMost  = 50
	recentMost   = 30
	upcomingMost = 20
	shownSpeaker = 64  // bytes of a speaker's name in working memory
	chainMost    = 200 // statements of a slot that are shown, the latest ones
	chainText    = 512 // bytes of a text in a chain
	chainBudget  = 40_000
)

// profile returns the first standing records about the user among candidates, the
// most important first, and of one importance in the order of recall.
func (sp *space) profile(found []*recall.Candidate) []*recall.Candidate {
	byImportance := map[uint8][]*recall.Candidate{}
	for _, c := range found {
		d := &sp.docs[c.Doc]
		if sp.columns.kind[c.Doc].personal() {
			byImportance[d.importance] = append(byImportance[d.importance], c)
		}
	}
	var out []*recall.Candidate
	for _, importance := range slices.Backward(slices.Sorted(maps.Keys(byImportance))) {
		out = append(out, recall.Best(byImportance[importance], profileFirst-len(out))...)
		if len(out) == profileFirst {
			break
		}
	}
	return out
}

// The kinds of what says who the user is, and how they want things done.
var (
	kindIdentity   = kindOf(storage.Identity, storage.Semantic)
	kindPreference = kindOf(storage.Preference, storage.Semantic)
)

// personal reports whether a kind says who the user is, or how they want things done.
func (k kind) personal() bool {
	k &= kindLayer | kindEpisodic
	return k == kindIdentity || k == kindPreference
}

// Profile renders, in Markdown, who the user is and how they want things done.
func (m *Memory) Profile(ctx context.Context, user string) (string, error) {
	wanted := func(k kind) bool { return k.personal() || k&kindEpisodic == 0 && k&kindUser != 0 }
	return m.document(ctx, user, listing{
		title: "Profile", empty: "Nothing is known about the user yet.", most: profileMost, wanted: wanted,
		docs: func(sp *space, v *view) []uint32 { return sp.weighty(v, profileMost, wanted) },
	})
}

// Recent renders, in Markdown, what was remembered last.
func (m *Memory) Recent(ctx context.Context, user string) (string, error) {
	return m.document(ctx, user, listing{
		title: "Recent memories", empty: "Nothing is remembered yet.", most: recentMost, wanted: anyKind,
		docs: func(sp *space, v *view) []uint32 { return sp.newest(v, recentMost) },
	})
}

// listing is what a document shows: records, of all that are current and of a wanted
// kind.
type listing struct {
	title, empty string
	most         int
	wanted       func(kind) bool
	docs         func(*space, *view) []uint32
}

func anyKind(kind) bool { return true }

// document renders records as a Markdown list.
func (m *Memory) document(ctx context.Context, user string, of listing) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", of.title)
	err := m.read(user, func(sp *space) error {
		v := &view{at: m.present()}
		docs := of.docs(sp, v)
		if len(docs) == 0 {
			b.WriteString(of.empty + "\n")
		}
		for _, n := range docs {
			match, err := sp.describe(ctx, n, v)
			if err != nil {
				return err
			}
			l := line(&match, m.opts.Location)
			fmt.Fprintf(&b, "- [%s] %s `%s`\n", l.Date, recall.OneLine(cut(match.Text, 500)), match.ID)
		}
		if all := sp.countUp(v); all.current(of.wanted) > len(docs) {
			fmt.Fprintf(&b, "\n%d more: use recall.\n", all.current(of.wanted)-len(docs))
		}
		return nil
	})
	return b.String(), err
}

// Upcoming returns planned activities that are near: within the set days, or a
// day overdue.
func (m *Memory) Upcoming(_ context.Context, user string) (out []Upcoming, err error) {
	err = m.read(user, func(sp *space) error {
		out, err = sp.upcoming(&question{view: view{at: m.present()}}, m.opts.UpcomingDays)
		return err
	})
	return out, err
}

func (sp *space) upcoming(q *question, days int) ([]Upcoming, error) {
	v := &view{at: q.view.at, knownAt: q.view.knownAt}
	low, high := v.at.Add(-24*time.Hour).UnixMicro(), v.at.AddDate(0, 0, days).UnixMicro()
	var docs []uint32
	for n := range sp.planned {
		d := &sp.docs[n]
		if d.live() && d.startsAt >= low && d.startsAt <= high && q.filter.passProject(d.project) && sp.visible(n, v) {
			docs = append(docs, n)
		}
	}
	slices.SortFunc(docs, func(a, b uint32) int {
		x, y := &sp.docs[a], &sp.docs[b]
		return cmp.Or(cmp.Compare(x.startsAt, y.startsAt), cmp.Compare(x.id, y.id))
	})
	out := []Upcoming{}
	for _, n := range docs[:min(len(docs), upcomingMost)] {
		e, err := sp.entry(n)
		if err != nil {
			return nil, fmt.Errorf("read a planned activity: %w", err)
		}
		out = append(out, Upcoming{ID: e.ID, Text: cut(e.Text, shownText), StartsAt: formatTime(fromMicros(sp.docs[n].startsAt))})
	}
	return out, nil
}

// Record returns a record and the chain it stands in. Error: storage.ErrNotFound
// for an id that is unknown, forgotten or another user's.
func (m *Memory) Record(ctx context.Context, user, id string) (out RecordView, err error) {
	err = m.read(user, func(sp *space) error {
		n, ok := sp.byID[id]
		if !ok || sp.docs[n].forgotten() {
			return fmt.Errorf("record %s: %w", quoted(id), storage.ErrNotFound)
		}
		v := &view{at: m.present()}
		if out.Record, err = sp.describe(ctx, n, v); err != nil {
			return err
		}
		if s := sp.docs[n].slot; s != nil {
			if out.Chain, err = sp.chain(ctx, s, v); err != nil {
				return err
			}
			out.Chain, out.Omitted, err = latestWithin(out.Chain, chainBudget)
			return err
		}
		out.Chain = []Match{}
		return nil
	})
	return out, err
}

// chain returns a slot's statements that still have content, oldest first.
func (sp *space) chain(ctx context.Context, s *slotState, v *view) ([]Match, error) {
	docs := slices.DeleteFunc(slices.Clone(s.docs), func(n uint32) bool { return sp.docs[n].forgotten() })
	slices.SortFunc(docs, func(a, b uint32) int {
		x, y := &sp.docs[a], &sp.docs[b]
		return cmp.Or(cmp.Compare(x.place(), y.place()), cmp.Compare(x.recorded(), y.recorded()))
	})
	docs = docs[max(0, len(docs)-chainMost):]
	out := make([]Match, 0, len(docs))
	for _, n := range docs {
		match, err := sp.describe(ctx, n, v)
		if err != nil {
			return nil, err
		}
		match.Text = cut(match.Text, chainText)
		out = append(out, match)
	}
	return out, nil
}

// latestWithin keeps the last matches whose JSON is within a budget, one at
// least, and says how many were left out.
func latestWithin(matches []Match, budget int) ([]Match, int, error) {
	for i := len(matches) - 1; i >= 0; i-- {
		size, err := jsonSize(matches[i])
		if err != nil {
			return nil, 0, err
		}
		if budget -= size; budget < 0 && i < len(matches)-1 {
			return matches[i+1:], i + 1, nil
		}
	}
	return matches, 0, nil
}

// place is where a statement stands in its slot's order: when it was said, or
// from when it is true if that is later.
func (d *doc) place() int64 { return max(d.said[0].validFrom, d.said[0].observed) }

// Timeline returns the history of an entity. An entity that is not known has an
// empty one.
func (m *Memory) Timeline(ctx context.Context, user, entity string) (TimelineView, error) {
	display, key := slot.Entity(entity, m.userNames...)
	if key == "" {
		return TimelineView{}, invalid("entity", namesNothing, quoted(entity))
	}
	out := TimelineView{Entity: display, Attributes: []AttributeView{}}
	err := m.read(user, func(sp *space) error {
		for _, g := range sp.groupsOf(key) {
			view, err := m.attributeView(ctx, sp, g)
			if err != nil {
				return err
			}
			if len(view.Statements) > 0 {
				out.Attributes = append(out.Attributes, view)
			}
		}
		return nil
	})
	return out, err
}

func (m *Memory) attributeView(ctx context.Context, sp *space, g groupKey) (AttributeView, error) {
	out := AttributeView{Project: g.project, Attribute: g.attribute, Statements: []Match{}}
	for _, s := range sp.groups[g] {
		chain, err := sp.chain(ctx, s, &view{at: m.present()})
		if err != nil {
			return out, err
		}
		out.Statements = append(out.Statements, chain...)
	}
	slices.SortStableFunc(out.Statements, func(a, b Match) int { return cmp.Compare(placeOf(&a), placeOf(&b)) })
	var err error
	out.Statements, out.Omitted, err = latestWithin(out.Statements, chainBudget)
	return out, err
}

// placeOf is doc.place of a match; RFC 3339 UTC sorts as text but for fractions
// of a second, which are parsed.
func placeOf(m *Match) int64 {
	observed, _ := time.Parse(time.RFC3339Nano, m.ObservedAt)
	from, _ := time.Parse(time.RFC3339Nano, m.ValidFrom)
	return max(micros(observed), micros(from))
}

// groupsOf returns the attributes of an entity in a fixed order.
func (sp *space) groupsOf(entity string) []groupKey {
	var out []groupKey
	for g := range sp.groups {
		if g.entity == entity {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b groupKey) int {
		return cmp.Or(cmp.Compare(a.attribute, b.attribute), cmp.Compare(a.project, b.project))
	})
	return out
}

// anyLive reports whether any record was neither forgotten nor withdrawn.
func (sp *space) anyLive() bool {
	for i := range sp.docs {
		if sp.docs[i].live() {
			return true
		}
	}
	return false
}

// Stats describes the running memory as the user may see it.
func (m *Memory) Stats(_ context.Context, user string) (StatsView, error) {
	st := m.opts.Store.Stats()
	out := StatsView{
		Role: RoleOwner, OwnerPID: os.Getpid(), Version: m.opts.Version, Dir: m.opts.Dir, Differ: m.voice.Differ,
		FileBytes: st.FileBytes, Goroutines: runtime.NumGoroutine(), Salvage: st.Salvage,
	}
	if m.voice.Attached {
		out.Role = RoleAttached
	}
	err := m.read(user, func(sp *space) error {
		counted := sp.countUp(&view{at: m.present()})
		out.Forgotten, out.Current, out.History = counted.states[gone], counted.states[current], counted.states[past]
		out.Records, out.ByLayer = out.Current+out.History, counted.byLayer()
		out.Users = len(m.spaces)
		sp.vectorStats(&out)
		return nil
	})
	out.LLM, out.ModelCalls, out.CallsSaved = "off", m.tally.models.Load(), m.tally.saved.Load()
	switch {
	case m.opts.Models.Any():
		out.LLM = "openai"
	case m.opts.Sampling:
		out.LLM = "sampling"
	}
	out.Embedder = "off"
	if m.background != nil {
		s := m.background.stats(user)
		out.Embedder, out.VectorsPending, out.VectorsRate = m.opts.Embedder.Model(), s.pending, math.Round(s.rate)
		if out.VectorEngine == "" { // without vectors yet, whatever is set
			out.VectorEngine = vector.EngineExact
		}
		if s.down != nil {
			out.EmbedderError = s.down.Error()
		}
	}
	return out, err
}

// vectorStats describes the index of a user's vectors.
func (sp *space) vectorStats(out *StatsView) {
	out.VectorRecall = 1
	if sp.meaning == nil {
		return
	}
	out.Embedded = sp.meaning.index.Len()
	if r, ok := sp.meaning.index.(vector.Reporter); ok {
		s := r.Stats()
		out.VectorEngine, out.VectorRecall, out.VectorNote = s.Answers, s.Recall, s.Note
	}
}
