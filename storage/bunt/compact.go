package bunt

import (
	"context"
	"fmt"
	"time"

	"mcp-memory/storage"
)

// minDead is below how many dead bytes a compaction is not worth its while.
const minDead = 1 << 20

// Compact rewrites the file: records forgotten longer than Options.Retention
// ago lose their content for good, expired answers and empty operations go.
// Other calls wait meanwhile. Errors: [storage.ErrUnavailable] (the store is as
// it was), [storage.ErrReadOnly], [storage.ErrClosed].
func (s *Store) Compact(ctx context.Context) error {
	s.write.Lock()
	defer s.write.Unlock()
	if s.closed {
		return fmt.Errorf("compact: %w", storage.ErrClosed)
	}
	if err := s.compact(ctx); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	return nil
}

func (s *Store) compact(ctx context.Context) error {
	if err := s.mend(); err != nil {
		return err
	}
	before := s.state.purged
	entries, err := s.purge(ctx)
	if err != nil {
		return err
	}
	if err := s.replace(entries); err != nil {
		return err
	}
	s.options.Log.Info("compacted the store", keyPurged, s.state.purged-before, keyBytes, s.size)
	return nil
}

// replace rewrites the file with entries and folds it again, so that memory
// holds the bytes of the new one only.
func (s *Store) replace(entries []entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.journal.replace(entries); err != nil {
		return err
	}
	folded, err := foldAll(s.journal.entries)
	if err != nil {
		return s.journal.lose(err)
	}
	s.state, s.size = folded, s.journal.size
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
// most of the file is dead.
func (s *Store) isDue() bool {
	horizon := s.horizon()
	for _, r := range s.state.records {
		if r.due(horizon) {
			return true
		}
	}
	dead := s.journal.size - s.journal.live + s.state.spent
	for _, a := range s.state.answers {
		if s.over(a) {
			dead += a.size
		}
	}
	return dead > minDead && dead > s.journal.size/2
}

// sweep compacts where that is due. It is nobody's call, so that its error goes
// to the log; what was due then is due the next time.
func (s *Store) sweep(ctx context.Context) {
	s.write.Lock()
	defer s.write.Unlock()
	if s.closed || s.journal.fault != nil || !s.isDue() {
		return
	}
	if err := s.compact(ctx); err != nil {
		s.options.Log.Error("compact the store", keyError, err)
	}
}

// startSweeping sweeps once a day until Close.
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
				s.sweep(ctx)
			}
		}
	})
}
