package layers

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers/recall"
	"mcp-memory/layers/slot"
	"mcp-memory/storage"
	"mcp-memory/storage/keyword"
)

// space is what is derived from one user's records:
//
//	docs ──< one per record, in the order they were recorded; numbers are never reused
//	words     term → docs      (keyword postings; forgotten records are not in it)
//	slots     key  → slotState ──< docs
//	texts, sources, sessions   → docs
//
// Users have separate spaces, so that no question can reach another's records.
type space struct {
	store     storage.Store
	userNames []string

	docs       []doc
	byID       map[string]uint32
	columns    columns
	latest     latest
	census     census
	words      *keyword.Index
	slots      map[slotKey]*slotState
	groups     map[groupKey][]*slotState // the slots of one attribute, one per object
	attributes map[string]*attribute
	closers    []uint32           // docs that end statements of other slots
	texts      map[textSum]uint32 // the last of the records that say the same; doc.same leads to the one before
	sources    map[string][]uint32
	sessions   map[string]*session
	people     people
	meaning    *meaning                     // nil: no record has a vector
	vectored   uint32                       // the first record that waits for its vector
	years      map[int]int                  // live records by the year they were said in
	planned    map[uint32]struct{}          // live planned activities
	purged     map[string][]uint32          // hashed slot key → tombstones without content
	forgotten  atomic.Pointer[forgottenSet] // nil: not read yet
	interned   map[string]string
	scratch    sync.Pool // of *recallScratch
}

func newSpace(store storage.Store, userNames []string) *space {
	return &space{
		store: store, userNames: userNames,
		byID: map[string]uint32{}, columns: newColumns(), words: keyword.New(),
		slots: map[slotKey]*slotState{}, groups: map[groupKey][]*slotState{},
		attributes: map[string]*attribute{},
		texts:      map[textSum]uint32{}, sources: map[string][]uint32{},
		sessions: map[string]*session{}, people: newPeople(), years: map[int]int{},
		planned: map[uint32]struct{}{}, purged: map[string][]uint32{}, interned: map[string]string{},
	}
}

// intern returns one copy of a string that many records share.
func (sp *space) intern(s string) string {
	if s == "" {
		return ""
	}
	if t, ok := sp.interned[s]; ok {
		return t
	}
	sp.interned[s] = s
	return s
}

// add takes an entry as the store knows it.
func (sp *space) add(e *storage.Entry, p prepared) {
	n := sp.put(&e.Record, e.Tombstone, p)
	for i := range e.Reinforced {
		sp.reinforce(&e.Reinforced[i])
	}
	if !e.WithdrawnAt.IsZero() {
		sp.withdraw(n, e.WithdrawnAt)
	}
	if !e.ForgottenAt.IsZero() {
		sp.forget(n, e.ForgottenAt)
	}
	if e.Erased && e.Tombstone != nil && sp.docs[n].text != (textSum{}) {
		sp.erase(n, e.Tombstone)
	}
	sp.docs[n].restoredAt, sp.docs[n].erased = micros(e.RestoredAt), e.Erased
}

// apply takes an operation that the store has made durable. An error says that
// what is derived does not show it.
func (sp *space) apply(op *storage.Op) error {
	for i := range op.Put {
		sp.put(&op.Put[i], nil, prepare(&op.Put[i]))
	}
	for i := range op.Reinforce {
		sp.reinforce(&op.Reinforce[i])
	}
	for _, id := range op.Withdraw {
		sp.withdraw(sp.byID[id], op.At)
	}
	if op.Forget != nil {
		for i := range op.Forget.Records {
			t := &op.Forget.Records[i]
			sp.forget(sp.byID[t.ID], op.At)
			if f := sp.forgotten.Load(); f != nil {
				f.add(t)
			}
			if op.Forget.Erase != nil {
				sp.erase(sp.byID[t.ID], t)
			}
		}
	}
	for _, id := range op.Restore {
		if err := sp.restore(sp.byID[id], op.At); err != nil {
			return err
		}
	}
	return nil
}

