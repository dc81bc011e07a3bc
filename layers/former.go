package layers

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
	"mcp-memory/layers/slot"
	"mcp-memory/layers/structure"
	"mcp-memory/storage"
)

// held is a statement that holds, and its slot.
type held struct {
	key slotKey
	id  string
}

// endByName adds to a record's closes what it ends by name: the statements that
// hold and have that value.
func (p *plan) endByName(r *storage.Record, entity string, former []structure.Former) {
	if over(r, r.ObservedAt) { // it closes nothing: it is an ending itself
		p.endsWhat(r, entity, former)
		return
	}
	for _, f := range former {
		for _, h := range p.named(r.Project, entity, f) {
			r.Closes = append(r.Closes, h.id)
		}
	}
}

// endsWhat lets an ending end what holds under another name: who quits "the choir"
// leaves the church choir, who gives up the piano learns it no more.
func (p *plan) endsWhat(r *storage.Record, entity string, former []structure.Former) {
	if key, value, _, _ := statementOf(r, entity); len(p.holds(key, value)) > 0 {
		return
	}
	for _, f := range former {
		if found := p.named(r.Project, entity, f); len(found) == 1 {
			r.Attribute, r.Object = found[0].key.attribute, found[0].key.object
			return
		}
	}
}

// named returns the statements that hold and that a former names.
func (p *plan) named(project, entity string, f structure.Former) []held {
	key, value, none, _ := statementOf(&storage.Record{Project: project, Attribute: f.Attribute, Value: f.Value}, entity)
	var out []held
	if f.Value != "" && !none {
		out = p.holds(key, value)
	}
	if len(out) > 0 || !f.Loose {
		return out
	}
	return p.only(key.group(), value, slot.Value(f.Value))
}

// holds returns the statements of a slot that hold and have a value.
func (p *plan) holds(key slotKey, value string) (out []held) {
	if p.sp.hashes(key) {
		value = p.sp.store.Hash("value", value)
	}
	now := p.timeline(key).At(p.now)
	for _, st := range p.statements(key) {
		if st.Value == value && slices.Contains(now, st.ID) {
			out = append(out, held{key, st.ID})
		}
	}
	return out
}

// only returns the one statement of an attribute that holds many which holds, with a
// value, of an object that ends with some words; none where there are several.
func (p *plan) only(g groupKey, value, words string) []held {
	var out []held
	for _, key := range p.group(g) {
		if key.none() == "" && endsWith(key.object, words) {
			out = append(out, p.holds(key, value)...)
		}
	}
	if len(out) != 1 || several.MatchString(out[0].key.object) {
		return nil
	}
	return out
}

// several matches an object that names more than one.
var several = lazy.MustCompile(`(?:,| and | & |、|和|と)`)

// endsWith reports whether an object ends with words, at a word's border where the
// script has borders.
func endsWith(object, words string) bool {
	rest, ok := strings.CutSuffix(object, words)
	if !ok || rest == "" || words == "" || words[0] >= utf8.RuneSelf {
		return ok && object != ""
	}
	return rest[len(rest)-1] == ' '
}

// ours reports whether an entity is the user, or what "we" build.
func ours(entity string) bool { return entity == userEntity || entity == projectEntity }

// takeOver gives a record that says what takes the place of something the slot in which
// that holds, if just one of the user or of a project does: "We switched from Zorblat
// to Quux". A record that has a slot keeps it where that is known there, or nowhere.
func (p *plan) takeOver(d *draft) {
	r, st := &d.record, d.changed
	if _, entity := slot.Entity(r.Entity, p.sp.userNames...); r.Attribute != "" && !ours(entity) {
		return // what others change is theirs
	}
	var found []held
	for key := range p.keys {
		if key.project == r.Project && ours(key.entity) && takes(st, key.attribute) {
			found = append(found, p.holdsAs(key, st.Of)...)
		}
	}
	if len(found) != 1 || found[0].key.attribute == r.Attribute || r.Attribute != "" && p.reachedBy(r, found[0].key) {
		return
	}
	was := found[0]
	r.Entity, r.Attribute, r.Value, r.Object, r.Confidence = was.key.entity, was.key.attribute, st.Value, "", st.Confidence
	r.Layer, r.Category, r.Closes, d.former = p.layerOf(was.id), st.Category, nil, nil
	if r.ValidFrom.IsZero() && r.ValidTo.IsZero() {
		r.ValidFrom = utc(st.ValidFrom)
	}
	if was.key.object != "" {
		r.Closes = append(r.Closes, was.id)
	}
	d.note = "understood as " + strings.Join([]string{r.Entity, r.Attribute, r.Value}, " · ")
}

// projectEntity is the key of what "we" build.
const projectEntity = "project"

// takes reports whether what a statement says may be a change of an attribute's value:
// who switches from Netflix to something else loves Netflix still, and who replaces a
// town or a person that is near to him by another speaks of something else.
func takes(st *structure.Statement, attribute string) bool {
	switch attribute {
	case "likes", "preference", "interests", "goals", "plans", "allergies", "languages", "name", "age":
		return false
	}
	if strings.HasPrefix(attribute, "favourite ") {
		return false
	}
	if st.Attribute != "" { // its own words tell that much: "I moved from Acme to Globex"
		return true
	}
	return !kept[attribute] && (st.OfKind == "" || slot.Canonical(st.OfKind).Name == attribute)
}

// kept are attributes whose values no words of a change end that do not name them.
var kept = map[string]bool{
	"home city": true, "home country": true, "hometown": true, "birthplace": true, "nationality": true, "work city": true, "employer": true,
	"wife": true, "husband": true, "partner": true, "children": true, "sons": true, "daughters": true, "siblings": true, "brothers": true, "sisters": true,
	"parents": true, "mother": true, "father": true, "friends": true, "pets": true, "birthday": true, "dietary restrictions": true, "medical conditions": true,
}

// holdsAs returns the statements of a slot that hold and say that something is its
// value, or its object where the attribute holds many.
func (p *plan) holdsAs(key slotKey, value string) []held {
	switch {
	case key.object == "":
		return p.holds(key, "+"+slot.Value(value))
	case key.object == slot.Value(value):
		return p.holds(key, "+")
	}
	return nil
}

// layerOf returns the layer of a record, planned or not.
func (p *plan) layerOf(id string) storage.Layer {
	for i := range p.op.Put {
		if p.op.Put[i].ID == id {
			return p.op.Put[i].Layer
		}
	}
	return p.sp.docs[p.sp.byID[id]].layer
}

// reachedBy reports whether a record closes what stands in a slot by its kind anyway:
// then it may keep a slot of its own.
func (p *plan) reachedBy(r *storage.Record, key slotKey) bool {
	return slices.ContainsFunc(p.kindsOf(key), func(kind string) bool { return slices.Contains(r.Closes, kind) })
}
