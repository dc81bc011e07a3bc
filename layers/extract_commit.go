package layers

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"mcp-memory/layers/extract"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/layers/llm"
	"mcp-memory/layers/redact"
	"mcp-memory/layers/slot"
	"mcp-memory/layers/structure"
	"mcp-memory/storage"
)

// commit stores what was found, and that it was read, in one operation. A dry run
// stores nothing and shows texts.
func (r *extraction) commit(ctx context.Context) (ExtractOutput, error) {
	m := r.Memory
	m.write.Lock()
	defer m.write.Unlock()
	r.wipeTurns()
	r.overtake()
	op, err := r.plan()
	if err != nil {
		return ExtractOutput{}, err
	}
	if r.DryRun {
		r.show()
		return r.finished(), nil
	}
	op.Seen = r.newlySeen()
	wiped := m.wipedSince(r.task)
	if wiped {
		r.wipe()
	}
	if len(r.hushed) > 0 {
		r.wipeReasons()
	}
	if r.Session != "" && r.Again == nil {
		op.Read = []storage.Reading{{Session: r.Session, Unread: r.Unread}}
	}
	keep := r.kept()
	if wiped {
		keep = nil
	}
	job, err := m.storedJob(r.task, keep, r.finished(), r.traced(), op.At)
	if err != nil {
		return ExtractOutput{}, err
	}
	op.Jobs = []storage.Job{job}
	if op.Answer, err = r.call.kept(r.ID, op.At); err != nil {
		return ExtractOutput{}, err
	}
	if err := m.apply(ctx, op); err != nil {
		return ExtractOutput{}, fmt.Errorf("store what was extracted: %w", err)
	}
	m.partials.ended(r.User, r.ID, m.messagesOf(keep))
	if r.Session != "" {
		r.out.Counts.Unread = m.unreadTurns(r.task)
	}
	out := r.finished()
	m.log.Info("extracted", "job", r.ID, "turns", len(r.turns), "gate", out.Gate.Mode, "stored", out.Counts.Stored, "dropped", out.Counts.Dropped, "errors", out.Counts.Errors)
	return out, nil
}

// overtake notes turns that another job has read since this one took them: the same
// message, sent again while a model was asked of it or a restart resumed its job, adds
// nothing. A session's turns are handed out once; a document reads paragraphs again.
// The caller holds write.
func (r *extraction) overtake() {
	if r.Force || r.Session != "" || r.Source == sourceDocument || r.Again != nil && r.Again.Seen {
		return
	}
	r.overtaken = map[int]bool{}
	for i := range r.turns {
		if r.opts.Store.Seen(r.User, r.messageHash(r.task, &r.turns[i])) {
			r.overtaken[i] = true
		}
	}
}

// readMeanwhile reports whether a memory rests on overtaken turns alone.
func (r *extraction) readMeanwhile(found *extract.Memory) bool {
	fresh := func(turn int) bool { return !r.overtaken[turn] }
	return len(found.Turns) > 0 && !slices.ContainsFunc(found.Turns, fresh)
}

// wipedSince reports whether an erase may have taken turns that a task still holds.
// The caller holds write.
func (m *Memory) wipedSince(t *task) bool { return !m.wiped[t.User].Before(t.taken) }

// hush notes turns that said what was forgotten: the job keeps no words of them.
func (r *extraction) hush(turns []int) {
	if r.hushed == nil {
		r.hushed = map[int]bool{}
	}
	for _, i := range turns {
		r.hushed[i] = true
	}
}

// wipe takes all that may be words of turns out of what the job keeps.
func (r *extraction) wipe() {
	for i := range r.dropped {
		r.dropped[i].Text, r.dropped[i].Reason = "", wipedReason
	}
	r.wipeReasons()
}

// wipeReasons takes out of the job what may quote turns: reasons of the gate, and
// errors, which show what a model answered.
func (r *extraction) wipeReasons() {
	r.out.Gate.Layers, r.out.Layers = maps.Clone(r.out.Gate.Layers), maps.Clone(r.out.Layers)
	for l, v := range r.out.Gate.Layers {
		v.Reasoning = wipedReason
		r.out.Gate.Layers[l] = v
	}
	for l, v := range r.out.Layers {
		if v.Error != "" {
			v.Error = wipedReason
		}
		r.out.Layers[l] = v
	}
	for i := range r.calls {
		if r.calls[i].Error != "" {
			r.calls[i].Error = wipedReason
		}
	}
}

// wipedReason stands in place of words that a job must not keep.
const wipedReason = "not kept: it may quote what was forgotten"

// newlySeen are the hashes of the turns that count as read from now on.
func (r *extraction) newlySeen() (seen []string) {
	if !r.marks() || r.Again != nil && r.Again.Seen {
		return nil
	}
	for i := range r.turns {
		if hash := r.messageHash(r.task, &r.turns[i]); !slices.Contains(seen, hash) {
			seen = append(seen, hash)
		}
	}
	return seen
}

