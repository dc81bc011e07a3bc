package bunt_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
	"mcp-memory/storage/storagetest"
)

const retention = 30 * 24 * time.Hour

// secrets are the words of a record that is to be purged; none may be found in
// any file afterwards.
var secrets = []string{"sec-entity", "sec-attribute", "sec-value", "sec-category", "sec-text", "sec-reason", "sec-source",
	"sec-session", "sec-message", "sec-speaker", "sec-quote", "sec-tag", "sec-detail", "sec-language", "sec-object",
	"sec-closes", "sec-again-quote", "sec-again-tag", "sec-forget-reason", "c2VjLWFuc3dlcg=="}

func secretRecord(id string) storage.Record {
	return storage.Record{ID: id, User: "ann", Project: "apollo", Layer: storage.Preference, Tier: storage.Semantic,
		Entity: "sec-entity", Attribute: "sec-attribute", Value: "sec-value", Category: "sec-category", Text: "sec-text",
		Reason: "sec-reason", Importance: 5, Confidence: 0.9, ObservedAt: at(1), ValidFrom: at(0), ValidTo: at(99), RecordedAt: at(1),
		Source: storage.Source{ID: "sec-source", Session: "sec-session", MessageIDs: []string{"sec-message"}, Role: "user",
			Speaker: "sec-speaker", Quote: "sec-quote"},
		Trust: storage.ThirdParty, Tags: []string{"sec-tag"}, Detail: []byte(`{"k":"sec-detail"}`), Language: "sec-language",
		Object: "sec-object", Polarity: "-", Closes: []string{"sec-closes"}, Beside: true}
}

var secretTomb = storage.Tombstone{ID: "S", EntityHash: "eh", Attribute: "drink", ObjectHash: "oh", SourceHash: "sh",
	MessageHash: []string{"mh"}, TextHash: "th"}

// withSecret fills a new store: a record R0900 that stays, a secret one that is
// reinforced and forgotten at at(5), and an answer that tells it.
func withSecret(t testing.TB, s *bunt.Store) {
	t.Helper()
	first := putOp(1)
	first.Put[0].ID = "R0900"
	first.Put = append(first.Put, secretRecord("S"))
	again := storage.Reinforcement{ID: "S", ObservedAt: at(2), ValidFrom: at(1), RecordedAt: at(2), Confidence: 0.4,
		Trust: storage.Imported, Tags: []string{"sec-again-tag"}, Source: storage.Source{Quote: "sec-again-quote"}}
	kept := again
	kept.ID, kept.Tags, kept.Source = "R0900", []string{"kept-tag"}, storage.Source{Quote: "kept-quote"}
	apply(t, s, first,
		storage.Op{User: "ann", At: at(2), Reinforce: []storage.Reinforcement{again, kept}},
		storage.Op{User: "ann", At: at(3), Answer: &storage.Answer{Key: "k", Body: []byte("sec-answer"), At: at(3)}},
		storage.Op{User: "ann", At: at(5), Forget: &storage.Forget{Receipt: "F1", Reason: "sec-forget-reason",
			Records: []storage.Tombstone{secretTomb}}})
}

// purgedEntry is what is left of the secret record.
func purgedEntry() storage.Entry {
	tomb := secretTomb
	return storage.Entry{
		Record: storage.Record{ID: "S", User: "ann", Project: "apollo", Layer: storage.Preference, Tier: storage.Semantic,
			Confidence: 0.9, ObservedAt: at(1), ValidFrom: at(0), ValidTo: at(99), RecordedAt: at(1),
			Trust: storage.ThirdParty, Beside: true},
		Reinforced: []storage.Reinforcement{{ID: "S", ObservedAt: at(2), ValidFrom: at(1), RecordedAt: at(2),
			Confidence: 0.4, Trust: storage.Imported}},
		ForgottenAt: at(5), Receipt: "F1", Purged: true, Tombstone: &tomb,
	}
}

// leaks returns the secrets that files in dir still hold.
func leaks(t testing.TB, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		content := readFile(t, filepath.Join(dir, file.Name()))
		for _, secret := range secrets {
			if bytes.Contains(content, []byte(secret)) {
				found = append(found, file.Name()+": "+secret)
			}
		}
	}
	return found
}

