package layers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"mcp-memory/storage"
)

// retentionEvery is how often what is old is looked for.
const retentionEvery = time.Hour

// watchRetention forgets what is old, at the start and then every hour.
func (m *Memory) watchRetention(ctx context.Context) {
	tick := time.NewTicker(retentionEvery)
	defer tick.Stop()
	for {
		if err := m.Retain(ctx); err != nil && ctx.Err() == nil {
			m.log.Warn("what is old could not be forgotten; it is tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Retain carries the set retention out once: a soft forget for each user and rule
// that finds anything, whose receipt names the rule. What is brought back counts
// as new from then on.
func (m *Memory) Retain(ctx context.Context) error {
	for _, user := range m.users() {
		for _, rule := range m.opts.Retention {
			if err := m.retain(ctx, user, rule); err != nil {
				return fmt.Errorf("retention %q: %w", rule, err)
			}
		}
	}
	return nil
}

func (m *Memory) retain(ctx context.Context, user string, rule RetentionRule) error {
	m.write.Lock()
	defer m.write.Unlock()
	at := m.nextRecorded()
	receipt, err := m.newID(at)
	if err != nil {
		return err
	}
	op := storage.Op{User: user, At: at, Forget: &storage.Forget{Receipt: receipt, Reason: "retention: " + rule.String()}}
	err = m.read(user, func(sp *space) error { return sp.softForget(op.Forget, sp.old(rule, m.now())) })
	if err != nil || len(op.Forget.Records) == 0 {
		return err
	}
	if err := m.apply(ctx, op); err != nil {
		return err
	}
	m.log.Info("forgot what is old", "records", len(op.Forget.Records), "receipt", receipt)
	return nil
}

// old returns what a rule takes in one sweep.
func (sp *space) old(rule RetentionRule, now time.Time) []uint32 {
	var out []uint32
	until := micros(now.Add(-rule.Age))
	for n := range sp.docs {
		d := &sp.docs[n]
		if d.live() && (d.tier == rule.Tier || d.layer == rule.Layer) && d.touched() <= until {
			out = append(out, uint32(n))
		}
	}
	slices.SortFunc(out, func(a, b uint32) int {
		x, y := &sp.docs[a], &sp.docs[b]
		first := 0
		if rule.LeastImportant {
			first = cmp.Compare(x.importance, y.importance)
		}
		return cmp.Or(first, cmp.Compare(x.touched(), y.touched()), cmp.Compare(x.id, y.id))
	})
	return out[:min(len(out), rule.Most)]
}

// touched is the last moment that says that a record is of use: when it was said,
// when it happens, until when it holds, when it was recorded or brought back.
func (d *doc) touched() int64 {
	last := max(d.event, d.startsAt, d.restoredAt)
	for _, s := range d.said {
		last = max(last, s.observed, s.recorded, s.validFrom, s.validTo)
	}
	return last
}
