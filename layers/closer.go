package layers

import (
	"slices"

	"mcp-memory/layers/slot"
)

// closer is a statement that ends statements of other slots: "none" of an
// attribute that holds many ends every object; closes names ids or a kind.
type closer struct {
	id       string
	key      slotKey
	none     bool
	polarity string // of a none
	closes   []string
	entity   func(key string) bool // whether a key is that of its entity
	project  func(name string) bool
}

func (sp *space) closer(n uint32) closer {
	d := &sp.docs[n]
	c := closer{id: d.id, none: d.none, closes: d.closes, key: slotKey{project: d.project, entity: d.entity, attribute: d.attribute}}
	c.entity = func(key string) bool { return key == c.key.entity }
	c.project = func(name string) bool { return name == c.key.project }
	if d.entityHash != "" {
		c.entity = func(key string) bool { return sp.store.Hash("entity", key) == d.entityHash }
	}
	if d.slot != nil {
		c.key = d.slot.key
	} else if d.projectHash != "" {
		c.project = func(name string) bool { return name != "" && sp.store.Hash("project", name) == d.projectHash }
	}
	if c.polarity = c.key.none(); c.polarity == "" && d.none { // a tombstone that no slot has adopted
		c.polarity = sp.purgedPolarity(d)
	}
	return c
}

// purgedPolarity reads the polarity of a none of which only hashes are left.
func (sp *space) purgedPolarity(d *doc) string {
	if d.objectHash == sp.store.Hash("object", noObject+"-") {
		return "-"
	}
	return "+"
}

// holding is what a closer asks of a slot.
type holding struct {
	id    func(id string) bool           // whether a record stands in it
	equal func(polarity string) []string // its records with a polarity
}

// reaches says whether c ends statements of the slot with the key, and which.
func (c closer) reaches(key slotKey, kinds []string, in holding) (slot.Close, bool) {
	var ids []string
	if c.none && c.key != key && key.none() == "" && c.project(key.project) && c.key.attribute == key.attribute && c.entity(key.entity) {
		ids = in.equal(c.polarity)
	}
	for _, target := range c.closes {
		switch {
		case in.id(target):
			ids = append(ids, target)
		case c.key != key && c.project(key.project) && slices.Contains(kinds, target) && c.entity(key.entity):
			return slot.Close{By: c.id}, true
		}
	}
	return slot.Close{By: c.id, IDs: ids}, len(ids) > 0
}

// holding returns what closers ask of a slot.
func (sp *space) holding(s *slotState) holding {
	return holding{
		id: func(id string) bool {
			n, ok := sp.byID[id]
			return ok && sp.docs[n].slot == s
		},
		equal: func(polarity string) (ids []string) {
			for _, n := range s.docs {
				if d := &sp.docs[n]; d.value == polarity || d.valueHash != "" && d.valueHash == sp.store.Hash("value", polarity) {
					ids = append(ids, d.id)
				}
			}
			return ids
		},
	}
}

// closesOf returns the closes by statements of other slots that reach s. A
// withdrawn statement closes nothing; a forgotten one keeps its place.
func (sp *space) closesOf(s *slotState, knownAt int64) []slot.Close {
	var out []slot.Close
	for _, n := range sp.closers {
		st, ok := sp.statement(n, knownAt)
		if !ok {
			continue
		}
		if c, hit := sp.closer(n).reaches(s.key, s.kinds, sp.holding(s)); hit {
			c.Said, c.Tombstone = st.Said, st.Tombstone
			out = append(out, c)
		}
	}
	return out
}

// endsMore reports whether a closer may end more of a slot, now that a statement
// and fresh kinds have come to it.
func (sp *space) endsMore(key slotKey, id string, fresh []string) bool {
	return slices.ContainsFunc(sp.closers, func(n uint32) bool {
		d := &sp.docs[n]
		return endsMore(d.none, d.attribute, d.closes, key, id, fresh)
	})
}

// endsMore is true for a "none" of the slot's attribute, which ends whatever has
// its polarity, and for what closes the statement by its id or a fresh kind.
func endsMore(none bool, attribute string, closes []string, key slotKey, id string, fresh []string) bool {
	return none && attribute == key.attribute ||
		slices.ContainsFunc(closes, func(c string) bool { return c == id || slices.Contains(fresh, c) })
}

// contradicts reports whether a record names one of what none says there is none
// of.
func (sp *space) contradicts(none *doc, n uint32) bool {
	value, polarity := sp.docs[n].value, none.slot.key.none()
	return value == polarity || value == sp.store.Hash("value", polarity)
}
