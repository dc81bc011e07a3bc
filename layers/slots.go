package layers

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers/recall"
	"mcp-memory/layers/slot"
	"mcp-memory/storage"
)

// slotKey names a slot within a user's space: entity by its canonical key,
// attribute by its canonical name, object only where the attribute holds many.
type slotKey struct{ project, entity, attribute, object string }

// groupKey names all slots of one attribute, whatever their object.
type groupKey struct{ project, entity, attribute string }

func (k slotKey) group() groupKey { return groupKey{k.project, k.entity, k.attribute} }

// slotState holds a slot's statements in the order they were recorded, and what
// was last derived from them.
type slotState struct {
	key    slotKey
	docs   []uint32
	purged bool     // holds tombstones without content
	kinds  []string // kinds that the attribute or any of its statements belongs to
	view   atomic.Pointer[slotView]
}

// slotView is a slot's timeline and what it shows until it changes by itself.
type slotView struct {
	timeline *slot.Timeline
	from     time.Time // computed for this moment
	until    time.Time // zero: for ever
	current  []uint32
}

// attribute is all slots of one attribute, and how a question names it.
type attribute struct {
	names []recall.Name
	taste bool // named only where a liking is spoken of
	slots []*slotState
}

func newAttribute(name string) *attribute {
	names, taste := slot.Names(name)
	a := &attribute{taste: taste}
	for _, n := range names {
		// "lives" is read as the plural of "life" by itself; a question asks where one lives.
		a.names = append(a.names, recall.Name{Folded: text.Fold(n), Terms: text.Terms(strings.Replace(n, "lives", "live", 1))})
	}
	return a
}

// userEntity is the canonical key of the user's own entity.
const userEntity = "user"

// statementOf derives the slot of a record: its key, its canonical value with
// the polarity folded in, and whether the value is "none". A slot whose
// attribute holds many has one timeline per object, whose value is the
// polarity alone, so that love and hate of one object contradict each other.
func statementOf(r *storage.Record, entityKey string) (key slotKey, value string, none, multi bool) {
	attr := slot.Canonical(r.Attribute)
	key = slotKey{project: r.Project, entity: entityKey, attribute: attr.Name}
	polarity := "+"
	if attr.Negative != (r.Polarity == "-") {
		polarity = "-"
	}
	object := r.Object
	if object == "" {
		object = r.Value
	}
	none = slot.None(r.Value)
	switch {
	case attr.Multi && none:
		key.object = noObject + polarity
	case attr.Multi:
		key.object = slot.Value(object)
		return key, polarity, false, true
	}
	return key, polarity + slot.Value(r.Value), none, attr.Multi
}

// noObject and a polarity are the object of "none" said of an attribute that holds
// many: there is none of them (no likes, or no dislikes). It holds until one is
// named again. No canonical value has a NUL.
const noObject = "\x00"

// none is the polarity of a key that says there is none; "" for another key.
func (k slotKey) none() string {
	if polarity, ok := strings.CutPrefix(k.object, noObject); ok {
		return polarity
	}
	return ""
}

// putStatement enters a record into its slot.
func (sp *space) putStatement(n uint32, r *storage.Record) {
	d := &sp.docs[n]
	key, value, none, multi := statementOf(r, d.entity)
	d.attribute, d.value, d.none = sp.intern(key.attribute), sp.intern(value), none
	s := sp.slotAt(key)
	s.docs = append(s.docs, n)
	var fresh []string
	for _, k := range slot.Kinds(slot.Canonical(r.Attribute), r.Value) {
		if !slices.Contains(s.kinds, k) {
			s.kinds, fresh = append(s.kinds, k), append(fresh, k)
		}
	}
	d.slot = s
	sp.grow(s, &staged{statement: sp.head(n)}, fresh)
	if none && multi {
		sp.closers = append(sp.closers, n)
		sp.touchAll()
	}
}

// slotAt returns the slot with the key and makes it if needed.
func (sp *space) slotAt(key slotKey) *slotState {
	if s := sp.slots[key]; s != nil {
		return s
	}
	key = slotKey{sp.intern(key.project), sp.intern(key.entity), sp.intern(key.attribute), sp.intern(key.object)}
	s := &slotState{key: key}
	sp.slots[key] = s
	sp.groups[key.group()] = append(sp.groups[key.group()], s)
	a := sp.attributes[key.attribute]
	if a == nil {
		a = newAttribute(key.attribute)
		sp.attributes[key.attribute] = a
	}
	a.slots = append(a.slots, s)
	sp.adoptPurged(s)
	return s
}

