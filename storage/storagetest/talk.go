package storagetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"mcp-memory/storage"
)

// heard returns turns from..to of a session.
func heard(session string, from, to int64) []storage.Turn {
	var turns []storage.Turn
	for seq := from; seq <= to; seq++ {
		turns = append(turns, storage.Turn{
			Session: session, Seq: seq, ID: fmt.Sprintf("m%d", seq), Source: "chat-1", Role: "user", Speaker: "Ann",
			Text: fmt.Sprintf("turn %d 你好", seq), Heard: Start, Note: seq%2 == 0,
			Time: time.Date(2026, 3, 1, 9, 0, int(seq), 0, time.FixedZone("", 2*60*60)),
		})
	}
	return turns
}

// sessions returns every session by user and name.
func (b *bench) sessions() map[string]storage.Session {
	b.t.Helper()
	out := map[string]storage.Session{}
	err := b.Sessions(b.t.Context(), func(s storage.Session) error {
		out[s.User+"/"+s.ID] = s
		return nil
	})
	if err != nil {
		b.t.Fatalf("sessions: %v", err)
	}
	return out
}

func testSessions(t *testing.T, b *bench) {
	b.apply(storage.Op{User: "ann", Hear: heard("s1", 1, 3)})
	b.apply(storage.Op{User: "ann", Hear: append(heard("s1", 4, 5), heard("s2", 1, 1)...)})
	b.apply(storage.Op{User: "bob", Hear: heard("s1", 1, 1)})
	b.apply(storage.Op{User: "ann", Read: []storage.Reading{{Session: "s1", Unread: 6, Keep: 3}}})
	b.apply(storage.Op{User: "ann", Read: []storage.Reading{{Session: "s1", Unread: 2, Keep: 1}}}) // marks never move back
	want := map[string]storage.Session{
		"ann/s1": {User: "ann", ID: "s1", Turns: heard("s1", 3, 5), Unread: 6, Keep: 3, Next: 6},
		"ann/s2": {User: "ann", ID: "s2", Turns: heard("s2", 1, 1), Unread: 1, Keep: 1, Next: 2},
		"bob/s1": {User: "bob", ID: "s1", Turns: heard("s1", 1, 1), Unread: 1, Keep: 1, Next: 2},
	}
	b.both(func() { same(t, "sessions", want, b.sessions()) })
}

func testSessionConflicts(t *testing.T, b *bench) {
	b.apply(storage.Op{User: "ann", Hear: heard("s1", 1, 2)})
	b.refuse(storage.Op{User: "ann", Hear: heard("s1", 2, 2)}, storage.ErrConflict)
	b.refuse(storage.Op{User: "ann", Hear: heard("s1", 4, 4)}, storage.ErrConflict)
	b.refuse(storage.Op{User: "ann", Hear: heard("", 1, 1)}, storage.ErrConflict)
	b.refuse(storage.Op{User: "ann", Read: []storage.Reading{{Unread: 1}}}, storage.ErrConflict)
	b.refuse(storage.Op{User: "ann", Jobs: []storage.Job{{}}}, storage.ErrConflict)
	b.refuse(storage.Op{User: "ann", Hear: []storage.Turn{{Session: "s1", Seq: 3, Text: "\xff"}}}, storage.ErrConflict)
	if got := b.sessions()["ann/s1"].Next; got != 3 {
		t.Errorf("next turn %d after refused ones, want 3", got)
	}
}

func testJobs(t *testing.T, b *bench) {
	first := storage.Job{ID: "J1", Open: true, Body: []byte(`{"a":1}`)}
	second := storage.Job{ID: "J2", Body: []byte("done")}
	finished := storage.Job{ID: "J1", Body: []byte(`{"a":2}`)}
	b.apply(storage.Op{User: "ann", Jobs: []storage.Job{first}})
	b.apply(storage.Op{User: "bob", Jobs: []storage.Job{{ID: "J1", Open: true, Body: []byte("bob's")}}})
	b.apply(storage.Op{User: "ann", Jobs: []storage.Job{second}})
	b.apply(storage.Op{User: "ann", Jobs: []storage.Job{finished}})
	b.both(func() {
		same(t, "jobs", []storage.Job{finished, second}, b.jobs("ann"))
		got, err := b.Job(t.Context(), "ann", "J1")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "job", finished, got)
		if _, err := b.Job(t.Context(), "ann", "J9"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("unknown job: error %v", err)
		}
	})
	b.clock.Set(b.at.Add(Retention + time.Second))
	b.both(func() {
		same(t, "jobs after the retention", 0, len(b.jobs("ann")))
		same(t, "open jobs stay", 1, len(b.jobs("bob")))
		if _, err := b.Job(t.Context(), "ann", "J1"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("expired job: error %v", err)
		}
	})
}

func (b *bench) jobs(user string) []storage.Job {
	b.t.Helper()
	var out []storage.Job
	err := b.Jobs(b.t.Context(), func(owner string, j storage.Job) error {
		if owner == user {
			out = append(out, j)
		}
		return nil
	})
	if err != nil {
		b.t.Fatalf("jobs: %v", err)
	}
	return out
}

func testSeen(t *testing.T, b *bench) {
	b.apply(storage.Op{User: "ann", Seen: []string{"h1", "h2"}})
	b.both(func() {
		for _, c := range []struct {
			user, hash string
			want       bool
		}{{"ann", "h1", true}, {"ann", "h2", true}, {"ann", "h3", false}, {"bob", "h1", false}} {
			if got := b.Seen(c.user, c.hash); got != c.want {
				t.Errorf("seen %s of %s: %v", c.hash, c.user, got)
			}
		}
	})
}