// prepared is what is read from a record's text, by itself and at some cost.
type prepared struct {
	terms  []string
	text   textSum
	traits recall.Trait
}

func prepare(r *storage.Record) prepared {
	if r.Text == "" {
		return prepared{}
	}
	return prepared{indexTerms(r), sumText(text.Fold(r.Text)), recall.Traits(r.Text)}
}

// put adds a record and returns its number. tomb is set for one that may have
// lost its content.
func (sp *space) put(r *storage.Record, tomb *storage.Tombstone, p prepared) uint32 {
	n := uint32(len(sp.docs))
	starts := detailTime(r.Detail, "starts_at")
	d := doc{
		id: r.ID, project: sp.intern(r.Project), layer: r.Layer, tier: r.Tier,
		beside: r.Beside, closes: r.Closes, importance: uint8(r.Importance),
		source: sp.intern(r.Source.ID), speaker: sp.intern(r.Source.Speaker), role: sp.intern(r.Source.Role),
		traits:   p.traits,
		startsAt: micros(starts),
		said:     []saying{recordSaying(r)},
	}
	for _, t := range r.Tags {
		d.tags = append(d.tags, sp.intern(t))
	}
	switch {
	case d.startsAt != 0:
		d.event = d.startsAt
	case !r.ValidFrom.IsZero():
		d.event = micros(r.ValidFrom)
	default:
		d.event = micros(r.ObservedAt)
	}
	sp.byID[r.ID] = n
	sp.docs = append(sp.docs, d)
	sp.columns.add(n, &d)
	sp.come(n)
	sp.census.mark(n)
	if r.Text == "" { // purged: only its place in the order is left
		sp.putTombstone(n, tomb)
		return n
	}
	sp.putContent(n, r, p)
	return n
}

// putContent adds to the indexes what a record says.
func (sp *space) putContent(n uint32, r *storage.Record, p prepared) {
	d := &sp.docs[n]
	if r.Entity != "" {
		_, key := slot.Entity(r.Entity, sp.userNames...)
		d.entity = sp.intern(key)
		sp.columns.concern(n, d.entity)
	}
	if r.Attribute != "" {
		sp.putStatement(n, r)
	}
	d.text = p.text
	if last, ok := sp.texts[d.text]; ok {
		d.same = int32(last) + 1
	}
	sp.texts[d.text] = n
	if d.source != "" {
		sp.sources[d.source] = append(sp.sources[d.source], n)
	}
	if plannedActivity(r) {
		sp.planned[n] = struct{}{}
	}
	sp.putTurn(n, r.Source.Session)
	sp.index(n, r, p.terms)
	if len(d.closes) > 0 {
		sp.closers = append(sp.closers, n)
		sp.touchAll()
	}
}

// sayingSame yields the records whose folded text is the same, the latest first.
func (sp *space) sayingSame(text textSum) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		n, ok := sp.texts[text]
		for ok && yield(n) {
			before := sp.docs[n].same
			n, ok = uint32(before-1), before > 0
		}
	}
}

// index makes a record findable by its words.
func (sp *space) index(n uint32, r *storage.Record, terms []string) {
	sp.words.Add(n, terms)
	sp.people.add(r, 1)
	sp.years[r.ObservedAt.Year()]++
}

// unindex undoes index.
func (sp *space) unindex(n uint32, r *storage.Record) {
	sp.words.Remove(n)
	sp.people.add(r, -1)
	if year := r.ObservedAt.Year(); sp.years[year] > 1 {
		sp.years[year]--
	} else {
		delete(sp.years, year)
	}
}

