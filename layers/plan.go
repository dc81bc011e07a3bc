package layers

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers/slot"
	"mcp-memory/storage"
)

// plan builds one operation from several memories. Each is decided against the
// space and against those planned before it, as if they had come one by one;
// nothing is changed until the operation has been applied.
type plan struct {
	sp     *space
	now    time.Time
	op     storage.Op
	staged map[slotKey]*staged  // what is planned for a slot
	texts  map[textKey]string   // planned slotless records → id
	source map[sourceKey]string // planned records of a source → id
	kinds  map[slotKey][]string // kinds of planned statements
	ends   []plannedClose
	folded map[slotKey]*slot.Timeline
}

// plannedClose is a planned statement that ends others.
type plannedClose struct {
	closer
	said []slot.Saying
}

// textKey tells records without a slot apart.
type textKey struct {
	text             textSum
	project          string
	layer            storage.Layer
	from, to, starts int64
}

// sourceKey tells what one source said apart.
type sourceKey struct {
	source, session, value string
	text                   textSum
	slot                   slotKey
	layer                  storage.Layer
	tier                   storage.Tier
}

func newPlan(sp *space, user string, now time.Time) *plan {
	return &plan{
		sp: sp, now: now, op: storage.Op{User: user},
		staged: map[slotKey]*staged{}, texts: map[textKey]string{}, source: map[sourceKey]string{},
		kinds: map[slotKey][]string{}, folded: map[slotKey]*slot.Timeline{},
	}
}

// outcome is what is decided for one memory.
type outcome struct {
	id         string
	status     string
	supersedes []string
	note       string
}

// add decides a draft. Its record is stored unless it is a duplicate, a
// reinforcement or rejected.
func (p *plan) add(d *draft, onConflict string) outcome {
	r := &d.record
	if onConflict == OnConflictKeepBoth { // it stands beside what is current
		r.Closes, d.former = nil, nil
	}
	if d.changed != nil {
		p.takeOver(d)
	}
	key, value, none, multi := slotKey{}, "", false, false
	if r.Attribute != "" {
		_, entity := slot.Entity(r.Entity, p.sp.userNames...)
		p.endByName(r, entity, d.former)
		key, value, none, multi = statementOf(r, entity)
	}
	src := sourceKey{r.Source.ID, r.Source.Session, value, sumText(text.Fold(r.Text)), key, r.Layer, r.Tier}
	if id := p.duplicate(d, src); id != "" {
		return outcome{id: id, status: StatusDuplicate, note: "the same source said this before; nothing was stored"}
	}
	var out outcome
	if r.Attribute == "" {
		out = p.addText(r, src.text)
	} else {
		out = p.addStatement(r, key, slot.Statement{ID: r.ID, Value: value, None: none, Said: []slot.Saying{sayingOf(r)}}, multi, onConflict)
	}
	if r.Source.ID != "" && out.id != "" {
		p.source[src] = out.id
	}
	return out
}

// duplicate returns the live record by which the same source said the same.
func (p *plan) duplicate(given *draft, src sourceKey) string {
	r := &given.record
	if r.Source.ID == "" {
		return ""
	}
	if id := p.source[src]; id != "" {
		return id
	}
	for n := range p.sp.sayingSame(src.text) {
		d := &p.sp.docs[n]
		if !d.live() || d.source != src.source || d.text != src.text || d.project != r.Project {
			continue
		}
		have := sourceKey{d.source, d.sessionID(), d.value, d.text, slotKey{}, d.layer, d.tier}
		if d.slot != nil {
			have.slot = d.slot.key
		}
		if have == src && !(given.again && p.sp.overtaken(n, &view{at: p.now}, r.ObservedAt)) {
			return d.id
		}
	}
	return ""
}

// addText decides a record without a slot. Only standing statements reinforce
// each other; what was said or done twice is two records.
func (p *plan) addText(r *storage.Record, sum textSum) outcome {
	key := textKey{sum, r.Project, r.Layer, micros(r.ValidFrom), micros(r.ValidTo), micros(detailTime(r.Detail, "starts_at"))}
	standing := r.Tier == storage.Semantic && r.Layer != storage.Activity && r.Layer != storage.Experience
	if standing {
		if id := p.sameText(key); id != "" {
			return p.reinforce(r, id)
		}
		p.texts[key] = r.ID
	}
	p.op.Put = append(p.op.Put, *r)
	out := outcome{id: r.ID, status: StatusStored, note: textNote(r, p.now)}
	if over(r, p.now) {
		out.status = StatusHistory
	}
	return out
}

// over reports whether what a record says had ended at a time: it is not recalled
// as what holds.
func over(r *storage.Record, at time.Time) bool { return !r.ValidTo.IsZero() && !r.ValidTo.After(at) }

// textNote says what a record without a slot is not, or when it holds if that is
// not now.
func textNote(r *storage.Record, now time.Time) string {
	switch {
	case over(r, now):
		return "stored as history: it ended at " + formatTime(r.ValidTo) + "; recall shows it with include_superseded, or as_of a time before"
	case r.ValidFrom.After(now):
		return "takes effect at " + formatTime(r.ValidFrom)
	}
	if r.Tier == storage.Episodic || r.Layer == storage.Activity || r.Layer == storage.Experience {
		return ""
	}
	return "kept as text without a slot: it supersedes nothing and nothing supersedes it; give entity, attribute and value for that"
}

