package layers

import (
	"context"
	"fmt"

	"mcp-memory/storage"
)

// applyForget makes a forget durable. What one operation cannot hold is announced
// first; where something fails after that, the forget is begun, and is finished
// before the next one or by the next start. The caller holds write.
func (m *Memory) applyForget(ctx context.Context, op storage.Op, sel *selection) error {
	ahead := storage.Ahead{All: sel.in.All}
	if whole := sel.wholeSource(); whole != "" {
		ahead.SourceHash = m.opts.Store.Hash("source", whole)
	}
	if op.Forget.Erase != nil {
		m.wiped[op.User] = op.At
	}
	parts := forgetParts(op, ahead)
	if err := m.apply(ctx, parts[0]); err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	return m.applyMore(ctx, op.Forget.Receipt, parts[1:])
}

// applyMore applies what follows an announcement, whether or not somebody still waits
// for it.
func (m *Memory) applyMore(ctx context.Context, receipt string, parts []storage.Op) error {
	for _, part := range parts {
		if err := m.apply(context.WithoutCancel(ctx), part); err != nil {
			m.halfway = true
			return fmt.Errorf("forget: it is begun and not finished, the next forget or start does that (receipt %s): %w", receipt, err)
		}
	}
	return nil
}

// finishOpen finishes, before anything is answered, what an earlier process left open
// of forgets and erases: mostly nothing, which one look at the receipts tells.
func (m *Memory) finishOpen(ctx context.Context) error {
	open := 0
	err := m.opts.Store.Receipts(ctx, func(_ string, r storage.Receipt) error {
		if r.Ahead != nil || r.Erase && r.Ended == nil {
			open++
		}
		return nil
	})
	if err == nil && open > 0 {
		err = m.finishOpenForgets(ctx)
	}
	if err == nil && open > 0 {
		err = m.finishErases(ctx)
	}
	m.opened = true
	return err
}

// finishOpenForgets is finishForgets at a start, before anything is answered. What
// cannot be finished then (a full disk) is with the next forget.
func (m *Memory) finishOpenForgets(ctx context.Context) error {
	m.write.Lock()
	defer m.write.Unlock()
	m.halfway = true // nobody knows yet
	if _, err := m.finishForgets(ctx); err != nil && ctx.Err() == nil {
		m.log.Error("a forget that was interrupted is not finished; the next forget or start does that", "error", err)
	}
	return ctx.Err()
}

// finishForgets finishes the forgets that were announced and of which not all came,
// since a process was killed or a disk full. One whose announcement itself is not
// whole took nothing, and ends so. It returns the receipts by their users. The caller
// holds write.
func (m *Memory) finishForgets(ctx context.Context) (finished map[string][]string, err error) {
	if !m.halfway {
		return nil, nil
	}
	open := map[string][]storage.Receipt{}
	err = m.opts.Store.Receipts(ctx, func(user string, r storage.Receipt) error {
		if r.Ahead != nil {
			open[user] = append(open[user], r)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for forgets that were begun: %w", err)
	}
	finished = map[string][]string{}
	for user, receipts := range open {
		for i := range receipts {
			if err := m.finishForget(ctx, user, &receipts[i]); err != nil {
				return nil, err
			}
			finished[user] = append(finished[user], receipts[i].ID)
		}
	}
	m.halfway = false
	return finished, nil
}

// finishForget takes what a forget announced and did not take.
func (m *Memory) finishForget(ctx context.Context, user string, r *storage.Receipt) error {
	op := storage.Op{User: user, At: m.nextRecorded(), Forget: &storage.Forget{Receipt: r.ID}}
	if r.Erase {
		op.Forget.Erase = &storage.Erase{}
	} else {
		op.Forget.Reason = r.Reason
	}
	var err error
	if r.Ahead.Of == len(r.Ahead.IDs) {
		err = m.read(user, func(sp *space) error { return m.takeAhead(ctx, sp, &op, r) })
	}
	if err != nil {
		return fmt.Errorf("finish forget %s: %w", r.ID, err)
	}
	if r.Erase {
		m.wiped[user] = op.At
	}
	if err := m.applyMore(ctx, r.ID, moreParts(op)); err != nil {
		return err
	}
	m.log.Info("a forget that was interrupted is finished", "records", len(op.Forget.Records), "receipt", r.ID)
	if !r.Erase || m.erasures.knows(r.ID) {
		return nil
	}
	return m.carryOut(ctx, user, r.ID)
}

// takeAhead fills op with what was announced and is not taken yet, and with all that
// goes along in an erase. The caller holds write and mu.
func (m *Memory) takeAhead(ctx context.Context, sp *space, op *storage.Op, r *storage.Receipt) error {
	var all, left []uint32
	taken := map[string]bool{}
	for _, id := range r.IDs {
		taken[id] = true
	}
	for _, id := range r.Ahead.IDs {
		n, known := sp.byID[id]
		if !known {
			continue // a salvage lost it
		}
		all = append(all, n)
		if d := &sp.docs[n]; !taken[id] && (!d.forgotten() || r.Erase && !d.erased) {
			left = append(left, n)
		}
	}
	if !r.Erase {
		return sp.softForget(op.Forget, left)
	}
	t := newTraces(sp)
	t.all, t.whole = r.Ahead.All, m.sourceOf(r.Ahead.SourceHash)
	op.Forget.Erase.All, op.Forget.Erase.SourceHash = r.Ahead.All, r.Ahead.SourceHash
	for _, n := range all {
		entry, err := sp.entry(n)
		if err != nil {
			return fmt.Errorf("read a record: %w", err)
		}
		t.add(&entry)
	}
	t.settle()
	if err := sp.eraseRecords(op.Forget, left); err != nil {
		return err
	}
	return m.eraseTalk(ctx, op, t)
}

// carryOut hands in an erase that was finished. At a start finishErases does it.
func (m *Memory) carryOut(ctx context.Context, user, receipt string) error {
	if !m.opened {
		return nil
	}
	return m.opts.Store.Receipts(ctx, func(owner string, r storage.Receipt) error {
		if owner != user || r.ID != receipt || r.Ended != nil {
			return nil
		}
		e, err := m.reopenErase(user, r)
		if err == nil {
			m.erasures.add(m, e)
		}
		return err
	})
}
