package crashtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// eraser erases one record in two steps: the intent, and the rewrite.
type eraser struct {
	made int
	open string // receipt
}

func (e *eraser) step(ctx context.Context, s *bunt.Store, now time.Time, random *rand.Rand) error {
	if e.open != "" {
		return e.rewrite(ctx, s, now)
	}
	var ids []string
	err := s.Scan(ctx, func(entry storage.Entry) error {
		if !entry.Purged {
			ids = append(ids, entry.ID)
		}
		return nil
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	e.made++
	e.open = fmt.Sprintf("E%d", e.made)
	id := ids[random.IntN(len(ids))]
	return s.Apply(ctx, storage.Op{User: User, At: now, Forget: &storage.Forget{Receipt: e.open, Erase: &storage.Erase{},
		Records: []storage.Tombstone{{ID: id, TextHash: "h"}}}})
}

func (e *eraser) rewrite(ctx context.Context, s *bunt.Store, now time.Time) error {
	rw, err := s.Erase(ctx, nil)
	if err != nil {
		return err
	}
	defer rw.Abandon()
	err = rw.Commit(ctx, []storage.Op{{User: User, At: now, Erased: []storage.Erased{{Receipt: e.open, Verified: true}}}})
	e.open = ""
	return errors.Join(err, ctx.Err())
}

// TestCrash_AroundErases: an intent stays, and what was erased is in no file once
// that was acknowledged.
func TestCrash_AroundErases(t *testing.T) {
	var total Report
	erased := 0
	for seed := uint64(1); total.Images < *images; seed++ {
		var e eraser
		tape, err := Workload{Seed: seed, Steps: 40, Extra: e.step}.Record(t.Context(), t.TempDir(), start)
		if err != nil {
			t.Fatal(err)
		}
		report, err := tape.Check(t.Context(), t.TempDir(), 50, seed)
		if err != nil {
			t.Fatal(err)
		}
		total.Add(report)
		erased += e.made
	}
	if total.Bad() || erased == 0 {
		t.Errorf("%d erases: %+v", erased, total)
	}
	t.Logf("%d erases: %+v", erased, total)
}
