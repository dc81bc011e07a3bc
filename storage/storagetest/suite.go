// Package storagetest is the one suite that every store passes.
//
// A store's own test calls [Run] with a function that opens it; what is
// particular to the store (its file, its failures) it tests itself.
package storagetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcp-memory/storage"
)

// Retention is the retention that the suite asks for.
const Retention = 30 * 24 * time.Hour

// Setting says which store to open and how.
type Setting struct {
	// Dir names the store: a directory of its own. The same Dir again, once
	// the store is closed, is the same store.
	Dir string
	// Clock is what Retention is measured against.
	Clock func() time.Time
	// Retention is how long answers are kept.
	Retention time.Duration
}

// Open opens the store that a setting names, or ends the test.
type Open func(t testing.TB, set Setting) storage.Store

// Start is the time that the suite's clocks show at first.
var Start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Run runs the suite on the stores that open opens.
func Run(t *testing.T, open Open) {
	cases := []struct {
		name string
		run  func(*testing.T, *bench)
	}{
		{"AppliesAndReadsBack", testReadBack},
		{"KeepsTheOrder", testOrder},
		{"AppliesWholeOrNotAtAll", testAtomic},
		{"RefusesWhatDoesNotFit", testConflicts},
		{"RefusesTooLarge", testTooLarge},
		{"RefusesTextThatIsNotUTF8", testNotUTF8},
		{"KeepsDetailOfAnyScript", testScripts},
		{"Reinforces", testReinforce},
		{"Withdraws", testWithdraw},
		{"ForgetsAndRestores", testForget},
		{"KeepsTheFirstForgetting", testForgetTwice},
		{"RestoresToWithdrawn", testRestoreWithdrawn},
		{"AppliesPartsInOrder", testPartsInOrder},
		{"RepeatsAnswers", testAnswers},
		{"LetsAnswersExpire", testAnswersExpire},
		{"KeepsReceipts", testReceipts},
		{"Erases", testErase},
		{"RefusesToBringBackWhatIsErased", testEraseConflicts},
		{"EndsAnEraseOnce", testEraseEnds},
		{"KeepsSessions", testSessions},
		{"RefusesTurnsOutOfOrder", testSessionConflicts},
		{"KeepsJobs", testJobs},
		{"KnowsWhatItSaw", testSeen},
		{"HashesWithAKeyOfItsOwn", testHash},
		{"KnowsTheLastTime", testLast},
		{"CountsRecords", testStats},
		{"ScanStopsAndNests", testScan},
		{"ObeysTheContext", testContext},
		{"RefusesAfterClose", testClose},
		{"ServesReadersBesideAWriter", testConcurrent},
		{"FollowsTheModel", testModel},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.run(t, newBench(t, func(set Setting) storage.Store { return open(t, set) }, t.TempDir()))
		})
	}
}

// bench is a store under test with a clock of its own.
type bench struct {
	storage.Store
	t     checker
	open  func(Setting) storage.Store
	set   Setting
	clock *Clock    // of the store's clock
	at    time.Time // of the last operation
}

// checker is what the suite needs of a test; rapid's have it too.
type checker interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Context() context.Context
	Cleanup(func())
}

func newBench(t checker, open func(Setting) storage.Store, dir string) *bench {
	b := &bench{t: t, open: open, clock: ClockAt(Start), at: Start}
	b.set = Setting{Dir: dir, Clock: b.clock.Now, Retention: Retention}
	b.Store = open(b.set)
	t.Cleanup(func() { _ = b.Close() }) // the cases close it themselves and look
	return b
}

// reopen closes the store and opens it again.
func (b *bench) reopen() {
	b.t.Helper()
	if err := b.Close(); err != nil {
		b.t.Fatalf("close: %v", err)
	}
	b.Store = b.open(b.set)
}