func checkPurged(t *testing.T, s *bunt.Store, dir string) {
	t.Helper()
	if found := leaks(t, dir); len(found) != 0 {
		t.Errorf("left in files: %v", found)
	}
	got, err := s.Get(t.Context(), "S")
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	if diff := cmp.Diff(purgedEntry(), got); diff != "" {
		t.Errorf("purged entry (-want +got):\n%s", diff)
	}
	if stats := s.Stats(); stats.Records != 1 || stats.Tombs != 1 {
		t.Errorf("stats %+v, want one record and one tomb", stats)
	}
	if ids, err := s.Receipt(t.Context(), "ann", "F1"); err != nil || !slices.Equal(ids, []string{"S"}) {
		t.Errorf("receipt %v, %v; want S", ids, err)
	}
	if kept, err := s.Get(t.Context(), "R0900"); err != nil || kept.Reinforced[0].Source.Quote != "kept-quote" {
		t.Errorf("the record that stays: %+v, %v", kept, err)
	}
	if !s.Last().Equal(at(5)) {
		t.Errorf("last %v, want %v", s.Last(), at(5))
	}
}

func TestOpen_PurgesWhatWasForgottenBeforeTheRetention(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	withSecret(t, s)
	hash := s.Hash("text", "tea")
	closeStore(t, s)

	early := open(t, bunt.Options{Dir: dir, Clock: clockAt(at(5).Add(retention - time.Microsecond))})
	if found := leaks(t, dir); len(found) != len(secrets) {
		t.Fatalf("before the retention is over only %v are there", found)
	}
	closeStore(t, early)

	late := bunt.Options{Dir: dir, Clock: clockAt(at(5).Add(retention))}
	s = open(t, late)
	checkPurged(t, s, dir)
	closeStore(t, s)
	before := readFile(t, dbPath(dir))
	s = open(t, late)
	checkPurged(t, s, dir)
	if !bytes.Equal(readFile(t, dbPath(dir)), before) {
		t.Error("a second open rewrote the file")
	}
	if s.Hash("text", "tea") != hash {
		t.Error("the hash key changed")
	}
	apply(t, s, putOp(6))
}

func TestOpen_RespectsAShorterRetention(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	withSecret(t, s)
	closeStore(t, s)
	checkPurged(t, open(t, bunt.Options{Dir: dir, Retention: time.Hour, Clock: clockAt(at(5).Add(time.Hour))}), dir)
}

func TestSweep_PurgesWhileOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s, err := bunt.Open(t.Context(), bunt.Options{Dir: dir, Retention: 36 * time.Hour,
			Clock: func() time.Time { return at(5).Add(time.Since(bubbleStart)) }})
		if err != nil {
			t.Fatal(err)
		}
		defer time.Sleep(2 * time.Second) // in which BuntDB's goroutine ends
		defer s.Close()
		withSecret(t, s)
		time.Sleep(25 * time.Hour)
		if s.Stats().Tombs != 0 {
			t.Error("purged after a day, before the retention")
		}
		time.Sleep(24 * time.Hour)
		checkPurged(t, s, dir)
	})
}

// bubbleStart is where synctest's clock starts.
var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func TestApply_RefusesToBringBackPurgedRecords(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	withSecret(t, s)
	closeStore(t, s)
	s = open(t, bunt.Options{Dir: dir, Clock: clockAt(at(5).Add(retention))})
	for name, op := range map[string]storage.Op{
		"restore":   {User: "ann", At: at(6), Restore: []string{"S"}},
		"reinforce": {User: "ann", At: at(6), Reinforce: []storage.Reinforcement{{ID: "S"}}},
		"put":       {User: "ann", At: at(6), Put: []storage.Record{secretRecord("S")}},
	} {
		if err := s.Apply(t.Context(), op); !errors.Is(err, storage.ErrConflict) {
			t.Errorf("%s: error %v, want %v", name, err, storage.ErrConflict)
		}
	}
	checkPurged(t, s, dir)
}

