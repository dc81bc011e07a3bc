package layers

import (
	"slices"

	"mcp-memory/storage"
)

// columns are what filters, times and orders ask of every record, by document
// number: a pass over one of them costs about a nanosecond a record, one over the
// records themselves a hundred.
type columns struct {
	event    []int64 // as doc.event
	observed []int64 // when it was last said
	kind     []kind
	project  []uint32 // numbers of projects
	speaker  []uint32 // numbers of speakers
	names    map[string]uint32

	tagged map[string][]uint32 // by tag; what lost its tags may still stand here
	about  map[string][]uint32 // by the entity's canonical key
}

// kind packs layer, tier and importance of a record.
type kind uint8

const (
	kindLayer     kind = 0b0000_0111
	kindEpisodic  kind = 0b0000_1000
	kindUser      kind = 0b0001_0000 // it is about the user
	kindWeight         = 5           // bits below the importance
	maxImportance      = 5
)

func kindOf(layer storage.Layer, tier storage.Tier) kind {
	k := kind(slices.Index(storage.Layers, layer) + 1)
	if tier == storage.Episodic {
		k |= kindEpisodic
	}
	return k
}

func (k kind) importance() uint8 { return uint8(k >> kindWeight) }

func newColumns() columns {
	return columns{names: map[string]uint32{}, tagged: map[string][]uint32{}, about: map[string][]uint32{}}
}

// number stands for a name.
func (c *columns) number(name string) uint32 {
	n, ok := c.names[name]
	if !ok {
		n = uint32(len(c.names))
		c.names[name] = n
	}
	return n
}

// add enters the next record.
func (c *columns) add(n uint32, d *doc) {
	k := kindOf(d.layer, d.tier) | kind(min(d.importance, maxImportance))<<kindWeight
	c.event, c.observed = append(c.event, d.event), append(c.observed, d.observed())
	c.kind, c.project, c.speaker = append(c.kind, k), append(c.project, c.number(d.project)), append(c.speaker, c.number(d.speaker))
	c.tag(n, d.tags)
}

// tag enters tags that a record has not had before.
func (c *columns) tag(n uint32, tags []string) {
	for _, t := range tags {
		c.tagged[t] = append(c.tagged[t], n)
	}
}

// concern enters what a record is about.
func (c *columns) concern(n uint32, entity string) {
	if entity == "" {
		return
	}
	c.about[entity] = append(c.about[entity], n)
	if entity == userEntity {
		c.kind[n] |= kindUser
	}
}

// sieve is what a filter asks of columns: what passes it may pass the filter.
type sieve struct {
	kinds        [256]bool
	projects     []uint32 // nil: all
	since, until int64    // 0: any
}

func (c *columns) sieve(f *filter) sieve {
	s := sieve{since: f.since, until: f.until}
	for k := range s.kinds {
		layer, episodic := int(kind(k)&kindLayer)-1, kind(k)&kindEpisodic != 0
		s.kinds[k] = (len(f.layers) == 0 || layer >= 0 && layer < len(storage.Layers) && slices.Contains(f.layers, storage.Layers[layer])) &&
			(len(f.tiers) == 0 || slices.Contains(f.tiers, storage.Episodic) && episodic || slices.Contains(f.tiers, storage.Semantic) && !episodic)
	}
	if f.project == nil {
		return s
	}
	s.projects = []uint32{}
	for _, name := range []string{*f.project, ""} {
		if n, ok := c.names[name]; ok && f.passProject(name) {
			s.projects = append(s.projects, n)
		}
	}
	return s
}

func (s *sieve) pass(c *columns, n uint32) bool {
	return s.kinds[c.kind[n]] && (s.since == 0 || c.event[n] >= s.since) && (s.until == 0 || c.event[n] <= s.until) &&
		(s.projects == nil || slices.Contains(s.projects, c.project[n]))
}

// listed is the shortest list of records that holds all that pass a filter; not ok
// where the filter names nothing that records are listed by.
func (sp *space) listed(f *filter) (docs []uint32, ok bool) {
	consider := func(list []uint32) {
		if !ok || len(list) < len(docs) {
			docs, ok = list, true
		}
	}
	for _, t := range f.tags {
		consider(sp.columns.tagged[t])
	}
	if f.entity != "" {
		consider(sp.columns.about[f.entity])
	}
	if f.source != "" {
		consider(sp.sources[f.source])
	}
	return docs, ok
}

// passing returns the records that pass a filter, in no order, but nil and false
// where they are more than most.
func (sp *space) passing(f *filter, most int) (docs []uint32, few bool) {
	s := sp.columns.sieve(f)
	take := func(n uint32) bool {
		if s.pass(&sp.columns, n) && f.pass(&sp.docs[n]) {
			docs = append(docs, n)
		}
		return len(docs) <= most
	}
	list, listed := sp.listed(f)
	if listed {
		for _, n := range list {
			if !take(n) {
				return nil, false
			}
		}
		return docs, true
	}
	for n := range uint32(len(sp.docs)) {
		if !take(n) {
			return nil, false
		}
	}
	return docs, true
}