// indexTerms are the words by which a record is found: its text's, and those of
// its slot and reason that the text does not hold. They are added once each, so
// that a record is not ranked down for what its text left out.
func indexTerms(r *storage.Record) []string {
	terms := text.Terms(r.Text)
	extra := strings.Join([]string{r.Entity, r.Attribute, r.Value, r.Reason}, "\n")
	if strings.TrimSpace(extra) == "" {
		return terms
	}
	have := make(map[string]bool, len(terms))
	for _, t := range terms {
		have[t] = true
	}
	for _, t := range text.Terms(extra) {
		if !have[t] {
			have[t] = true
			terms = append(terms, t)
		}
	}
	return terms
}

func (sp *space) reinforce(f *storage.Reinforcement) {
	n := sp.byID[f.ID]
	d := &sp.docs[n]
	d.said = append(d.said, saying{
		observed: micros(f.ObservedAt), validFrom: micros(f.ValidFrom), validTo: d.said[0].validTo,
		recorded: micros(f.RecordedAt), confidence: f.Confidence, trust: uint8(f.Trust.Rank()),
	})
	sp.sayAgain(n)
	sp.census.mark(n)
	for _, t := range f.Tags {
		if !slices.Contains(d.tags, t) {
			d.tags = append(d.tags, sp.intern(t))
			sp.columns.tag(n, d.tags[len(d.tags)-1:])
		}
	}
	if d.slot == nil || len(d.closes) > 0 || d.none {
		sp.touch(d)
		return
	}
	st := sp.head(n)
	st.Said[0] = d.said[len(d.said)-1].asSaid()
	sp.grow(d.slot, &staged{statement: st, again: true}, nil)
}

func (sp *space) withdraw(n uint32, at time.Time) {
	sp.docs[n].withdrawnAt = micros(at)
	sp.census.mark(n)
	sp.touch(&sp.docs[n])
}

// forget takes a record out of every index by which it could be found. Its slot
// keeps the place.
func (sp *space) forget(n uint32, at time.Time) {
	d := &sp.docs[n]
	if d.forgotten() {
		return // the first time counts
	}
	d.forgottenAt = micros(at)
	sp.census.mark(n)
	if e, err := sp.entry(n); err == nil && e.Text != "" {
		sp.unindex(n, &e.Record)
	}
	sp.words.Remove(n) // whatever became of its content
	sp.dropVector(n)
	sp.touch(d)
}

// erase leaves of a forgotten record what its tombstone holds. Its slot compares
// hashes from then on, as after a restart.
func (sp *space) erase(n uint32, t *storage.Tombstone) {
	d := &sp.docs[n]
	d.erased, d.text, d.value, d.valueHash = true, textSum{}, "", t.ValueHash
	d.objectHash, d.projectHash = t.ObjectHash, t.ProjectHash
	d.tags, d.source, d.speaker, d.role, d.traits = nil, "", "", "", 0
	delete(sp.planned, n)
	sp.census.mark(n)
	if d.slot != nil {
		d.slot.purged = true
	}
	sp.touch(d)
}

// restore undoes forget.
func (sp *space) restore(n uint32, at time.Time) error {
	e, err := sp.entry(n)
	if err != nil {
		return fmt.Errorf("read a restored record: %w", err)
	}
	d := &sp.docs[n]
	sp.forgotten.Store(nil)
	d.forgottenAt, d.restoredAt = 0, micros(at)
	sp.census.mark(n)
	sp.index(n, &e.Record, indexTerms(&e.Record))
	sp.touch(d)
	return nil
}

// touch drops what was derived from the record's slot, and of every slot where
// the record ends statements of others.
func (sp *space) touch(d *doc) {
	if len(d.closes) > 0 || d.none {
		sp.touchAll()
		return
	}
	if d.slot != nil {
		d.slot.view.Store(nil)
	}
}

// touchAll drops what was derived from any slot. Closes reach across slots and
// are rare.
func (sp *space) touchAll() {
	sp.census.markAll()
	for _, s := range sp.slots {
		s.view.Store(nil)
	}
}
