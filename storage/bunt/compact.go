package bunt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcp-memory/storage"
)

// minDead is below how many dead bytes a compaction is not worth its while.
const minDead = 1 << 20

// staleTries is how often a rewrite begins anew because what it left out was
// brought back meanwhile.
const staleTries = 3

// Compact rewrites the file: records forgotten longer than Options.Retention
// ago lose their content for good, expired answers and empty operations go, what
// was said again is merged. Other calls go on meanwhile, but for a moment at the
// end. Errors: [storage.ErrUnavailable] (the store is as it was),
// [storage.ErrReadOnly], [storage.ErrLocked], [storage.ErrClosed].
func (s *Store) Compact(ctx context.Context) error {
	s.compacting.Lock()
	defer s.compacting.Unlock()
	if err := s.compact(ctx); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	return nil
}

// compact is Compact. The caller holds compacting.
func (s *Store) compact(ctx context.Context) error {
	before := s.Stats()
	var err error
	for range staleTries {
		var rw *rewrite
		if rw, err = s.begin(ctx, false); err != nil {
			return err
		}
		if err = rw.commit(nil); !errors.Is(err, errStale) {
			break
		}
	}
	if err != nil {
		return err
	}
	after := s.Stats()
	s.options.Log.Info("compacted the store", keyPurged, after.Tombs-before.Tombs, keyBytes, after.FileBytes)
	return nil
}

// horizon is the time before which, and at which, retention is over.
func (s *Store) horizon() time.Time { return s.options.Clock().Add(-s.options.Retention) }

// over reports whether an answer counts no more.
func (s *Store) over(a answer) bool { return !a.at.After(s.answerHorizon(a.brief)) }

// answerHorizon is the time before which, and at which, answers are over.
func (s *Store) answerHorizon(brief bool) time.Time {
	if brief {
		return s.options.Clock().Add(-min(storage.BriefLife, s.options.Retention))
	}
	return s.horizon()
}

// isDue reports whether a compaction is worth its while: content is to go, or
// most of the file is dead. The caller holds write.
func (s *Store) isDue() bool {
	horizon := s.horizon()
	for _, r := range s.state.records {
		if r.due(horizon) {
			return true
		}
	}
	dead := s.garbage()
	for _, a := range s.state.answers {
		if s.over(a) {
			dead += int64(len(a.json))
		}
	}
	return dead > minDead && dead > s.journal.size/2
}

// garbage is about how many bytes of the file are dead, but for what has expired.
// The caller holds write.
func (s *Store) garbage() int64 { return s.state.garbage + s.journal.size - s.journal.live }

// wakeSweep lets the file be compacted once most of it is dead, and it has grown
// since the last time: what is dead is estimated. The caller holds write.
func (s *Store) wakeSweep() {
	dead := s.garbage()
	if dead <= minDead || dead <= s.journal.size/2 || s.journal.size < s.compacted+minDead {
		return
	}
	select {
	case s.grown <- struct{}{}:
	default:
	}
}

// sweep compacts where that is due. It is nobody's call, so that its error goes
// to the log; what was due then is due the next time.
func (s *Store) sweep(ctx context.Context) {
	s.compacting.Lock()
	defer s.compacting.Unlock()
	s.write.Lock()
	due := !s.closed && s.journal.fault == nil && s.isDue()
	s.write.Unlock()
	if !due {
		return
	}
	if err := s.compact(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
		s.options.Log.Error("compact the store", keyError, err)
	}
}

// startSweeping sweeps once a day, and when the file has much garbage, until
// Close.
func (s *Store) startSweeping() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.swept.Go(func() {
		tick := time.NewTicker(sweepEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			case <-s.grown:
			}
			s.sweep(ctx)
		}
	})
}
