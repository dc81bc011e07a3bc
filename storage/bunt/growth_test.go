package bunt_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
	"mcp-memory/storage/storagetest"
)

// again is a reinforcement at at(n).
func again(n int) storage.Op {
	r := storage.Reinforcement{ID: "R0001", ObservedAt: at(n).Add(-time.Minute), RecordedAt: at(n), Confidence: 0.8, Trust: storage.UserStated,
		Tags: []string{"often"}, Source: storage.Source{Speaker: "Ann", Role: "user"}}
	if n%3 == 0 {
		r.ValidFrom = at(n).Add(-24 * time.Hour)
	}
	return storage.Op{User: "ann", At: at(n), Reinforce: []storage.Reinforcement{r}}
}

// TestGrowth_TenThousandReinforcementsStaySmall: the file is compacted by itself each
// time before it has 1.75 MiB, else this never ends; and no time is lost.
func TestGrowth_TenThousandReinforcementsStaySmall(t *testing.T) {
	s := open(t, bunt.Options{Dir: t.TempDir(), Sync: unsynced, Clock: clockAt(epoch)})
	apply(t, s, putOp(1))
	want := []storage.Reinforcement{}
	for n := range 10_000 {
		op := again(n + 2)
		apply(t, s, op)
		want = append(want, op.Reinforce...)
		for s.Stats().FileBytes > 7<<18 { // this loop is faster than any disk: it waits for the compaction that comes by itself
			time.Sleep(time.Millisecond)
			bunt.WaitForSweep(s)
		}
	}
	e, err := s.Get(t.Context(), "R0001")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, e.Reinforced); diff != "" {
		t.Errorf("reinforcements (-want +got):\n%.2000s", diff)
	}
}

// TestCompact_MergesWhatWasMergedBefore: a second compaction makes one of what the
// first left and what came since, and a third changes nothing.
func TestCompact_MergesWhatWasMergedBefore(t *testing.T) {
	dir := t.TempDir()
	s := open(t, bunt.Options{Dir: dir, Sync: unsynced, Clock: clockAt(epoch)})
	apply(t, s, putOp(1))
	var dumps, files []string
	for round := range 3 {
		for n := range 150 {
			if round < 2 {
				apply(t, s, again(2+150*round+n))
			}
		}
		before := dump(t, s)
		if err := s.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, dump(t, s)); diff != "" {
			t.Fatalf("round %d (-before +after):\n%.1000s", round, diff)
		}
		dumps, files = append(dumps, before), append(files, string(readFile(t, dbPath(dir))))
	}
	if files[1] != files[2] {
		t.Error("a compaction of a compact file changed it")
	}
	closeStore(t, s)
	if diff := cmp.Diff(dumps[2], dump(t, openDir(t, dir))); diff != "" {
		t.Errorf("after a restart (-want +got):\n%.1000s", diff)
	}
}

// TestCompact_LetsCallsGoOn applies at every sync of a compaction but the last: what
// comes meanwhile is in the new file.
func TestCompact_LetsCallsGoOn(t *testing.T) {
	var s *bunt.Store
	dir, next, during := t.TempDir(), 2, false
	sync := func(f *os.File) error {
		if during && f.Name() == dbPath(dir)+".next" && next < 60 {
			for range 20 {
				apply(t, s, putOp(next))
				next++
			}
		}
		return nil
	}
	s = open(t, bunt.Options{Dir: dir, Sync: sync, Clock: clockAt(epoch)})
	apply(t, s, putOp(1))
	during = true
	if err := s.Compact(context.Background()); err != nil {
		t.Fatal(err)
	}
	during = false
	if next < 42 {
		t.Fatalf("%d operations came meanwhile", next-2)
	}
	want := dump(t, s)
	apply(t, s, putOp(next))
	closeStore(t, s)
	s = openDir(t, dir)
	if got := len(entries(t, s)); got != next {
		t.Errorf("%d records after a restart, want %d:\n%.500s", got, next, want)
	}
}

// TestCompact_BeginsAgainWhereWhatGoesIsBroughtBack: an acknowledged restore is
// never lost to a purge that was under way.
func TestCompact_BeginsAgainWhereWhatGoesIsBroughtBack(t *testing.T) {
	var s *bunt.Store
	dir, done := t.TempDir(), false
	clock := storagetest.ClockAt(epoch)
	sync := func(f *os.File) error {
		if f.Name() == dbPath(dir)+".next" && !done {
			done = true
			apply(t, s, storage.Op{User: "ann", At: at(9), Restore: []string{"S"}})
		}
		return nil
	}
	s = open(t, bunt.Options{Dir: dir, Sync: sync, Clock: clock.Now})
	withSecret(t, s)
	clock.Set(at(5).Add(retention))
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e, err := s.Get(t.Context(), "S"); err != nil || e.Purged || e.Text != "sec-text" {
		t.Errorf("what was brought back: %+v, %v", e, err)
	}
}
