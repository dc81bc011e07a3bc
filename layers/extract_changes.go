package layers

import (
	"slices"

	"mcp-memory/layers/slot"
	"mcp-memory/layers/structure"
	"mcp-memory/storage"
)

// changes reports whether a statement of a sentence, were it stored, would supersede or
// end what is known: whoever says such a thing wants it known, however little the
// sentence says by itself.
func (r *extraction) changes(sentence int, st *structure.Statement) bool {
	record := r.wouldBe(r.talk.Sentences[sentence].Turn, st)
	former := append(slices.Clone(st.Displaces), opposed(st.Attribute, st.Polarity, st.Value, over(&record, record.ObservedAt))...)
	if f, ok := r.righted[sentence]; ok {
		former = append(former, f)
	}
	changed := false
	err := r.Memory.read(r.User, func(sp *space) error {
		now := r.now()
		p := newPlan(sp, r.User, now)
		d := draft{record: record, former: former, changed: changeOf(st)}
		d.record.RecordedAt = now
		changed = len(p.add(&d, OnConflictSupersede).supersedes) > 0
		return nil
	})
	return err == nil && changed
}

// wouldBe is the record of a statement as far as its slot and its place in time go.
func (r *extraction) wouldBe(turn int, st *structure.Statement) storage.Record {
	rec := storage.Record{
		ID: r.ID, User: r.User, Project: r.Project, Layer: st.Layer, Tier: storage.Semantic,
		Attribute: st.Attribute, Value: st.Value, Object: st.Object, Polarity: st.Polarity, Closes: st.Closes,
		ObservedAt: r.turns[turn].Time.UTC(), ValidFrom: st.ValidFrom.UTC(), ValidTo: st.ValidTo.UTC(), Confidence: st.Confidence, Trust: storage.UserStated,
	}
	if st.ValidFrom.IsZero() {
		rec.ValidFrom = st.ValidFrom
	}
	rec.Entity, _ = slot.Entity(st.Entity, r.userNames...)
	if st.None {
		rec.Value = "none"
	}
	if st.Ended && st.ValidTo.IsZero() {
		rec.ValidTo = rec.ObservedAt
	}
	return rec
}