// crash goes on with a copy of the files as a process leaves them that is killed.
func (b *bench) crash() {
	b.t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(b.set.Dir), "crashed-")
	if err == nil {
		err = os.CopyFS(dir, os.DirFS(b.set.Dir))
	}
	if err := errors.Join(err, b.Close()); err != nil {
		b.t.Fatalf("crash: %v", err)
	}
	b.set.Dir = dir
	b.Store = b.open(b.set)
}

// tick returns the time of the next operation.
func (b *bench) tick() time.Time {
	b.at = b.at.Add(time.Second)
	return b.at
}

// apply gives op the next time and applies it.
func (b *bench) apply(op storage.Op) storage.Op {
	b.t.Helper()
	op.At = b.tick()
	if err := b.Apply(b.t.Context(), op); err != nil {
		b.t.Fatalf("apply: %v", err)
	}
	return op
}

// refuse applies op and expects it to fail with want and to change nothing.
func (b *bench) refuse(op storage.Op, want error) {
	b.t.Helper()
	before, last := b.all(), b.Last()
	if op.At.IsZero() {
		op.At = b.tick()
	}
	if err := b.Apply(b.t.Context(), op); !errors.Is(err, want) {
		b.t.Fatalf("apply: error %v, want %v", err, want)
	}
	same(b.t, "entries after a refused operation", before, b.all())
	if got := b.Last(); !got.Equal(last) {
		b.t.Errorf("last after a refused operation: %v, want %v", got, last)
	}
}

// entry returns the entry with the id.
func (b *bench) entry(id string) storage.Entry {
	b.t.Helper()
	e, err := b.Get(b.t.Context(), id)
	if err != nil {
		b.t.Fatalf("get %s: %v", id, err)
	}
	return e
}

// all returns every entry, as Scan gives them, and checks Get against them.
func (b *bench) all() []storage.Entry {
	b.t.Helper()
	var entries []storage.Entry
	err := b.Scan(b.t.Context(), func(e storage.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		b.t.Fatalf("scan: %v", err)
	}
	for _, e := range entries {
		same(b.t, "get against scan of "+e.ID, e, b.entry(e.ID))
	}
	return entries
}

// both runs check on the store as it is and after a reopen.
func (b *bench) both(check func()) {
	b.t.Helper()
	check()
	b.reopen()
	check()
}

func same(t checker, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// record returns a record with every field that has a meaning of its own.
func record(user, id string) storage.Record {
	return storage.Record{
		ID: id, User: user, Project: "apollo", Layer: storage.Preference, Tier: storage.Semantic,
		Entity: "user", Attribute: "favourite drink", Value: "tea", Category: "food",
		Text: "The user likes tea", Reason: "said so", Importance: 4, Confidence: 0.8,
		ObservedAt: Start.Add(-time.Hour), ValidFrom: Start.Add(-24 * time.Hour), ValidTo: Start.Add(24 * time.Hour),
		RecordedAt: Start,
		Source: storage.Source{ID: "chat-1", Session: "s1", MessageIDs: []string{"m1", "m2"}, Role: "user",
			Speaker: "Ann", Quote: "I like tea"},
		Trust: storage.UserStated, Tags: []string{"drink", "hot"}, Detail: []byte(`{"strength":0.9}`), Language: "en",
		Object: "green tea", Polarity: "-", Closes: []string{"job"}, Beside: true,
	}
}

// plain returns a record with little in it.
func plain(user, id, text string) storage.Record {
	return storage.Record{ID: id, User: user, Layer: storage.Fact, Tier: storage.Semantic, Text: text,
		Importance: 3, Confidence: 0.5, ObservedAt: Start, RecordedAt: Start, Trust: storage.Imported}
}

func live(r storage.Record) storage.Entry { return storage.Entry{Record: r} }

func puts(user string, ids ...string) storage.Op {
	op := storage.Op{User: user}
	for _, id := range ids {
		op.Put = append(op.Put, plain(user, id, "text of "+id))
	}
	return op
}