// finished is the answer. Part of it are a model's words, and the job keeps it: secrets
// are taken out, as they are out of what is remembered.
func (r *extraction) finished() ExtractOutput {
	out := r.out
	out.Dropped = []Dropped{}
	for _, d := range r.dropped {
		out.Dropped = append(out.Dropped, Dropped{Text: cut(withoutSecrets(d.Text), shownText), Reason: withoutSecrets(d.Reason)})
	}
	out.Counts.Dropped = len(out.Dropped)
	out.Gate.Layers, out.Layers = maps.Clone(out.Gate.Layers), maps.Clone(out.Layers)
	for l, v := range out.Gate.Layers {
		v.Reasoning = withoutSecrets(v.Reasoning)
		out.Gate.Layers[l] = v
	}
	for l, of := range out.Layers {
		of.Error = withoutSecrets(of.Error)
		out.Layers[l] = of
	}
	return out
}

// withoutSecrets is a text without its secrets.
func withoutSecrets(s string) string {
	s, _ = redact.Redact(s)
	return s
}

// drop leaves something out, with the reason.
func (r *extraction) drop(text, format string, args ...any) {
	r.dropped = append(r.dropped, extract.Drop{Text: text, Reason: dropReason(format, args...)})
}

// show fills the layers of a dry run with texts in place of ids. It stored nothing.
func (r *extraction) show() {
	c := &r.out.Counts
	c.Stored, c.Superseded, c.Reinforced = 0, 0, 0
	for l, out := range r.out.Layers {
		for i, id := range out.Memories {
			out.Memories[i] = cut(withoutSecrets(r.texts[id]), shownText)
		}
		r.out.Layers[l] = out
	}
}

// status is the job's: partial where a layer failed and another did not.
func (r *extraction) status() {
	failed, ran := 0, 0
	for _, out := range r.out.Layers {
		switch out.Status {
		case LayerError:
			failed++
		case LayerExtracted:
			ran++
		}
	}
	r.out.Counts.Errors = failed
	switch {
	case failed > 0 && ran == 0:
		r.out.Status = JobFailed
	case failed > 0:
		r.out.Status = JobPartial
	}
}

// plan decides every memory against what is known now, which may be more than was
// when the models were asked. The caller holds write.
func (r *extraction) plan() (storage.Op, error) {
	m := r.Memory
	r.status()
	at := m.nextRecorded()
	op := storage.Op{User: r.User, At: at}
	err := m.read(r.User, func(sp *space) error {
		p := newPlan(sp, r.User, later(m.now(), at))
		forgotten, err := r.forgottenBefore(sp)
		if err != nil {
			return err
		}
		for _, l := range gatekeeper.Layers {
			out := r.out.Layers[string(l)]
			for i := range r.found[l] {
				id, err := r.store(p, forgotten, &r.found[l][i], &at)
				if err != nil {
					return err
				}
				if id != "" && !slices.Contains(out.Memories, id) {
					out.Memories = append(out.Memories, id)
					r.texts[id] = r.found[l][i].Text
				}
			}
			r.out.Layers[string(l)] = out
		}
		op = p.op
		op.At = at.Add(time.Microsecond)
		return r.unjest(sp, &op)
	})
	return op, err
}

// store decides one memory. It returns the id of the record that holds it, "" where
// there is none.
func (r *extraction) store(p *plan, forgotten *forgottenSet, found *extract.Memory, at *time.Time) (string, error) {
	tier, why, ok := r.router().Record(found)
	if !ok {
		r.drop(found.Text, "%s", why)
		return "", nil
	}
	if r.stated(found) {
		r.drop(found.Text, "kept as a statement of another layer")
		return "", nil
	}
	if r.readMeanwhile(found) {
		r.drop(found.Text, "the same message was read meanwhile by another job")
		return "", nil
	}
	if r.erasedMeanwhile(found) {
		r.drop("", "it was erased while it was read")
		return "", nil
	}
	if why := forgotten.holds(r, found); why != "" {
		r.drop("", "%s", why) // what it said is kept nowhere
		r.hush(found.Turns)
		return "", nil
	}
	*at = at.Add(time.Microsecond)
	d, err := r.draftOf(found, tier, *at)
	if err != nil {
		r.drop(found.Text, "not stored: %v", err)
		return "", nil
	}
	o := p.add(&d, OnConflictSupersede)
	c := &r.out.Counts
	switch o.status {
	case StatusStored, StatusHistory:
		c.Stored++
		if len(o.supersedes) > 0 {
			c.Superseded++
		}
	case StatusReinforced:
		c.Reinforced++
	case StatusDuplicate:
		r.drop(found.Text, "the same source said this before")
	}
	return o.id, nil
}

