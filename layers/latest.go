package layers

import (
	"cmp"
	"iter"
	"slices"
	"sync"
)

// latest is the order of a space's records by when they were last said, kept from
// when it is first asked for. It is safe for readers beside each other; changes come
// from writers, which are alone.
type latest struct {
	mu    sync.Mutex // guards what follows, among readers
	made  bool
	order []uint32 // the latest last, of one time the first by id
}

// before orders two records: the earlier said first, of one time the later id.
func (sp *space) before(a, b uint32) int {
	return cmp.Or(cmp.Compare(sp.columns.observed[a], sp.columns.observed[b]), cmp.Compare(sp.docs[b].id, sp.docs[a].id))
}

// come enters a record.
func (sp *space) come(n uint32) {
	if l := &sp.latest; l.made {
		at, _ := slices.BinarySearchFunc(l.order, n, sp.before)
		l.order = slices.Insert(l.order, at, n)
	}
}

// sayAgain moves a record that was said again.
func (sp *space) sayAgain(n uint32) {
	now := sp.docs[n].observed()
	if now == sp.columns.observed[n] {
		return
	}
	if l := &sp.latest; l.made {
		if at, found := slices.BinarySearchFunc(l.order, n, sp.before); found {
			l.order = slices.Delete(l.order, at, at+1)
		}
	}
	sp.columns.observed[n] = now
	sp.come(n)
}

// byLatest yields all records, the latest said first.
func (sp *space) byLatest() iter.Seq[uint32] {
	l := &sp.latest
	l.mu.Lock()
	if !l.made {
		l.order = make([]uint32, len(sp.docs))
		for n := range l.order {
			l.order[n] = uint32(n)
		}
		slices.SortFunc(l.order, sp.before)
		l.made = true
	}
	l.mu.Unlock()
	return func(yield func(uint32) bool) {
		for _, n := range slices.Backward(l.order) {
			if !yield(n) {
				return
			}
		}
	}
}

// weighty returns the first records that hold at v and whose kind is wanted: the most
// important first, and of one importance the latest said.
func (sp *space) weighty(v *view, most int, wanted func(kind) bool) (out []uint32) {
	for weight := maxImportance; weight >= 0; weight-- {
		for n := range sp.byLatest() {
			if len(out) == most {
				return out
			}
			if k := sp.columns.kind[n]; int(k.importance()) == weight && wanted(k) && sp.stands(n, v) {
				out = append(out, n)
			}
		}
	}
	return out
}

// newest returns the first records that are shown at v, the latest said first.
func (sp *space) newest(v *view, most int) (out []uint32) {
	for n := range sp.byLatest() {
		if len(out) == most {
			break
		}
		if sp.stands(n, v) {
			out = append(out, n)
		}
	}
	return out
}

// stands reports whether a record is live and shown at v itself.
func (sp *space) stands(n uint32, v *view) bool { return sp.docs[n].live() && sp.visible(n, v) }
