package layers

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"mcp-memory/layers/redact"
	"mcp-memory/layers/slot"
	"mcp-memory/layers/structure"
	"mcp-memory/storage"
)

// clean takes secrets out of everything a caller wrote, before anything is
// stored, planned or logged, and returns the kinds of what was found.
func clean(in *Memorandum) (kinds []string) {
	take := func(s string, found []string) string {
		kinds = append(kinds, found...)
		return s
	}
	for _, s := range []*string{&in.Text, &in.Entity, &in.Attribute, &in.Category, &in.Reason, &in.SourceID, &in.SessionID, &in.Speaker, &in.Quote} {
		*s = take(redact.Redact(*s))
	}
	in.Value = take(redact.Field(in.Attribute, in.Value)) // "wifi password" says what the value is
	if in.Project != nil {
		p := take(redact.Redact(*in.Project))
		in.Project = &p
	}
	in.Tags = slices.Clone(in.Tags)
	for i := range in.Tags {
		in.Tags[i] = take(redact.Redact(in.Tags[i]))
	}
	kinds = append(kinds, cleanDetail(in)...)
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// cleanDetail is clean for a detail object. One that is not JSON is left for
// validation to refuse.
func cleanDetail(in *Memorandum) []string {
	var d map[string]any
	if len(in.Detail) == 0 || json.Unmarshal(in.Detail, &d) != nil {
		return nil
	}
	out, kinds := redact.Value(d)
	if len(kinds) == 0 {
		return nil // numbers stay as they were written
	}
	if b, err := marshal(out); err == nil {
		in.Detail = b
	}
	return kinds
}

// understand lets the structurer read a bare text. What the caller gave stays;
// what the text says besides is added, with the record's own note.
func (m *Memory) understand(d *draft, in *Memorandum, now time.Time) {
	r := &d.record
	if r.Tier != storage.Semantic || r.Entity != "" || r.Attribute != "" || (r.Source.Role != "" && r.Source.Role != "user") {
		return
	}
	text := structure.Input{
		Text: r.Text, ObservedAt: m.saidAt(in.ObservedAt, now), UserNames: m.userNames, Speaker: m.otherSpeaker(r.Source.Speaker),
	}
	if st, ok := structure.Parse(text); ok {
		d.former, d.note = m.state(r, in, &st)
		d.changed = replacing(&st)
	} else if st, ok := structure.Changed(text); ok && text.Speaker == "" {
		d.changed = &st
	}
}

// changeOf returns a statement that only tells what takes the place of something, or one
// that may; nil for any other.
func changeOf(st *structure.Statement) *structure.Statement {
	if st.Of != "" {
		return st
	}
	return replacing(st)
}

// replacing returns a statement of one value that names the one before as a change of
// which only what is known tells what it is about: "We moved from Stripe to Adyen" tells
// where somebody lives only where no Stripe is known. It is nil for any other.
func replacing(st *structure.Statement) *structure.Statement {
	if st.Ended || st.None || slot.Canonical(st.Attribute).Multi {
		return nil
	}
	for _, f := range st.Displaces {
		if !f.Loose && f.Attribute == st.Attribute && f.Value != "" {
			change := *st
			change.Of = f.Value
			return &change
		}
	}
	return nil
}

// state makes a record say what was read from its text. It returns what that ends by
// name and the record's own note.
func (m *Memory) state(r *storage.Record, in *Memorandum, st *structure.Statement) (former []structure.Former, note string) {
	fill(r, in, st)
	if st.Attribute == "" {
		return nil, eventNote(r)
	}
	display, key := slot.Entity(st.Entity, m.userNames...)
	if r.Entity = display; key != userEntity {
		r.Trust = storage.ThirdParty
	}
	r.Attribute, r.Value, r.Object, r.Polarity, r.Closes = st.Attribute, st.Value, st.Object, st.Polarity, st.Closes
	if st.None {
		r.Value = "none"
	}
	return append(st.Displaces, opposed(st.Attribute, st.Polarity, st.Value, over(r, r.ObservedAt))...), "understood as " + strings.Join([]string{r.Entity, r.Attribute, r.Value}, " · ")
}

// opposed are the statements of other attributes that one cannot hold beside, or, where
// it says that something is over, the names under which that may be known.
func opposed(attribute, polarity, value string, ended bool) (out []structure.Former) {
	attr := slot.Canonical(attribute)
	if ended {
		return alongside(attr.Name, value)
	}
	for _, o := range slot.OpposedTo(attr, value, polarity == "-") {
		out = append(out, structure.Former{Attribute: o.Attribute, Value: o.Value})
	}
	return append(out, tastes(attr, polarity, value)...)
}

// alongside are the names under which what is over may be known: who gives up the piano
// learns it no more, and who quits "the choir" leaves the church choir.
func alongside(attribute, value string) []structure.Former {
	switch attribute {
	case "memberships":
		return []structure.Former{{Attribute: attribute, Value: value, Loose: true}}
	case "hobbies":
		return []structure.Former{{Attribute: "studies", Value: value}}
	case "studies":
		return []structure.Former{{Attribute: "hobbies", Value: value}}
	}
	return nil
}

// tastes are the preferences that a liking taken back ends: who no longer likes
// coffee does not prefer it either.
func tastes(attr slot.Attribute, polarity, value string) (out []structure.Former) {
	if attr.Name != "likes" || attr.Negative == (polarity == "-") {
		return nil
	}
	for _, kind := range slot.Kinds(attr, value) {
		for _, taste := range []string{"preferred ", "favourite "} {
			out = append(out, structure.Former{Attribute: taste + kind, Value: value})
		}
	}
	return out
}

// eventNote says as what a text without a slot was understood.
func eventNote(r *storage.Record) string {
	if at := detailTime(r.Detail, "starts_at"); !at.IsZero() {
		return "understood as " + string(r.Layer) + " at " + formatTime(at)
	}
	return "understood as " + string(r.Layer)
}

// fill adds what was not given: kind, reason and times.
func fill(r *storage.Record, in *Memorandum, st *structure.Statement) {
	if in.Layer == "" && st.Layer != "" {
		r.Layer = st.Layer
	}
	if in.Category == "" {
		r.Category = st.Category
	}
	if in.Reason == "" {
		r.Reason = st.Reason
	}
	if in.Confidence == nil && st.Confidence > 0 {
		r.Confidence = st.Confidence
	}
	fillTimes(r, in, st)
	if len(r.Detail) == 0 && r.Layer == storage.Activity && !st.StartsAt.IsZero() {
		r.Detail = eventDetail(st)
	}
}

func fillTimes(r *storage.Record, in *Memorandum, st *structure.Statement) {
	if in.ValidFrom != "" || in.ValidTo != "" {
		return
	}
	from, to := utc(st.ValidFrom), utc(st.ValidTo)
	if st.Ended && to.IsZero() {
		to = r.ObservedAt
	}
	if !from.IsZero() && !to.IsZero() && !to.After(from) {
		return
	}
	r.ValidFrom, r.ValidTo = from, to
}

func utc(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(time.Microsecond)
}

// eventDetail is the detail of an event whose time was said.
func eventDetail(st *structure.Statement) json.RawMessage {
	d := map[string]any{"starts_at": formatTime(st.StartsAt)}
	if !st.EndsAt.IsZero() {
		d["ends_at"] = formatTime(st.EndsAt)
	}
	if st.Status != "" {
		d["status"] = st.Status
	}
	b, err := marshal(d)
	if err != nil { // strings
		return nil
	}
	return b
}

// saidAt is when a text was said, in the location whose days count: the offset
// written in it, else the set zone.
func (m *Memory) saidAt(given string, now time.Time) time.Time {
	if t, ok := readTime(strings.TrimSpace(given), m.opts.Location); ok {
		return t
	}
	return now.In(m.opts.Location)
}

// otherSpeaker is the speaker of a text if that is not the user.
func (m *Memory) otherSpeaker(name string) string {
	if name == "" {
		return ""
	}
	if _, key := slot.Entity(name, m.userNames...); key == userEntity {
		return ""
	}
	return name
}