// stated reports whether a memory of words as said is also a statement with a slot,
// which another layer found in the same words: one of them is enough.
func (r *extraction) stated(found *extract.Memory) bool {
	if found.Attribute != "" {
		return false
	}
	for _, others := range r.found {
		for i := range others {
			if o := &others[i]; o.Attribute != "" && o.Layer != found.Layer && o.Text == found.Text {
				return true
			}
		}
	}
	return false
}

// draftOf makes a draft of a memory, checked as any other.
func (r *extraction) draftOf(found *extract.Memory, tier storage.Tier, at time.Time) (draft, error) {
	in := Memorandum{
		Text: found.Text, Layer: found.Layer, Entity: found.Entity, Attribute: found.Attribute, Value: found.Value,
		Category: found.Category, Reason: found.Reason, Tags: found.Tags, Importance: &found.Importance, Confidence: &found.Confidence,
		ValidFrom: given(found.ValidFrom), ValidTo: given(found.ValidTo), Project: asProject(r.Project),
		SourceID: r.SourceID, SessionID: r.Session, Quote: found.Quote, Detail: found.Detail,
	}
	turn, said := r.lastTurn(found)
	if turn >= 0 {
		in.ObservedAt, in.Role, in.Speaker = said.Format(time.RFC3339Nano), r.turns[turn].Role, r.turns[turn].Name
	}
	if in.Attribute == "" { // whom it is about, where no slot is known, stands in the text
		in.Entity = ""
		if r.caller(llm.Role(found.Layer)) == nil { // the rules have looked for a slot
			in.Tier = storage.Episodic
		}
	}
	d, err := r.draftOne(in, "", r.User, r.now(), at)
	if err != nil {
		return d, err
	}
	r.finish(&d.record, found, tier)
	d.again = r.Source == sourceDocument
	d.changed = r.changedBy(found)
	if found.Attribute != "" {
		d.former = append(found.Displaces, opposed(found.Attribute, found.Polarity, found.Value, over(&d.record, d.record.ObservedAt))...)
	}
	return d, nil
}

// changedBy returns what takes the place of something by a memory's words; nil if they
// tell of no such change, or not of the user's.
func (r *extraction) changedBy(found *extract.Memory) *structure.Statement {
	turn, said := r.lastTurn(found)
	if turn < 0 || found.Trust == storage.ThirdParty && found.Attribute != "" || r.otherSpeaker(found.Speaker) != "" {
		return nil
	}
	in := structure.Input{Text: found.Text, ObservedAt: said, UserNames: r.userNames}
	if found.Attribute == "" {
		if st, ok := structure.Changed(in); ok {
			return &st
		}
		return nil
	}
	return replacing(&structure.Statement{
		Attribute: found.Attribute, Value: found.Value, Category: found.Category, Displaces: found.Displaces,
		Confidence: found.Confidence, ValidFrom: found.ValidFrom, Ended: !found.ValidTo.IsZero(),
	})
}

// given writes a time as a caller would.
func given(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// lastTurn is the turn that says a memory last, and when; −1 where none is named.
func (r *extraction) lastTurn(found *extract.Memory) (int, time.Time) {
	if len(found.Turns) == 0 {
		return -1, time.Time{}
	}
	turn := found.Turns[len(found.Turns)-1]
	return turn, r.turns[turn].Time
}

// finish sets what only an extractor can say of a record.
func (r *extraction) finish(rec *storage.Record, found *extract.Memory, tier storage.Tier) {
	rec.Layer, rec.Tier = found.Layer, tier
	if found.Attribute != "" {
		rec.Object, rec.Polarity, rec.Closes = found.Object, found.Polarity, append(rec.Closes, found.Closes...)
	}
	if rec.Entity == "" && found.Entity != "" && found.Attribute == "" {
		rec.Entity, _ = slot.Entity(found.Entity, r.userNames...)
	}
	if found.Trust != "" {
		rec.Trust = found.Trust
	}
	if rec.Language == "" { // its text does not tell
		rec.Language = cmp.Or(r.Language, found.Language)
	}
	for _, turn := range found.Turns {
		if id := r.turns[turn].ID; id != "" {
			rec.Source.MessageIDs = append(rec.Source.MessageIDs, id)
		}
	}
}

// foundAny reports whether any layer found a memory.
func (r *extraction) foundAny() bool {
	for _, found := range r.found {
		if len(found) > 0 {
			return true
		}
	}
	return false
}

// forgottenBefore reads what was forgotten. A forced task learns it again.
func (r *extraction) forgottenBefore(sp *space) (*forgottenSet, error) {
	if r.Force || !r.foundAny() {
		return &forgottenSet{}, nil
	}
	return sp.forgottenSet()
}
