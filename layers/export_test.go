package layers

import (
	"cmp"
	"slices"

	"mcp-memory/storage"
)

// CheckDerived compares what is kept of counts and orders with a pass over all
// records. It returns what differs.
func (m *Memory) CheckDerived(user string) (differs []string) {
	_ = m.read(user, func(sp *space) error {
		v := &view{at: m.present()}
		got, want := sp.countUp(v), counts{}
		for n := range sp.docs {
			is := sp.stateOf(uint32(n), v)
			want.states[is]++
			if is == current {
				want.standing[sp.columns.kind[n]&(1<<kindWeight-1)]++
			}
			d := &sp.docs[n]
			if k := sp.columns.kind[n]; k&^(kindUser|7<<kindWeight) != kindOf(d.layer, d.tier) || k.importance() != d.importance ||
				(k&kindUser != 0) != (d.entity == userEntity) || sp.columns.observed[n] != d.observed() || sp.columns.event[n] != d.event {
				differs = append(differs, "columns of "+d.id)
			}
		}
		if got != want {
			differs = append(differs, "counts")
		}
		if !slices.Equal(slices.Collect(sp.byLatest()), sp.sortedByLatest()) {
			differs = append(differs, "the latest first")
		}
		wanted := func(k kind) bool { return k.personal() }
		if !slices.Equal(sp.weighty(v, len(sp.docs), wanted), sp.sortedByWeight(v, wanted)) {
			differs = append(differs, "the most important first")
		}
		return nil
	})
	return differs
}

func (sp *space) sortedByLatest() (out []uint32) {
	for n := range sp.docs {
		out = append(out, uint32(n))
	}
	slices.SortFunc(out, func(a, b uint32) int {
		x, y := &sp.docs[a], &sp.docs[b]
		return cmp.Or(cmp.Compare(y.observed(), x.observed()), cmp.Compare(x.id, y.id))
	})
	return out
}

func (sp *space) sortedByWeight(v *view, wanted func(kind) bool) (out []uint32) {
	for _, n := range sp.sortedByLatest() {
		if d := &sp.docs[n]; d.live() && d.tier == storage.Semantic && wanted(sp.columns.kind[n]) && sp.visible(n, v) {
			out = append(out, n)
		}
	}
	slices.SortStableFunc(out, func(a, b uint32) int { return cmp.Compare(sp.docs[b].importance, sp.docs[a].importance) })
	return out
}
