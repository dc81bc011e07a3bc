package slot

// settle walks the places once in their order and tells each what it
// continues, ends and displaces.
func (t *Timeline) settle() {
	for i, p := range t.places {
		p.index = i
		if p.role == ends {
			p.settleEnded(t.last)
			continue
		}
		if p.role == opens {
			p.join(t.last)
		}
		t.take(p)
	}
}

// take makes p, which knows its hold, the last place that has started.
func (t *Timeline) take(p *place) {
	p.deep = p.start.Before(t.latest)
	if !p.deep {
		t.latest = p.start
	}
	t.last = t.last.take(p, p.key, func(by, gone *place) { by.removed = append(by.removed, gone) })
}

// join makes p part of the hold it says again, or begins one.
func (p *place) join(now standing) {
	i := now.again(p, p.key)
	if i < 0 {
		p.hold = newHold(p)
		return
	}
	p.says = now[i]
	p.hold = now[i].hold
	p.hold.extend(p)
}

// settleEnded decides whether p ends what is current or fills a period of its
// own. An ending lets the ended one hold until then, and holds itself only
// where it reaches further back.
func (p *place) settleEnded(now standing) {
	p.from, p.to = p.ValidFrom, p.ValidTo
	p.hold = &hold{start: p.from, to: p.to, of: []*place{p}}
	i := now.find(p.claim)
	if i < 0 || !p.canEnd(now[i].hold) {
		return
	}
	h := now[i].hold
	p.ending = h
	if h.start.Before(p.to) {
		p.to = h.start
	}
	p.silent = p.from.IsZero() || !p.from.Before(p.to)
	if h.to.Equal(p.ValidTo) {
		return
	}
	p.removed = endedBy(p, now[i])
	h.to, h.ended = p.ValidTo, p
}

// endedBy returns what the end told by p replaces: the end that was told
// before, else the latest saying of the hold, and, if that began no earlier than
// the end, those before it.
func endedBy(p, last *place) []*place {
	if last.hold.ended != nil {
		return []*place{last.hold.ended}
	}
	gone := []*place{last}
	for !last.start.Before(p.ValidTo) && last.says != nil {
		last = last.says
		gone = append(gone, last)
	}
	return gone
}

// canEnd reports whether the hold may be the one p tells the end of: not if it
// was said to begin at or after that end. Then they are two periods.
func (p *place) canEnd(h *hold) bool {
	return h.since.IsZero() || h.since.Before(p.ValidTo)
}
