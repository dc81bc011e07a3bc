package layers

import (
	"slices"
	"sync"
	"time"

	"mcp-memory/layers/slot"
)

// view says at which moment, and by what knowledge, records are looked at.
type view struct {
	at      time.Time // what holds at this moment
	asOf    bool      // a past or future moment was asked for: nothing announced for later is listed
	knownAt int64     // Unix microseconds; 0: all that is known now
	all     bool      // superseded, ended and withdrawn records too

	mu    sync.Mutex                    // guards lines: an index may ask about many records at once
	lines map[*slotState]*slot.Timeline // computed once a call for views other than now
}

// shown returns what a question that reaches doc n is answered with: itself, or
// the heads of its slot, which may hold it; neither if nothing is shown.
func (sp *space) shown(n uint32, v *view) (itself bool, heads []uint32) {
	d := &sp.docs[n]
	if d.forgotten() || (v.knownAt != 0 && d.recorded() > v.knownAt) {
		return false, nil
	}
	if v.all {
		return !v.asOf || d.start() <= v.at.UnixMicro(), nil
	}
	if sp.withdrawnIn(d, v) {
		return false, nil
	}
	if d.slot == nil {
		return d.holdsAt(v), nil
	}
	heads = sp.heads(d.slot, v)
	if !v.asOf && d.announced(v) && !slices.Contains(heads, n) {
		return true, nil
	}
	return false, heads
}

// visible reports whether doc n itself is shown.
func (sp *space) visible(n uint32, v *view) bool {
	itself, heads := sp.shown(n, v)
	return itself || slices.Contains(heads, n)
}

func (sp *space) withdrawnIn(d *doc, v *view) bool {
	return d.withdrawnAt != 0 && (v.knownAt == 0 || d.withdrawnAt <= v.knownAt)
}

// holdsAt reports whether a record without a slot is shown: it has not ended,
// and, as of a moment, it had begun.
func (d *doc) holdsAt(v *view) bool {
	at := v.at.UnixMicro()
	if end := d.validTo(); end != 0 && end <= at {
		return false
	}
	return !v.asOf || d.start() <= at
}

// announced reports whether any of its sayings takes effect only later. Such a
// statement is listed beside what is current.
func (d *doc) announced(v *view) bool {
	at := v.at.UnixMicro()
	end := d.validTo()
	for _, s := range d.said {
		if s.validFrom > at && (v.knownAt == 0 || s.recorded <= v.knownAt) && (end == 0 || end > at) {
			return true
		}
	}
	return false
}

// heads returns the records that hold in a slot. "None" of an attribute that
// holds many is over when one of them holds again.
func (sp *space) heads(s *slotState, v *view) []uint32 {
	held := sp.slotHeads(s, v)
	if s.key.none() == "" || len(held) == 0 {
		return held
	}
	none := &sp.docs[held[0]]
	for _, other := range sp.groups[s.key.group()] {
		if other.key.none() != "" {
			continue
		}
		for _, n := range sp.slotHeads(other, v) {
			if sp.contradicts(none, n) {
				return nil
			}
		}
	}
	return held
}

func (sp *space) slotHeads(s *slotState, v *view) []uint32 {
	if len(s.docs) == 1 && len(sp.closers) == 0 {
		return sp.onlyHead(s, v)
	}
	if !v.asOf && v.knownAt == 0 {
		return sp.viewAt(s, v.at).current
	}
	return sp.numbers(sp.timelineIn(s, v).At(v.at))
}

// timelineIn folds a slot by a view's knowledge.
func (sp *space) timelineIn(s *slotState, v *view) *slot.Timeline {
	if !v.asOf && v.knownAt == 0 {
		return sp.viewAt(s, v.at).timeline
	}
	if known := s.view.Load(); known != nil && v.knownAt == 0 {
		return known.timeline
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if t := v.lines[s]; t != nil {
		return t
	}
	t := slot.New(sp.statements(s, v.knownAt))
	if v.lines == nil {
		v.lines = map[*slotState]*slot.Timeline{}
	}
	v.lines[s] = t
	return t
}

// onlyHead is heads for a slot of one open statement, by far the most common,
// without a timeline. Others go the long way.
func (sp *space) onlyHead(s *slotState, v *view) []uint32 {
	d, at := &sp.docs[s.docs[0]], v.at.UnixMicro()
	first := d.said[0]
	if len(d.said) > 1 || (first.validTo != 0 && first.validTo <= first.observed) {
		ss, closes := sp.statements(s, v.knownAt)
		return sp.numbers(slot.New(ss, closes).At(v.at))
	}
	hidden := d.forgotten() || sp.withdrawnIn(d, v) || (v.knownAt != 0 && d.recorded() > v.knownAt)
	if hidden || d.start() > at || (first.validTo != 0 && first.validTo <= at) {
		return nil
	}
	return s.docs
}
