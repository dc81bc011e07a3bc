package layers

import (
	"fmt"
	"slices"
	"time"
)

// returned are the paragraphs that a document had, then had not, and has again: what
// they stated is not current because of what the same document said after it.
func (m *Memory) returned(t *task) (map[string]bool, error) {
	back := map[string]bool{}
	if t.SourceID == "" {
		return back, nil
	}
	err := m.read(t.User, func(sp *space) error {
		v := &view{at: later(m.now(), m.opts.Store.Last())}
		for _, n := range sp.sources[t.SourceID] {
			if !sp.overtaken(n, v, m.documentTime(t)) {
				continue
			}
			e, err := sp.entry(n)
			if err != nil {
				return err
			}
			for _, id := range e.Source.MessageIDs {
				back[id] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for what the document said before: %w", err)
	}
	return back, nil
}

// overtaken reports whether a statement is not current and its own source said
// another thing since, before a moment at which it says the first again.
func (sp *space) overtaken(n uint32, v *view, again time.Time) bool {
	d := &sp.docs[n]
	if d.slot == nil || !d.live() || slices.ContainsFunc(sp.heads(d.slot, v), func(h uint32) bool { return sp.docs[h].value == d.value }) {
		return false
	}
	last := d
	for _, k := range d.slot.docs {
		if o := &sp.docs[k]; o.live() && o.source == d.source && o.observed() > last.observed() {
			last = o
		}
	}
	return last.value != d.value && last.observed() < again.UnixMicro()
}