// statement is a doc as the timeline reads it. knownAt, if set, leaves out what
// was recorded later; ok is false when nothing is left.
func (sp *space) statement(n uint32, knownAt int64) (st slot.Statement, ok bool) {
	d := &sp.docs[n]
	st = slot.Statement{ID: d.id, Value: d.value, None: d.none, Beside: d.beside, Tombstone: d.forgotten()}
	st.Said = d.sayings(knownAt)
	withdrawn := d.withdrawnAt != 0 && (knownAt == 0 || d.withdrawnAt <= knownAt)
	return st, len(st.Said) > 0 && !withdrawn
}

// sayings returns when the record was said, leaving out what was recorded after
// knownAt (0: nothing).
func (d *doc) sayings(knownAt int64) []slot.Saying {
	out := make([]slot.Saying, 0, len(d.said))
	for i := range d.said {
		if s := &d.said[i]; knownAt == 0 || s.recorded <= knownAt {
			out = append(out, s.asSaid())
		}
	}
	return out
}

// asSaid is a saying as the timeline reads it.
func (s *saying) asSaid() slot.Saying {
	return slot.Saying{
		ObservedAt: fromMicros(s.observed), ValidFrom: fromMicros(s.validFrom), ValidTo: fromMicros(s.validTo),
		RecordedAt: fromMicros(s.recorded), Confidence: s.confidence, Trust: int(s.trust),
	}
}

// head is a doc as the timeline reads it, with its own saying alone.
func (sp *space) head(n uint32) slot.Statement {
	d := &sp.docs[n]
	out := []slot.Statement{{ID: d.id, Value: d.value, None: d.none, Beside: d.beside, Tombstone: d.forgotten(), Said: []slot.Saying{d.said[0].asSaid()}}}
	if d.slot != nil && d.slot.purged {
		sp.hashValues(out)
	}
	return out[0]
}

// grow takes one more saying into what was derived from its slot, if the timeline
// takes it and no other slot's statement may end it; else that is dropped. fresh
// are the kinds that the slot did not belong to before.
func (sp *space) grow(s *slotState, st *staged, fresh []string) {
	v := s.view.Load()
	if v == nil {
		return
	}
	s.view.Store(nil)
	if sp.endsMore(s.key, st.statement.ID, fresh) {
		return
	}
	if t := st.onto(v.timeline); t != nil {
		sp.show(s, t, later(v.from, st.statement.Said[0].RecordedAt))
	}
}

// statements returns a slot's statements and the closes that reach it.
func (sp *space) statements(s *slotState, knownAt int64) ([]slot.Statement, []slot.Close) {
	out := make([]slot.Statement, 0, len(s.docs))
	for _, n := range s.docs {
		if st, ok := sp.statement(n, knownAt); ok {
			out = append(out, st)
		}
	}
	if s.purged {
		sp.hashValues(out)
	}
	return out, sp.closesOf(s, knownAt)
}

// viewAt returns the slot's view at now, from the cache where it still holds.
func (sp *space) viewAt(s *slotState, now time.Time) *slotView {
	if v := s.view.Load(); v != nil && !now.Before(v.from) && (v.until.IsZero() || now.Before(v.until)) {
		return v
	}
	ss, closes := sp.statements(s, 0)
	return sp.show(s, slot.New(ss, closes), now)
}

// show keeps a slot's timeline and what it shows at a moment.
func (sp *space) show(s *slotState, t *slot.Timeline, now time.Time) *slotView {
	v := &slotView{timeline: t, from: now, until: t.Next(now), current: sp.numbers(t.At(now))}
	s.view.Store(v)
	return v
}

// numbers maps ids to docs.
func (sp *space) numbers(ids []string) []uint32 {
	out := make([]uint32, 0, len(ids))
	for _, id := range ids {
		out = append(out, sp.byID[id])
	}
	return out
}

// entry reads a record from the store.
func (sp *space) entry(n uint32) (storage.Entry, error) {
	return sp.store.Get(context.Background(), sp.docs[n].id)
}
