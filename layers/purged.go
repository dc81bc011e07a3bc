package layers

import (
	"mcp-memory/layers/slot"
	"mcp-memory/storage"
)

// putTombstone enters the place of a record whose content is gone.
func (sp *space) putTombstone(n uint32, t *storage.Tombstone) {
	if t == nil || t.Attribute == "" {
		return
	}
	d := &sp.docs[n]
	d.attribute, d.valueHash = sp.intern(slot.Canonical(t.Attribute).Name), t.ValueHash
	h := hashedKey{t.ProjectHash, t.EntityHash, d.attribute, t.ObjectHash}
	if d.project != "" {
		h.project = sp.store.Hash("project", d.project)
	}
	if t.Entity != "" {
		h.entity = sp.store.Hash("entity", t.Entity)
	}
	sp.purged[h.String()] = append(sp.purged[h.String()], n)
	d.none, d.closes, d.entityHash, d.objectHash, d.projectHash = t.None, t.Closes, h.entity, t.ObjectHash, h.project
	if len(d.closes) > 0 || d.none && slot.Canonical(t.Attribute).Multi {
		sp.closers = append(sp.closers, n)
		sp.touchAll()
	}
}

// hashedKey is a slot key as a tombstone knows it.
type hashedKey struct{ project, entity, attribute, object string }

// String joins the parts with a separator that none of them holds.
func (h hashedKey) String() string {
	return h.project + "\x00" + h.entity + "\x00" + h.attribute + "\x00" + h.object
}

func (sp *space) hashed(k slotKey) hashedKey {
	h := hashedKey{"", sp.store.Hash("entity", k.entity), k.attribute, ""}
	if k.project != "" {
		h.project = sp.store.Hash("project", k.project)
	}
	if k.object != "" {
		h.object = sp.store.Hash("object", k.object)
	}
	return h
}

// adoptPurged gives a slot the purged tombstones that hold places in it.
func (sp *space) adoptPurged(s *slotState) {
	if len(sp.purged) == 0 {
		return
	}
	key := sp.hashed(s.key).String()
	for _, n := range sp.purged[key] {
		sp.docs[n].slot, s.purged = s, true
		s.docs = append(s.docs, n)
	}
	delete(sp.purged, key)
	s.view.Store(nil)
}

// purgedStatements returns the tombstones of a slot that has no other
// statement.
func (sp *space) purgedStatements(key slotKey) []slot.Statement {
	if len(sp.purged) == 0 {
		return nil
	}
	var out []slot.Statement
	for _, n := range sp.purged[sp.hashed(key).String()] {
		if st, ok := sp.statement(n, 0); ok {
			out = append(out, st)
		}
	}
	sp.hashValues(out)
	return out
}

// attachPurged gives every slot its purged tombstones, once all are loaded.
func (sp *space) attachPurged() {
	for _, s := range sp.slots {
		if len(sp.purged) == 0 {
			return
		}
		sp.adoptPurged(s)
	}
}

// hashes reports whether the values of a slot are compared by their hashes.
func (sp *space) hashes(key slotKey) bool {
	if s := sp.slots[key]; s != nil {
		return s.purged
	}
	return len(sp.purged) > 0 && len(sp.purged[sp.hashed(key).String()]) > 0
}

// hashValues makes values comparable with those of purged tombstones, of which
// only the hash is left.
func (sp *space) hashValues(ss []slot.Statement) {
	for i := range ss {
		if d := &sp.docs[sp.byID[ss[i].ID]]; d.value != "" {
			ss[i].Value = sp.store.Hash("value", d.value)
		} else {
			ss[i].Value = d.valueHash
		}
	}
}