func TestCompact_KeepsRestoredAndOwnEntity(t *testing.T) {
	dir := t.TempDir()
	clock := storagetest.ClockAt(epoch)
	s := open(t, bunt.Options{Dir: dir, Sync: unsynced, Clock: clock.Now})
	own := secretRecord("S")
	own.Entity = "user"
	other := secretRecord("T")
	forget := &storage.Forget{Receipt: "F1", Records: []storage.Tombstone{{ID: "S"}, {ID: "T"}}}
	apply(t, s, storage.Op{User: "ann", At: at(1), Put: []storage.Record{own, other}},
		storage.Op{User: "ann", At: at(2), Forget: forget},
		storage.Op{User: "ann", At: at(3), Restore: []string{"T"}})
	clock.Set(at(2).Add(retention))
	if err := s.Compact(t.Context()); err != nil {
		t.Fatalf("compact: %v", err)
	}
	got := entries(t, s)
	if diff := cmp.Diff(storage.Entry{Record: other, RestoredAt: at(3)}, got[1]); diff != "" {
		t.Errorf("the restored record (-want +got):\n%s", diff)
	}
	if !got[0].Purged || got[0].Entity != "user" || got[0].Text != "" {
		t.Errorf("entry %+v, want it purged with entity user", got[0])
	}
}

func TestCompact_DropsEmptyOperationsButTheNewest(t *testing.T) {
	dir := t.TempDir()
	clock := storagetest.ClockAt(epoch)
	o := bunt.Options{Dir: dir, Sync: unsynced, Clock: clock.Now}
	s := open(t, o)
	apply(t, s, putOp(1))
	size := s.Stats().FileBytes
	for n := range 20 {
		apply(t, s, storage.Op{User: "ann", At: at(2 + n), Answer: &storage.Answer{Key: "k", Body: make([]byte, 500)}})
	}
	clock.Set(at(22).Add(retention))
	if err := s.Compact(t.Context()); err != nil {
		t.Fatalf("compact: %v", err)
	}
	stats := s.Stats()
	if info, err := os.Stat(dbPath(dir)); err != nil || info.Size() != stats.FileBytes || stats.FileBytes > size+200 {
		t.Errorf("file of %d bytes said to be %d, %v; want one more operation than %d", info.Size(), stats.FileBytes, err, size)
	}
	if !s.Last().Equal(at(21)) {
		t.Errorf("last %v, want %v", s.Last(), at(21))
	}
	apply(t, s, putOp(22))
	closeStore(t, s)
	s = open(t, o)
	expect(t, s, "R0001", "R0022")
}

func TestOpen_CompactsExpiredAnswersOnceTheyAreMostOfTheFile(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	apply(t, s, storage.Op{User: "ann", At: at(1), Answer: &storage.Answer{Key: "k", Body: make([]byte, 1<<20)}}, putOp(2))
	closeStore(t, s)
	s = open(t, bunt.Options{Dir: dir, Clock: clockAt(at(1).Add(retention))})
	if got := s.Stats().FileBytes; got > 2000 {
		t.Errorf("file of %d bytes, want the answer gone", got)
	}
	expect(t, s, "R0002")
}

// TestCompact_SurvivesACrashAtEachStep takes the directory as it is at every
// sync of a compaction, which are the borders between its steps, and opens it.
func TestCompact_SurvivesACrashAtEachStep(t *testing.T) {
	dir, crashes := t.TempDir(), t.TempDir()
	clock, crashed := storagetest.ClockAt(epoch), []string{}
	snap := func(*os.File) error {
		if clock.Now().Equal(epoch) {
			return nil
		}
		copied := filepath.Join(crashes, string(rune('a'+len(crashed))))
		crashed = append(crashed, copied)
		return os.CopyFS(copied, os.DirFS(dir))
	}
	s := open(t, bunt.Options{Dir: dir, Sync: snap, Clock: clock.Now})
	withSecret(t, s)
	clock.Set(at(5).Add(retention))
	if err := s.Compact(t.Context()); err != nil {
		t.Fatalf("compact: %v", err)
	}
	want := dump(t, s)
	if len(crashed) != 2 {
		t.Fatalf("%d syncs, want of the new file and of the directory", len(crashed))
	}
	for _, copied := range crashed {
		again := open(t, bunt.Options{Dir: copied, Sync: unsynced, Clock: clock.Now})
		if got := dump(t, again); got != want {
			t.Errorf("crash %s (-want +got):\n%s", filepath.Base(copied), cmp.Diff(want, got))
		}
		if left := leaks(t, copied); len(left) != 0 {
			t.Errorf("crash %s: left in files: %v", filepath.Base(copied), left)
		}
	}
}

