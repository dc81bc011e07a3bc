package slot

import (
	"slices"
	"time"
)

// standing is what is current: for each claim the place that said it last.
// What is over or forgotten stays in it until it is displaced, so that no
// predecessor comes back.
type standing []*place

// displaced is told who took the place of whom.
type displaced func(by, gone *place)

func ignore(_, _ *place) {}

// find returns the index of the claim, or -1.
func (s standing) find(claim int) int {
	return slices.IndexFunc(s, func(m *place) bool { return m.claim == claim })
}

// holds reports whether a statement stands.
func (s standing) holds(id string) bool {
	return slices.ContainsFunc(s, func(m *place) bool { return m.id == id })
}

// again returns the index of what p, said at the time when, says again, or -1.
// What is over by then is not said again but anew.
func (s standing) again(p *place, when time.Time) int {
	i := s.find(p.claim)
	if i >= 0 && s[i].hold != p.hold && over(s[i].hold.to, when) {
		return -1
	}
	return i
}

// take returns what is current after p, said at the time when. It reuses s.
func (s standing) take(p *place, when time.Time, tell displaced) standing {
	if p.role == closes {
		return s.drop(p, func(m *place) bool { return p.closesHold(m.hold) }, tell)
	}
	if i := s.again(p, when); i >= 0 {
		if s[i].id != p.id {
			tell(p, s[i])
		}
		s[i] = p
		return s
	}
	s = s.drop(p, func(m *place) bool { return !p.beside || m.claim == p.claim }, tell)
	return append(s, p)
}

// drop takes out the members that p displaces.
func (s standing) drop(p *place, gone func(*place) bool, tell displaced) standing {
	kept := s[:0]
	for _, m := range s {
		if gone(m) {
			tell(p, m)
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

// known reports whether anything, forgotten or not, holds at a moment.
func (s standing) known(at time.Time) bool {
	return slices.ContainsFunc(s, func(m *place) bool { return !over(m.hold.to, at) })
}

// ids returns what is to be shown at a moment, latest first.
func (s standing) ids(at time.Time) []string {
	s = slices.DeleteFunc(s, func(m *place) bool { return m.tombstone || over(m.hold.to, at) })
	slices.SortFunc(s, func(a, b *place) int { return b.index - a.index })
	ids := make([]string, len(s))
	for i, m := range s {
		ids[i] = m.id
	}
	return ids
}
