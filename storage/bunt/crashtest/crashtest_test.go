package crashtest

import (
	"flag"
	"testing"
)

// images is how many a test draws: go test ./storage/bunt/crashtest -images 1000.
var images = flag.Int("images", 100, "images to draw of every kind of workload")

// TestCrash_AnywhereLosesNothingAcknowledged crashes random operations,
// compactions, restarts and recoveries, on a sound disk and on one that is full at
// times.
func TestCrash_AnywhereLosesNothingAcknowledged(t *testing.T) {
	for _, faults := range []bool{false, true} {
		var total Report
		gone := 0
		for seed := uint64(1); total.Images < *images; seed++ {
			tape, err := Workload{Seed: seed, Steps: 30, Faults: faults}.Record(t.Context(), t.TempDir(), start)
			if err != nil {
				t.Fatal(err)
			}
			report, err := tape.Check(t.Context(), t.TempDir(), 50, seed)
			if err != nil {
				t.Fatal(err)
			}
			total.Add(report)
			gone += len(tape.gone)
		}
		if gone == 0 {
			t.Error("no record lost its content: nothing could leak")
		}
		if total.Bad() {
			t.Errorf("faults %v: %+v", faults, total)
		}
		if total.Salvaged == 0 {
			t.Errorf("faults %v: no image of %d needed a repair: nothing was torn", faults, total.Images)
		}
		t.Logf("faults %v: %+v", faults, total)
	}
}

// A store that does not sync what it must is found out; so this suite tests
// something.
func TestCrash_NoticesWhatIsNotSynced(t *testing.T) {
	for name, skip := range map[string]string{"operations": "memory.db", "rewrites": "memory.db.tmp", "renames": ""} {
		var total Report
		for seed := uint64(1); seed <= 12 && !total.Bad(); seed++ {
			w := Workload{Seed: seed, Steps: 12}
			w.skip = func(file string, isDir bool) bool { return isDir == (skip == "") && (isDir || file == skip) }
			tape, err := w.Record(t.Context(), t.TempDir(), start)
			if err != nil {
				t.Fatal(err)
			}
			report, err := tape.Check(t.Context(), t.TempDir(), 20, seed)
			if err != nil {
				t.Fatal(err)
			}
			total.Add(report)
		}
		if !total.Bad() {
			t.Errorf("no sync of %s: not noticed: %+v", name, total)
		}
	}
}