func (p *plan) sameText(key textKey) string {
	if id := p.texts[key]; id != "" {
		return id
	}
	for n := range p.sp.sayingSame(key.text) {
		d := &p.sp.docs[n]
		if d.live() && d.tier == storage.Semantic && d.slot == nil && d.layer == key.layer && d.project == key.project &&
			d.said[0].validFrom == key.from && d.said[0].validTo == key.to && d.startsAt == key.starts {
			return d.id
		}
	}
	return ""
}

// addStatement decides a record with a slot.
func (p *plan) addStatement(r *storage.Record, key slotKey, st slot.Statement, multi bool, onConflict string) outcome {
	if p.sp.hashes(key) {
		st.Value = p.sp.store.Hash("value", st.Value)
	}
	if id := p.timeline(key).Match(st); id != "" {
		return p.restate(r, key, id, st.Said[0], onConflict)
	}
	if onConflict == OnConflictKeepBoth && len(p.timeline(key).At(p.now)) > 0 {
		r.Beside, st.Beside = true, true
	}
	end := plannedClose{closer{
		id: r.ID, key: key, none: st.None && multi, polarity: key.none(), closes: r.Closes,
		entity:  func(entity string) bool { return entity == key.entity },
		project: func(project string) bool { return project == key.project },
	}, st.Said}
	reach := append(p.reached(end), key)
	before := p.current(reach)

	undo := p.stage(key, &staged{statement: st}, slot.Kinds(slot.Canonical(r.Attribute), r.Value), end)
	supersedes := minus(before, p.current(reach))
	if onConflict == OnConflictReject && len(supersedes) > 0 {
		undo()
		return p.rejected(supersedes)
	}
	p.op.Put = append(p.op.Put, *r)
	out := outcome{id: r.ID, status: StatusStored, supersedes: supersedes}
	p.place(&out, key, st)
	return out
}

// restate decides a statement that repeats one there is. It is the same statement
// at one more time; where that changes what holds now (what was announced is true
// already, what was history is true again) the answer says so.
func (p *plan) restate(r *storage.Record, key slotKey, id string, s slot.Saying, onConflict string) outcome {
	before, st := p.current([]slotKey{key}), p.statement(key, id)
	s.ValidTo = st.Said[0].ValidTo
	st.Said = []slot.Saying{s}
	undo := p.stage(key, &staged{statement: st, again: true}, nil, plannedClose{})
	supersedes := minus(before, p.current([]slotKey{key}))
	if onConflict == OnConflictReject && len(supersedes) > 0 {
		undo()
		return p.rejected(supersedes)
	}
	out := p.reinforce(r, id)
	if out.supersedes = supersedes; len(supersedes) > 0 {
		out.note = "known already, and from now on what holds: it replaces " + strings.Join(supersedes, ", ")
	}
	return out
}

// rejected is the outcome of a statement that on_conflict: reject kept out.
func (p *plan) rejected(supersedes []string) outcome {
	return outcome{status: StatusRejected, supersedes: []string{}, note: p.conflictNote(supersedes)}
}

// minus returns the elements of a that b lacks.
func minus(a, b []string) []string {
	out := []string{}
	for _, x := range a {
		if !slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}

// conflictNote names what a rejected statement contradicts.
func (p *plan) conflictNote(ids []string) string {
	return "not stored: it contradicts what is current (" + strings.Join(ids, ", ") + "); send it with on_conflict supersede to replace that, or keep_both to keep both"
}

// place says where a new statement stands in its slot.
func (p *plan) place(out *outcome, key slotKey, st slot.Statement) {
	switch from := st.Said[0].ValidFrom; {
	case slices.Contains(p.current([]slotKey{key}), st.ID):
	case from.After(p.now):
		out.note = "takes effect at " + formatTime(from) + "; until then what is current stays"
		return
	default:
		out.status = StatusHistory
		out.note = "stored as history: something later is known, or it has ended"
	}
	if len(out.supersedes) > 0 {
		out.note = "superseded " + plural(len(out.supersedes), "earlier statement") + "; to undo " + UndoCall(st.ID)
	}
}

// plural writes a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// reinforce records that a record was said again.
func (p *plan) reinforce(r *storage.Record, id string) outcome {
	f := storage.Reinforcement{
		ID: id, ObservedAt: r.ObservedAt, ValidFrom: r.ValidFrom, RecordedAt: r.RecordedAt,
		Confidence: r.Confidence, Trust: r.Trust, Tags: r.Tags, Source: r.Source,
	}
	p.op.Reinforce = append(p.op.Reinforce, f)
	return outcome{id: id, status: StatusReinforced, note: "the same is known already; counted as said again"}
}

// sayingOf is what a record will be read as once it is stored.
func sayingOf(r *storage.Record) slot.Saying {
	s := recordSaying(r)
	return s.asSaid()
}