func TestOpen_RemovesALeftOverRewrite(t *testing.T) {
	dir, file := filled(t, 2)
	for _, left := range [][]byte{nil, file[:len(file)/2], []byte("\x00garbage")} {
		writeFile(t, dbPath(dir)+".tmp", left)
		s := openDir(t, dir)
		expect(t, s, "R0001", "R0002")
		if _, err := os.Stat(dbPath(dir) + ".tmp"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the left-over file: %v, want it gone", err)
		}
		closeStore(t, s)
	}
}

func TestCompact_ObeysTheContextAndClose(t *testing.T) {
	dir, _ := filled(t, 2)
	s := openDir(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Compact(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("compact: error %v, want %v", err, context.Canceled)
	}
	expect(t, s, "R0001", "R0002")
	closeStore(t, s)
	if err := s.Compact(t.Context()); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("compact after close: error %v, want %v", err, storage.ErrClosed)
	}
}

func TestScan_GoesOnOverACompaction(t *testing.T) {
	dir, _ := filled(t, 3)
	s := openDir(t, dir)
	var seen []string
	err := s.Scan(t.Context(), func(e storage.Entry) error {
		seen = append(seen, e.ID)
		return s.Compact(t.Context())
	})
	if want := "R0001 R0002 R0003"; err != nil || strings.Join(seen, " ") != want {
		t.Errorf("seen %v, %v; want %s", seen, err, want)
	}
}

// A brief answer counts for minutes, and so for the file: what attached processes
// said is not kept for a month in case it is said again.
func TestAnswer_ABriefOneIsSoonOver(t *testing.T) {
	clock := storagetest.ClockAt(at(2))
	dir := t.TempDir()
	s := open(t, bunt.Options{Dir: dir, Clock: clock.Now})
	apply(t, s,
		storage.Op{User: "ann", At: at(1), Answer: &storage.Answer{Key: "call:1", Body: make([]byte, 1<<20), Brief: true}},
		storage.Op{User: "ann", At: at(2), Answer: &storage.Answer{Key: "key", Body: []byte("kept")}})
	if a, err := s.Answer(t.Context(), "ann", "call:1"); err != nil || len(a.Body) != 1<<20 || !a.Brief {
		t.Errorf("at once: %d bytes, %v", len(a.Body), err)
	}
	clock.Pass(storage.BriefLife)
	if _, err := s.Answer(t.Context(), "ann", "call:1"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("later: %v, want ErrNotFound", err)
	}
	// One that comes later lets those before go from memory, and counts them as dead.
	apply(t, s, storage.Op{User: "ann", At: clock.Now(), Answer: &storage.Answer{Key: "call:2", Brief: true}})
	closeStore(t, s)
	s = open(t, bunt.Options{Dir: dir, Clock: clock.Now})
	if got := s.Stats().FileBytes; got > 2000 {
		t.Errorf("file of %d bytes, want the brief answer gone", got)
	}
	if _, err := s.Answer(t.Context(), "ann", "key"); err != nil {
		t.Errorf("the other answer: %v", err)
	}
}

// Who has the hold decides; the store comes and goes under it.
func TestHold_OutlivesTheStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	hold, err := bunt.TakeHold(t.Context(), dir, -1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bunt.TakeHold(t.Context(), dir, -1); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("a second hold: %v, want ErrLocked", err)
	}
	s := open(t, bunt.Options{Dir: dir, Hold: hold})
	closeStore(t, s)
	if _, err := bunt.Open(t.Context(), bunt.Options{Dir: dir, Wait: -1}); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("a store without the hold: %v, want ErrLocked", err)
	}
	closeStore(t, open(t, bunt.Options{Dir: dir, Hold: hold}))
	if err := hold.Release(); err != nil {
		t.Fatal(err)
	}
	closeStore(t, open(t, bunt.Options{Dir: dir}))
}
