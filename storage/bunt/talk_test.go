package bunt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-memory/storage"
	"mcp-memory/storage/storagetest"
)

// What was read and left working memory is in no file after a compaction, nor
// are replaced and expired jobs; what is left is as it was.
func TestCompact_DropsTurnsAndJobsThatAreGone(t *testing.T) {
	dir, clock := t.TempDir(), storagetest.ClockAt(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	s, err := Open(t.Context(), Options{Dir: dir, Clock: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	at := clock.Now()
	apply := func(op storage.Op) {
		t.Helper()
		at = at.Add(time.Second)
		op.User, op.At = "ann", at
		if err := s.Apply(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	apply(storage.Op{Hear: []storage.Turn{{Session: "s", Seq: 1, Text: "first-turn"}, {Session: "s", Seq: 2, Text: "second-turn"}}})
	apply(storage.Op{Hear: []storage.Turn{{Session: "s", Seq: 3, Text: "third-turn"}}, Jobs: []storage.Job{{ID: "J", Open: true, Body: []byte("open")}}})
	apply(storage.Op{Read: []storage.Reading{{Session: "s", Unread: 2, Keep: 2}}, Seen: []string{"hash-1"}})
	apply(storage.Op{Read: []storage.Reading{{Session: "s", Unread: 4, Keep: 3}}, Jobs: []storage.Job{{ID: "J", Body: []byte("done")}}})
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	file := readStore(t, dir)
	for word, want := range map[string]bool{"first-turn": false, "second-turn": false, "third-turn": true, `"open":true`: false, "hash-1": true} {
		if got := strings.Contains(file, word); got != want {
			t.Errorf("%q in the file: %v, want %v", word, got, want)
		}
	}
	check := func() {
		t.Helper()
		n := 0
		err := s.Sessions(t.Context(), func(got storage.Session) error {
			n++
			if len(got.Turns) != 1 || got.Turns[0].Text != "third-turn" || got.Next != 4 || got.Unread != 4 || got.Keep != 3 {
				t.Errorf("session %+v", got)
			}
			return nil
		})
		if err != nil || n != 1 {
			t.Errorf("%d sessions, %v", n, err)
		}
	}
	check()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(t.Context(), Options{Dir: dir, Clock: clock.Now}); err != nil {
		t.Fatal(err)
	}
	check()
	clock.Set(at.Add(defaultRetention + time.Hour))
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(readStore(t, dir), `"jobs"`) {
		t.Error("an expired job is still in the file")
	}
}

func readStore(t *testing.T, dir string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// An erased turn counts as much as one that was read: by its bytes.
func TestTalk_AnErasedTurnIsGarbageOfItsBytes(t *testing.T) {
	key, folded := []byte("key"), newTalk()
	heard := turn{session: "s", seq: 1, json: `{"session":"s","seq":1,"text":"the landlord's number"}`}
	folded.fold(operation{user: "ann", hear: []turn{heard, {session: "s", seq: 2, json: `{"session":"s","seq":2}`}}}, key)
	got := folded.fold(operation{user: "ann", turns: []string{hash(key, domainTurn, storage.TurnWord("s", 1))}}, key)
	if want := int64(len(heard.json)) + commandOverhead; got != want {
		t.Errorf("%d bytes of garbage, want %d", got, want)
	}
	if left := folded.sessions[userKey{"ann", "s"}].turns; len(left) != 1 || left[0].seq != 2 {
		t.Errorf("left are %+v, want the second turn", left)
	}
}

// TestJobs_OnlyTheNewestThatAreDoneAreKept: a job that can be run again, or is open,
// stays; of the others the newest do, of each user, before and after a restart and a
// compaction.
func TestJobs_OnlyTheNewestThatAreDoneAreKept(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	o := Options{Dir: dir, Clock: func() time.Time { return now }, Sync: func(*os.File) error { return nil }}
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	at := now
	put := func(user string, jobs ...storage.Job) {
		t.Helper()
		at = at.Add(time.Second)
		if err := s.Apply(t.Context(), storage.Op{User: user, At: at, Jobs: jobs}); err != nil {
			t.Fatal(err)
		}
	}
	put("ann", storage.Job{ID: "partial", Body: []byte("partial-body")}, storage.Job{ID: "open", Open: true, Done: true, Body: []byte("open-body")})
	put("bob", storage.Job{ID: "J0000", Done: true, Body: []byte("bobs-body")})
	const more = 7
	for i := range storage.DoneJobs + more {
		put("ann", storage.Job{ID: fmt.Sprintf("J%04d", i), Done: true, Body: []byte("done-body")})
	}
	put("ann", storage.Job{ID: "J0007", Open: true, Body: []byte("run again")}) // the oldest that is left
	put("ann", storage.Job{ID: "last", Done: true, Body: []byte("last-body")}, storage.Job{ID: "J0007", Done: true, Body: []byte("done again")})
	check := func(when string) {
		t.Helper()
		got := map[string]int{}
		err := s.Jobs(t.Context(), func(user string, j storage.Job) error {
			got[user]++
			if j.ID < "J0007" && user == "ann" || j.ID == "J0008" {
				t.Errorf("%s: %s is still there", when, j.ID)
			}
			return nil
		})
		if err != nil || got["ann"] != storage.DoneJobs+2 || got["bob"] != 1 {
			t.Errorf("%s: %v, %v", when, got, err)
		}
		for _, id := range []string{"partial", "open", "J0007", "last", "J1006"} {
			if _, err := s.Job(t.Context(), "ann", id); err != nil {
				t.Errorf("%s: %s: %v", when, id, err)
			}
		}
		if _, err := s.Job(t.Context(), "ann", "J0003"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("%s: J0003: %v", when, err)
		}
	}
	reopen := func() {
		t.Helper()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if s, err = Open(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	check("at once")
	reopen()
	check("after a restart")
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("compacted")
	if file := readStore(t, dir); strings.Contains(file, `"J0003"`) || strings.Contains(file, `"J0008"`) || !strings.Contains(file, `"J0009"`) {
		t.Error("the file holds others than those that are kept")
	}
	reopen()
	check("in the end")
}
