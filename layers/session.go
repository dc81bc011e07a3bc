package layers

import (
	"mcp-memory/internal/text"
	"mcp-memory/layers/recall"
	"mcp-memory/layers/slot"
	"mcp-memory/storage"
)

// session is what was said in one sitting, in the order it was recorded.
type session struct {
	id       string
	docs     []uint32
	speakers map[string]int // who speaks: name, else role
}

// sessionID is the session that a record belongs to; "" for none.
func (d *doc) sessionID() string {
	if d.turns == nil {
		return ""
	}
	return d.turns.id
}

// putTurn enters a record into its session.
func (sp *space) putTurn(n uint32, id string) {
	if id == "" {
		return
	}
	s := sp.sessions[id]
	if s == nil {
		s = &session{id: sp.intern(id), speakers: map[string]int{}}
		sp.sessions[id] = s
	}
	d := &sp.docs[n]
	d.turns, d.turn = s, int32(len(s.docs))
	s.docs = append(s.docs, n)
	if d.tier == storage.Episodic {
		s.speakers[d.voice()]++
	}
}

// voice is who speaks: the name, else the role.
func (d *doc) voice() string {
	if d.speaker != "" {
		return d.speaker
	}
	return d.role
}

// Beside returns the live turn k places from doc in its session; see
// [recall.Turns]. Records that were made of a session, or only one speaker's,
// lend each other nothing.
func (sp *space) Beside(doc uint32, k int) (uint32, bool) {
	d := &sp.docs[doc]
	if d.turns == nil || d.tier != storage.Episodic || len(d.turns.speakers) < 2 {
		return 0, false
	}
	step := 1
	if k < 0 {
		step, k = -1, -k
	}
	docs := d.turns.docs
	for i := int(d.turn) + step; i >= 0 && i < len(docs); i += step {
		if o := &sp.docs[docs[i]]; o.tier != storage.Episodic || !o.live() {
			continue
		}
		if k--; k == 0 {
			return docs[i], true
		}
	}
	return 0, false
}

// Asks reports whether a document holds a question mark; see [recall.Turns].
func (sp *space) Asks(doc uint32) bool { return sp.docs[doc].traits&recall.Asks != 0 }

// people are the names of those who speak in sessions, and the terms of
// entities' names.
type people struct {
	speakers map[string]int // live turns by speaker
	names    map[string]map[string]bool
	entities map[string]int // terms of entities that are not speakers' alone
}

func newPeople() people {
	return people{speakers: map[string]int{}, names: map[string]map[string]bool{}, entities: map[string]int{}}
}

// add counts a record in (n 1) or out (n −1).
func (p *people) add(r *storage.Record, n int) {
	if r.Entity != "" {
		_, key := slot.Entity(r.Entity)
		for _, t := range text.Terms(key) {
			if p.entities[t] += n; p.entities[t] <= 0 {
				delete(p.entities, t)
			}
		}
	}
	name := r.Source.Speaker
	if name == "" || r.Source.Session == "" || r.Tier != storage.Episodic {
		return
	}
	p.speakers[name] += n
	if p.speakers[name] > 0 {
		if p.names[name] == nil {
			p.names[name] = recall.Set(text.Terms(name))
		}
		return
	}
	delete(p.speakers, name)
	delete(p.names, name)
}

// Named returns the speakers whose names have one of the terms; see
// [recall.Speakers].
func (p *people) Named(terms []string) (named []string) {
	for name, parts := range p.names {
		for _, t := range terms {
			if parts[t] {
				named = append(named, name)
				break
			}
		}
	}
	return named
}

// NameOnly reports whether a term is part of a speaker's name and of no
// entity's; see [recall.Speakers].
func (p *people) NameOnly(term string) bool {
	if p.entities[term] > 0 {
		return false
	}
	for _, parts := range p.names {
		if parts[term] {
			return true
		}
	}
	return false
}
